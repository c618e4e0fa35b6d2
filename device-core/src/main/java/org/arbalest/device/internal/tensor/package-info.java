// SPDX-License-Identifier: Apache-2.0
/** Exports of arrays as DLPack tensors, and imports of DLPack tensors as arrays. */
@NullMarked
package org.arbalest.device.internal.tensor;

import org.jspecify.annotations.NullMarked;
