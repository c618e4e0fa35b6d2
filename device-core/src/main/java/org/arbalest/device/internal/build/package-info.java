// SPDX-License-Identifier: Apache-2.0
/** Batches that are built value by value. */
@NullMarked
package org.arbalest.device.internal.build;

import org.jspecify.annotations.NullMarked;
