/** Rows as objects of a class, and back. */
@NullMarked
package org.arbalest.device.internal.records;

import org.jspecify.annotations.NullMarked;
