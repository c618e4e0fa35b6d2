/** The CPU as a backend. */
@NullMarked
package org.arbalest.device.cpu;

import org.jspecify.annotations.NullMarked;
