// SPDX-License-Identifier: Apache-2.0
/**
 * The exit guard: C functions that call back into the JVM, and what becomes of them when the JVM has ended and the
 * process has not. The library's machine code, and its change to a structure of HotSpot, are in this package and
 * nowhere else. Other packages call {@link org.arbalest.device.internal.exit.ExitGuard} only.
 */
@NullMarked
package org.arbalest.device.internal.exit;

import org.jspecify.annotations.NullMarked;
