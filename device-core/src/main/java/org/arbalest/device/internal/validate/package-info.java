// SPDX-License-Identifier: Apache-2.0
/** Whether what is in an array's buffers is sound; whether its structs are, {@code array} says. */
@NullMarked
package org.arbalest.device.internal.validate;

import org.jspecify.annotations.NullMarked;
