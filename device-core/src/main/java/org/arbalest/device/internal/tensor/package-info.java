// SPDX-License-Identifier: Apache-2.0
/** Arrays as tensors of DLPack, to C and from C. */
@NullMarked
package org.arbalest.device.internal.tensor;

import org.jspecify.annotations.NullMarked;
