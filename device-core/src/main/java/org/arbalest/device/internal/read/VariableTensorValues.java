// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.columns.Tensor;

/**
 * Reads tensors with a shape each: structs of elements and shape. If the two do not match, the tensor is malformed
 * (EXT-07).
 */
final class VariableTensorValues extends StructValues {
  private final VariableShapeTensor tensor;
  private final ColumnImpl data;
  private final ColumnImpl shapes;

  VariableTensorValues(ColumnImpl column, VariableShapeTensor tensor) {
    super(column);
    this.tensor = tensor;
    this.data = column.childAt(0);
    this.shapes = column.childAt(1);
  }

  @Override
  Tensor getTensor(long at) {
    long row = at - column.offset;
    if (data.isNull(row)) throw column.malformed(at, "the tensor has no data");
    if (shapes.isNull(row)) throw column.malformed(at, "the tensor has no shape");
    List<Integer> shape = shape(at, shapes.getList(row));
    Column elements = data.getList(row);
    long wanted = 1;
    // no list has more elements than that
    for (int size : shape) wanted = size == 0 ? 0 : Math.min(wanted, Integer.MAX_VALUE) * size;
    if (wanted != elements.length())
      throw column.malformed(at, "a tensor of shape " + shape + " has " + elements.length() + " elements");
    return new Tensor(shape, tensor.dimNames(), tensor.permutation(), elements);
  }

  private List<Integer> shape(long at, Column sizes) {
    List<Integer> shape = new ArrayList<>();
    for (int i = 0; i < sizes.length(); i++) {
      if (sizes.isNull(i)) throw column.malformed(at, "shape[" + i + "] is null");
      int size = sizes.getInt(i);
      if (size < 0) throw column.malformed(at, "shape[" + i + "] = " + size);
      Integer uniform = tensor.uniformShape().isEmpty() ? null : tensor.uniformShape().get(i);
      if (uniform != null && uniform != size)
        throw column.malformed(at, "shape[" + i + "] = " + size + ", but all tensors have " + uniform);
      shape.add(size);
    }
    return shape;
  }
}
