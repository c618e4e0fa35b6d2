// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.util.List;
import java.util.Objects;

/**
 * A tensor that is a value of a column: its elements, of whatever type, and how they are arranged. Borrowed like the
 * {@link Column}.
 *
 * <pre>{@code
 * Tensor image = column.getTensor(row);
 * Bytes pixels = image.values().asBytes();
 * byte red = pixels.get(image.index(y, x, 0));
 * }</pre>
 *
 * @param shape the sizes of the dimensions as they are stored: the last one's elements lie side by side (row-major)
 * @param dimNames the names of these dimensions; empty for none
 * @param permutation which stored dimension each of the logical ones is; empty if they are in order
 * @param values the elements, as many as the product of the sizes
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

  /** The sizes of the dimensions in their logical order. */
  public List<Integer> logicalShape() {
    return permutation.isEmpty() ? shape : permutation.stream().map(shape::get).toList();
  }

  /**
   * Where an element is among the {@link #values}.
   *
   * @param position its index in each dimension as they are stored
   * @throws IndexOutOfBoundsException if one is beyond its dimension
   * @throws IllegalArgumentException if there are more or fewer than dimensions
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
