// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.memory.NativeBytes;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.read.ByteSpans;
import org.arbalest.device.internal.read.ByteStringsAccess;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;

/**
 * A view of text, as its UTF-8 bytes, and of binary. It counts, compares, hashes and copies values in place, without a
 * {@code String} or an array for each value. {@link Column#segment} has all bytes of the column as one segment, in
 * which a value begins at {@link #start}. View types have no such segment: their bytes are in several buffers.
 *
 * <pre>{@code
 * byte[] oslo = "OSL".getBytes(UTF_8);
 * ByteStringView origin = batch.column("origin").asByteStrings();
 * for (long row = 0; row < origin.length(); row++) {
 *   if (!origin.isNull(row) && origin.contentEquals(row, oslo)) flights++;
 * }
 * }</pre>
 *
 * <p>For dictionary-encoded text, read the {@link Column#dictionary} once through this view, and then compare the
 * {@link Column#indices}, through an {@link IntView} or the view of another width.
 *
 * <p>{@link ColumnView} describes use, threads and errors. The methods also throw a {@link DeviceException} for offsets
 * and views that lead beyond the buffers (ARR-09, READ-07).
 */
public final class ByteStringView extends ColumnView {
  static {
    ByteStringsAccess.set(ByteStringView::bytesAt);
  }

  private final ByteSpans spans;

  ByteStringView(ColumnImpl column) {
    super(column);
    this.spans = new ByteSpans(column);
  }

  /** Returns whether the type is text, and the values thus UTF-8 according to the producer. */
  public boolean isText() {
    return switch (field().type()) {
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> true;
      default -> false;
    };
  }

  /** Returns the number of bytes of a value. */
  public long byteLength(long row) {
    check(row);
    return spans.size(row);
  }

  /** Returns the number of bytes of a value, or {@code ifNull} for a null. */
  public long byteLengthOrDefault(long row, long ifNull) {
    return isNull(row) ? ifNull : spans.size(row);
  }

  /**
   * Returns the position of a value in the column's {@link Column#segment}, in bytes.
   *
   * @throws IllegalArgumentException for a view type
   */
  public long start(long row) {
    if (spans.isViews()) throw spans.inNoSegment();
    long size = byteLength(row);
    return size == 0 ? 0 : spans.address(row, size) - spans.address(0, 0);
  }

  /**
   * Returns one byte of a value.
   *
   * @param index the byte's position in the value, from 0
   */
  public byte byteAt(long row, long index) {
    long size = byteLength(row);
    try {
      Objects.checkIndex(index, size);
    } catch (IndexOutOfBoundsException _) {
      throw column.isBeyondValue(row, index, size);
    }
    return NativeHeap.getByte(spans.address(row, size) + index);
  }

  /** Returns whether a value has exactly these bytes. */
  public boolean contentEquals(long row, byte[] bytes) {
    return byteLength(row) == bytes.length && NativeBytes.equal(spans.address(row, bytes.length), bytes);
  }

  /** Returns whether a value has the same bytes as a value of another column. */
  public boolean contentEquals(long row, ByteStringView other, long otherRow) {
    long size = byteLength(row);
    return size == other.byteLength(otherRow)
        && NativeBytes.equal(spans.address(row, size), other.spans.address(otherRow, size), size);
  }

  /** Returns whether a value begins with these bytes. */
  public boolean startsWith(long row, byte[] prefix) {
    long size = byteLength(row);
    return size >= prefix.length && NativeBytes.equal(spans.address(row, size), prefix);
  }

  /** Compares a value with these bytes, as unsigned numbers. For text this is the order of code points. */
  public int compare(long row, byte[] bytes) {
    long size = byteLength(row);
    return NativeBytes.compare(spans.address(row, size), size, Objects.requireNonNull(bytes, "bytes"));
  }

  /** Compares a value with a value of another column; see {@link #compare(long, byte[])}. */
  public int compare(long row, ByteStringView other, long otherRow) {
    long size = byteLength(row);
    long otherSize = other.byteLength(otherRow);
    return NativeBytes.compare(spans.address(row, size), size, other.spans.address(otherRow, otherSize), otherSize);
  }

  /**
   * Returns a hash of a value's bytes. It does not depend on the bytes' location. Do not store it, because another
   * version of the library may compute another hash.
   */
  public int hash(long row) {
    long size = byteLength(row);
    return NativeBytes.hash(spans.address(row, size), size);
  }

  /**
   * Copies a value's bytes.
   *
   * @param to memory, on the heap or not
   * @param at the position in that memory, in bytes
   * @throws IndexOutOfBoundsException if the bytes do not fit
   */
  public void copyTo(long row, MemorySegment to, long at) {
    Objects.requireNonNull(to, "to");
    long size = byteLength(row);
    if (size == 0) {
      Objects.checkFromIndexSize(at, 0, to.byteSize());
    } else {
      NativeHeap.copy(spans.address(row, size), to, at, size);
    }
  }

  /** Returns a value's bytes in place. They are valid while this view is reachable and its handle is open. */
  MemorySegment bytesAt(long row) {
    long size = byteLength(row);
    return NativeHeap.segment(size == 0 ? 0 : spans.address(row, size), size);
  }

  /** Returns a copy of a value's bytes. */
  public byte[] getBytes(long row) {
    return column.getBytes(row);
  }

  /** Returns text as a String. */
  public String getString(long row) {
    return column.getString(row);
  }
}
