// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.util.List;
import java.util.Objects;

/**
 * A tensor that is a value of a column: its elements of any type, and their layout. It is borrowed like the
 * {@link Column}.
 *
 * <pre>{@code
 * Tensor image = column.getTensor(row);
 * ByteView pixels = image.values().asBytes();
 * byte red = pixels.get(image.index(y, x, 0));
 * }</pre>
 *
 * @param shape the sizes of the stored dimensions; the elements of the last dimension are adjacent (row-major)
 * @param dimNames the names of these dimensions; empty without names
 * @param permutation the stored dimension of each logical dimension; empty if the order is the same
 * @param values the elements; their number is the product of the sizes
 */
public record Tensor(List<Integer> shape, List<String> dimNames, List<Integer> permutation, Column values) {
  /** Copies the lists. */
  public Tensor {
    Objects.requireNonNull(shape, "shape");
    Objects.requireNonNull(dimNames, "dimNames");
    Objects.requireNonNull(permutation, "permutation");
    Objects.requireNonNull(values, "values");
    shape = List.copyOf(shape);
    dimNames = List.copyOf(dimNames);
    permutation = List.copyOf(permutation);
  }

  /** Returns the sizes of the dimensions in their logical order. */
  public List<Integer> logicalShape() {
    return permutation.isEmpty() ? shape : permutation.stream().map(shape::get).toList();
  }

  /**
   * Returns the position of an element in {@link #values}.
   *
   * @param position the element's index in each stored dimension
   * @throws IndexOutOfBoundsException if an index is outside its dimension
   * @throws IllegalArgumentException if the number of indices differs from the number of dimensions
   */
  public long index(int... position) {
    if (position.length != shape.size()) {
      throw new IllegalArgumentException(
          "a position of " + position.length + " dimensions in a tensor of shape " + shape);
    }
    long index = 0;
    for (int i = 0; i < position.length; i++)
      index = index * shape.get(i) + Objects.checkIndex(position[i], shape.get(i));
    return index;
  }
}
