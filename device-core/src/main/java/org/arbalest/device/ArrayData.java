// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.ArrayBuffers;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one array: its length, its buffers, its children. The caller owns the buffers until
 * {@link DeviceArray#of} takes them over. {@link #close()} closes the buffers that have not moved into an array, so a
 * failure leaks nothing. The record is immutable, and any thread may use it.
 *
 * <pre>{@code
 * try (ArrayData data = ArrayData.of(array)) {
 *   return DeviceArray.of(field, data);
 * }
 * }</pre>
 *
 * @param length the number of elements
 * @param nullCount the number of nulls, or −1 if unknown
 * @param offset the number of elements to skip at the start of the buffers
 * @param buffers the buffers in the columnar format's order. The validity bitmap may be null. The list of sizes that a
 *     view array carries in the C interface is left out
 * @param children the children in the type's order
 * @param dictionary the values of a dictionary-encoded array, otherwise null
 */
@CheckReturnValue
public record ArrayData(
    long length,
    long nullCount,
    long offset,
    List<@Nullable DeviceBuffer> buffers,
    List<ArrayData> children,
    @Nullable ArrayData dictionary) implements AutoCloseable {
  /** Creates the parts of an array; copies the lists. */
  public ArrayData(
      long length,
      long nullCount,
      long offset,
      List<@Nullable DeviceBuffer> buffers,
      List<ArrayData> children,
      @Nullable ArrayData dictionary) {
    // Not a compact constructor: javac loses @Nullable within the types of its parameters. Kotlin then rejects nulls.
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
   * Takes an array apart into buffers, without a copy. The handle stays open, and the caller still owns it.
   * {@link DeviceArray#of(org.arbalest.device.types.Field, ArrayData)} makes the same array from the buffers again.
   *
   * <p>Each buffer keeps the array's memory until it is closed, or moves into another array.
   *
   * <p>A buffer includes the bytes of all its elements, also of skipped ones. A buffer of data is as large as the data
   * is known to be. If only the offsets define its size, as in text from native code, this call waits for the array and
   * reads the last offset. Otherwise it does not wait, and queued work may still write to the buffers: see
   * {@link DeviceArray#synchronize()}.
   *
   * @return the buffers, also those of children and dictionaries; the caller closes them, by {@link #close()}. A
   *     missing bitmap is null; any other buffer that native code left out has no bytes
   * @throws DeviceException with {@code EINVAL} if an offset from native code is impossible; with the error of the wait
   */
  public static ArrayData of(DeviceArray array) {
    return ArrayBuffers.of(DeviceArrayImpl.unwrap(array));
  }

  /** Returns whether this array, a child or a dictionary has a buffer. The buffers define the device of an array. */
  public boolean hasBuffers() {
    return !ArrayAssembly.allBuffers(this).isEmpty();
  }

  /**
   * Closes the buffers of this array, of its children and of its dictionary, except those that have moved into an
   * array. Calling it again does nothing.
   */
  @Override
  public void close() {
    for (DeviceBuffer buffer : ArrayAssembly.allBuffers(this)) buffer.close();
  }

  /** Creates the parts of an array without offset, children and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers) {
    return new ArrayData(length, nullCount, 0, buffers, List.of(), null);
  }

  /** Creates the parts of an array without offset and dictionary. */
  public static ArrayData of(long length, long nullCount, List<@Nullable DeviceBuffer> buffers,
      List<ArrayData> children) {
    return new ArrayData(length, nullCount, 0, buffers, children, null);
  }
}
