// SPDX-License-Identifier: Apache-2.0
/** Columns: an array's values, read by the CPU. */
@NullMarked
package org.arbalest.device.internal.read;

import org.jspecify.annotations.NullMarked;
