// SPDX-License-Identifier: Apache-2.0
/** Validation of the content of an array's buffers. The package {@code array} validates the structs. */
@NullMarked
package org.arbalest.device.internal.validate;

import org.jspecify.annotations.NullMarked;
