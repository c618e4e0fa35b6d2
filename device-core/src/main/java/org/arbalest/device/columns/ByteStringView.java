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
 * Text, as the UTF-8 that it is stored as, and binary: counted, compared, hashed and copied where it is, without a
 * {@code String} or an array for each value. {@link Column#segment} has all bytes of the column as one segment, in
 * which a value begins at {@link #start}; not of views, whose bytes are in several buffers.
 *
 * <pre>{@code
 * byte[] oslo = "OSL".getBytes(UTF_8);
 * ByteStringView origin = batch.column("origin").asByteStrings();
 * for (long row = 0; row < origin.length(); row++) {
 *   if (!origin.isNull(row) && origin.contentEquals(row, oslo)) flights++;
 * }
 * }</pre>
 *
 * <p>Of dictionary-encoded text, the {@link Column#dictionary} is read so, once, and then the {@link Column#indices}
 * are looked at: they are {@link IntView}, or of another width.
 *
 * <p>How it is used, and what it throws, is with {@link ColumnView}; a {@link DeviceException} for offsets and views
 * that lead beyond what there is (ARR-09, READ-07).
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

  /** Whether it is text, and so UTF-8 by what its producer says. */
  public boolean isText() {
    return switch (field().type()) {
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> true;
      default -> false;
    };
  }

  /** The number of bytes of a value. */
  public long byteLength(long row) {
    check(row);
    return spans.size(row);
  }

  /** The number of bytes of a value, or another number for a null. */
  public long byteLengthOrDefault(long row, long ifNull) {
    return isNull(row) ? ifNull : spans.size(row);
  }

  /**
   * Where a value begins in the column's {@link Column#segment}.
   *
   * @throws IllegalArgumentException if values are views
   */
  public long start(long row) {
    if (spans.isViews()) throw spans.inNoSegment();
    long size = byteLength(row);
    return size == 0 ? 0 : spans.address(row, size) - spans.address(0, 0);
  }

  /**
   * One byte of a value.
   *
   * @param index from 0
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

  /** Whether a value is these bytes. */
  public boolean contentEquals(long row, byte[] bytes) {
    return byteLength(row) == bytes.length && NativeBytes.equal(spans.address(row, bytes.length), bytes);
  }

  /** Whether a value is the same bytes as another's. */
  public boolean contentEquals(long row, ByteStringView other, long otherRow) {
    long size = byteLength(row);
    return size == other.byteLength(otherRow)
        && NativeBytes.equal(spans.address(row, size), other.spans.address(otherRow, size), size);
  }

  /** Whether a value begins with these bytes. */
  public boolean startsWith(long row, byte[] prefix) {
    long size = byteLength(row);
    return size >= prefix.length && NativeBytes.equal(spans.address(row, size), prefix);
  }

  /** Compares a value with these bytes, as unsigned numbers: text is in the order of its code points then. */
  public int compare(long row, byte[] bytes) {
    long size = byteLength(row);
    return NativeBytes.compare(spans.address(row, size), size, Objects.requireNonNull(bytes, "bytes"));
  }

  /** Compares a value with another one; see {@link #compare(long, byte[])}. */
  public int compare(long row, ByteStringView other, long otherRow) {
    long size = byteLength(row);
    long otherSize = other.byteLength(otherRow);
    return NativeBytes.compare(spans.address(row, size), size, other.spans.address(otherRow, otherSize), otherSize);
  }

  /**
   * A hash of a value's bytes, the same wherever they are; not to be stored, since another version may have another.
   */
  public int hash(long row) {
    long size = byteLength(row);
    return NativeBytes.hash(spans.address(row, size), size);
  }

  /**
   * Copies a value's bytes.
   *
   * @param to memory, on the heap or not
   * @param at where in it
   * @throws IndexOutOfBoundsException if they do not fit
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

  /** A value's bytes where they are, for as long as this is reachable and its handle is open. */
  MemorySegment bytesAt(long row) {
    long size = byteLength(row);
    return NativeHeap.segment(size == 0 ? 0 : spans.address(row, size), size);
  }

  /** A copy of a value's bytes. */
  public byte[] getBytes(long row) {
    return column.getBytes(row);
  }

  /** Text as a String. */
  public String getString(long row) {
    return column.getString(row);
  }
}
