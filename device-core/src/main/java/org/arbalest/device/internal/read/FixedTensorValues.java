// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.columns.Tensor;

/** Reads tensors of one common shape, which are fixed-size lists. */
final class FixedTensorValues extends ListValues {
  private final FixedShapeTensor tensor;

  FixedTensorValues(ColumnImpl column, FixedShapeTensor tensor) {
    super(column);
    this.tensor = tensor;
  }

  @Override
  Tensor getTensor(long at) {
    return new Tensor(tensor.shape(), tensor.dimNames(), tensor.permutation(), getList(at));
  }
}
