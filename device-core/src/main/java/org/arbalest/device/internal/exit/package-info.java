// SPDX-License-Identifier: Apache-2.0
/**
 * The exit guard: C functions that call back into the JVM, and their replacements in a process that outlives the JVM.
 * The library's machine code, and its change to a structure of HotSpot, are only in this package. Other packages call
 * only {@link org.arbalest.device.internal.exit.ExitGuard}.
 */
@NullMarked
package org.arbalest.device.internal.exit;

import org.jspecify.annotations.NullMarked;
