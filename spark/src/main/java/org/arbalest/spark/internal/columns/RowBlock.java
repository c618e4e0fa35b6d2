// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;

/** Copies of a few rows that follow each other, to be read column by column: Spark has one object for all of its rows. */
final class RowBlock {
  private static final int MOST_BYTES = 1 << 20;

  /** Fewer than a call costs. */
  private static final int FEW_BYTES = 128;

  private final InternalRow[] rows = new InternalRow[NumberBlocks.BLOCK];
  private final @Nullable UnsafeRow[] copies = new @Nullable UnsafeRow[NumberBlocks.BLOCK];
  private byte[] bytes = new byte[NumberBlocks.BLOCK * 64];
  private int used;

  /** What the rows of the last block needed, or would have. */
  private long wanted;

  private boolean hasOwnCopies;

  /** Takes the next, at most this many, and not many that are large. They are there until it is called again, or {@link #clear}. */
  @SuppressWarnings("ReferenceEquality") // it is about the reference that is stored
  int fill(Iterator<InternalRow> from, int most) {
    clear();
    if (wanted > bytes.length && bytes.length < MOST_BYTES) bytes = new byte[(int) Math.min(MOST_BYTES, 2 * wanted)];
    used = 0;
    wanted = 0;
    int count = 0;
    for (; count < Math.min(most, rows.length) && wanted < MOST_BYTES && from.hasNext(); count++) {
      InternalRow row = from.next();
      InternalRow copy = row instanceof UnsafeRow unsafe ? copy(unsafe, count) : ownCopy(row);
      if (rows[count] != copy) rows[count] = copy; // to store it again would cost a barrier
    }
    return count;
  }

  private InternalRow copy(UnsafeRow row, int at) {
    int size = row.getSizeInBytes();
    wanted += size;
    if (size > bytes.length - used || size % Long.BYTES != 0) return ownCopy(row);
    UnsafeRow copy = copies[at];
    if (copy == null || copy.numFields() != row.numFields()) copies[at] = copy = new UnsafeRow(row.numFields());
    copy(row.getBaseObject(), row.getBaseOffset(), used, size);
    copy.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + used, size);
    used += size;
    return copy;
  }

  private InternalRow ownCopy(InternalRow row) {
    hasOwnCopies = true;
    return row.copy();
  }

  /** Lets go of copies that have memory of their own. */
  void clear() {
    if (hasOwnCopies) Arrays.fill(rows, InternalRow.empty());
    hasOwnCopies = false;
  }

  /** Of the last call, where they are rows whose size is known. */
  long bytes() {
    return wanted;
  }

  /** Of a row, whose size is one of whole words. */
  private void copy(@Nullable Object from, long offset, int to, int size) {
    long start = (long) Platform.BYTE_ARRAY_OFFSET + to;
    if (size > FEW_BYTES) {
      Platform.copyMemory(from, offset, bytes, start, size);
    } else {
      for (int at = 0; at < size; at += Long.BYTES) Platform.putLong(bytes, start + at, Platform.getLong(from, offset + at));
    }
  }

  /** Those of the last call. */
  InternalRow[] rows() {
    return rows;
  }
}
