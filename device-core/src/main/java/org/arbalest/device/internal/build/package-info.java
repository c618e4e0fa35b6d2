// SPDX-License-Identifier: Apache-2.0
/** Builders that create batches value by value. */
@NullMarked
package org.arbalest.device.internal.build;

import org.jspecify.annotations.NullMarked;
