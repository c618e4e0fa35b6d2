// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an array is made of: its length, its buffers, its children. Given to {@link DeviceArray#of}, which takes the buffers over.
 *
 * @param length the number of elements
 * @param nullCount the number of nulls, or −1 if it is not known
 * @param offset the number of elements to skip at the start of the buffers
 * @param buffers the buffers in the columnar format's order; the validity bitmap may be null; without the list of sizes that a view array
 *     carries in the C interface
 * @param children the children in the type's order
 * @param dictionary the values of a dictionary-encoded array, else null
 */
public record ArrayData(
    long length,
    long nullCount,
    long offset,
    List<@Nullable DeviceBuffer> buffers,
    List<ArrayData> children,
    @Nullable ArrayData dictionary) {
  /** Copies the lists. Written out, since javac loses {@code @Nullable} within a compact constructor's types, and Kotlin refuses nulls then. */
  public ArrayData(
      long length,
      long nullCount,
      long offset,
      List<@Nullable DeviceBuffer> buffers,
      List<ArrayData> children,
      @Nullable ArrayData dictionary) {
    Objects.requireNonNull(buffers, "buffers");
    Objects.requireNonNull(children, "children");
    this.length = length;
    this.nullCount = nullCount;
    this.offset = offset;
    this.buffers = Collections.unmodifiableList(new ArrayList<>(buffers));
    this.children = List.copyOf(children);
    this.dictionary = dictionary;
  }

  /** An array without offset, children and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers) {
    return new ArrayData(length, nullCount, 0, buffers, List.of(), null);
  }

  /** An array without offset and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers, List<ArrayData> children) {
    return new ArrayData(length, nullCount, 0, buffers, children, null);
  }
}
