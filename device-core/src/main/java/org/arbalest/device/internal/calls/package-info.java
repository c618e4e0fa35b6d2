// SPDX-License-Identifier: Apache-2.0
/** Native calls through the function pointers of C structs. */
@NullMarked
package org.arbalest.device.internal.calls;

import org.jspecify.annotations.NullMarked;
