// SPDX-License-Identifier: Apache-2.0
/** Calls into C, through the function pointers of its structs. */
@NullMarked
package org.arbalest.device.internal.calls;

import org.jspecify.annotations.NullMarked;
