/** Copies of arrays from one memory to another, by a queue. */
@NullMarked
package org.arbalest.device.internal.copy;

import org.jspecify.annotations.NullMarked;
