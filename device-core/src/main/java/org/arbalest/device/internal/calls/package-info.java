// SPDX-License-Identifier: Apache-2.0
/** Function pointers in both directions: calls into C, and C functions that call back, guarded for the time when the JVM is over. */
@NullMarked
package org.arbalest.device.internal.calls;

import org.jspecify.annotations.NullMarked;
