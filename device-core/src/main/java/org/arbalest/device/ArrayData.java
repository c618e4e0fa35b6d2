// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.ArrayBuffers;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * What an array is made of: its length, its buffers, its children. Given to {@link DeviceArray#of}, which takes the
 * buffers over. {@link
 * #close()} closes what has not moved into an array, so that nothing is lost if that fails:
 *
 * <pre>{@code
 * try (ArrayData data = ArrayData.of(array)) {
 *   return DeviceArray.of(field, data);
 * }
 * }</pre>
 *
 * @param length the number of elements
 * @param nullCount the number of nulls, or −1 if it is not known
 * @param offset the number of elements to skip at the start of the buffers
 * @param buffers the buffers in the columnar format's order; the validity bitmap may be null; without the list of sizes
 *     that a view array carries in the C interface
 * @param children the children in the type's order
 * @param dictionary the values of a dictionary-encoded array, else null
 */
public record ArrayData(
    long length,
    long nullCount,
    long offset,
    List<@Nullable DeviceBuffer> buffers,
    List<ArrayData> children,
    @Nullable ArrayData dictionary) implements AutoCloseable {
  /**
   * Copies the lists. Written out, since javac loses {@code @Nullable} within a compact constructor's types, and Kotlin
   * refuses nulls then.
   */
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

  /**
   * What an array is made of: {@link DeviceArray#of(org.arbalest.device.types.Field, ArrayData)} makes the same array
   * of it again. Nothing is copied. Each buffer keeps the array's memory until it is closed, or has moved into another
   * array; the handle stays open.
   *
   * <p>A buffer has what its elements need, skipped ones included, and of data as much as is known to be there. Where
   * only offsets tell, as in text that came from C, this waits for the array, and reads the last of them. Otherwise it
   * does not wait, and what writes to the buffers may be under way: see {@link DeviceArray#synchronize()}.
   *
   * @return buffers that the caller closes, by {@link #close()}, those of children and dictionaries as well; null for a
   *     bitmap that is not there; any other buffer that C left out has no bytes
   * @throws DeviceException with {@code EINVAL} if an offset from C is impossible; and what waiting throws
   */
  public static ArrayData of(DeviceArray array) {
    return ArrayBuffers.of(DeviceArrayImpl.unwrap(array));
  }

  /** Whether there is a buffer here, in a child or in a dictionary, which says on what device the array is. */
  public boolean hasBuffers() {
    return !ArrayAssembly.allBuffers(this).isEmpty();
  }

  /**
   * Closes the buffers of this, of its children and of its dictionary, except those that have moved into an array;
   * calling it again does nothing.
   */
  @Override
  public void close() {
    for (DeviceBuffer buffer : ArrayAssembly.allBuffers(this)) buffer.close();
  }

  /** An array without offset, children and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers) {
    return new ArrayData(length, nullCount, 0, buffers, List.of(), null);
  }

  /** An array without offset and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers,
      List<ArrayData> children) {
    return new ArrayData(length, nullCount, 0, buffers, children, null);
  }
}
