// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.HashMap;
import java.util.Map;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;
import org.arbalest.device.types.FlatType.Utf8ViewType;

/** Checks of text and binary views. The views of nulls may be anything. */
final class ViewChecks {
  private final HostBuffers buffers;
  private final Rows rows;
  private final boolean isText;

  /** Whether it also checks the bytes of values, and not only where they are. */
  private final boolean hasValues;

  /** The number of data buffers, and the address of the list of their sizes, which is in CPU memory. */
  private final long variadic;

  private final long sizes;

  /** The number of bytes in all data buffers, and the number of bytes that were checked. */
  private final long total;

  private long looked;

  /** The valid ranges of each data buffer; used once texts overlap. */
  private final Map<Integer, TextRanges> texts = new HashMap<>();

  /** The address of each copied data buffer. */
  private final Map<Integer, Long> copies = new HashMap<>();

  ViewChecks(HostBuffers buffers, Rows rows, boolean hasValues) {
    this.buffers = buffers;
    this.rows = rows;
    this.hasValues = hasValues;
    this.isText = rows.field.type() instanceof Utf8ViewType;
    this.variadic = ViewStruct.variadic(rows.struct);
    this.sizes = ViewStruct.sizes(rows.struct);
    long sum = 0;
    for (long i = 0; i < variadic; i++)
      sum += Math.clamp(NativeHeap.getLong(sizes + Long.BYTES * i), 0, Integer.MAX_VALUE);
    this.total = sum;
  }

  void check() {
    Validity validity = buffers.validity(rows);
    long views = buffers.elements(rows, 1, ViewStruct.SIZE);
    for (long row = 0; row < rows.count; row++) {
      if (validity.isNull(row)) continue;
      long view = views + ViewStruct.SIZE * row;
      int size = ViewStruct.size(view);
      if (size < 0) throw wrong(row, " has " + size + " bytes");
      if (size <= ViewStruct.INLINE) {
        if (hasValues) checkInline(row, view, size);
      } else {
        checkOutside(row, view, size);
      }
    }
  }

  private void checkInline(long row, long view, int size) {
    long four = NativeHeap.getLong(view) >>> Integer.SIZE;
    long eight = NativeHeap.getLong(view + 8);
    long behind = size < ViewStruct.PREFIX ? (four >>> (8 * size)) | eight
        : size < ViewStruct.INLINE ? eight >>> (8 * (size - ViewStruct.PREFIX)) : 0;
    if (behind != 0) throw wrong(row, " has " + size + " inline bytes, but the bytes after them are not 0");
    if (isText) TextChecks.checkOne(row, ViewStruct.value(view), size);
  }

  private void checkOutside(long row, long view, int size) {
    int index = ViewStruct.buffer(view);
    int at = ViewStruct.offset(view);
    String fault = ViewStruct.fault(rows.start + row, size, index, at, variadic, sizes);
    if (fault != null) throw new MalformedException("row " + row + ": " + fault);
    if (!hasValues) return;
    long text = data(index, NativeHeap.getLong(sizes + Long.BYTES * (long) index)) + at;
    int prefix = NativeHeap.getInt(ViewStruct.value(view));
    if (prefix != NativeHeap.getInt(text)) {
      throw wrong(row, " begins with 0x" + hex(prefix) + ", but in data buffer " + index + " at " + at + " is 0x"
          + hex(NativeHeap.getInt(text)));
    }
    if (isText && !isKnown(index, text - at, at, size)) TextChecks.checkOne(row, text, size);
  }

  /**
   * Returns whether the known ranges show that a text is valid. They are used only once texts overlap, which is certain
   * when more bytes were checked than the buffers have.
   */
  private boolean isKnown(int index, long data, long at, int size) {
    looked += size;
    return looked > total && texts.computeIfAbsent(index, _ -> new TextRanges()).isValid(data, at, at + size);
  }

  private long data(int index, long size) {
    long address = RawArrowArray.buffer(rows.struct, 2L + index);
    return buffers.isDirect() ? address : copies.computeIfAbsent(index, _ -> buffers.at(address, size));
  }

  /** Formats four bytes in the order in which they are in memory. */
  private static String hex(int bytes) {
    return String.format("%08x", Integer.reverseBytes(bytes));
  }

  private MalformedException wrong(long row, String what) {
    return new MalformedException("row " + row + ": views[" + (rows.start + row) + "]" + what);
  }
}
