// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Objects;
import java.util.function.DoublePredicate;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.columns.BooleanView;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.DoubleView;
import org.arbalest.device.columns.FloatView;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.columns.LongView;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayRows;
import org.arbalest.device.internal.memory.RowBits;
import org.arbalest.device.types.FlatType.BoolType;

/**
 * The implementation of a selection. See {@link Selection}. Each type of view has its own loop: in a shared one, the
 * JIT would call the condition and the view virtually for each value.
 */
public record SelectionImpl(RowBits bits) implements Selection {
  /** See {@link DeviceArray#filter}. */
  public static DeviceArray filter(DeviceArrayImpl array, Selection rows) {
    return ArrayRows.filter(array, unwrap(Objects.requireNonNull(rows, "rows")));
  }

  private static RowBits unwrap(Selection selection) {
    return switch (selection) {
      case SelectionImpl made -> made.bits;
    };
  }

  /** See {@link Selection#of(BooleanView)}. */
  public static Selection of(BooleanView rows) {
    long[] words = RowBits.words(rows.length());
    for (int word = 0; word < words.length; word++) words[word] = rows.trueBits((long) word * Long.SIZE);
    return made(rows.length(), words);
  }

  /** See {@link Selection#of(Column)}. */
  public static Selection of(Column rows) {
    ColumnImpl column = ColumnImpl.unwrap(Objects.requireNonNull(rows, "rows"));
    if (column.field().type() instanceof BoolType) return of(rows.asBooleans());
    if (!Getters.read(column.field(), Getter.BOOLEAN)) throw column.cannot(Getter.BOOLEAN.what);
    return where(rows.length(), row -> !rows.isNull(row) && rows.getBoolean(row));
  }

  /** See {@link Selection#ofBitmap}. */
  public static Selection ofBitmap(MemorySegment bitmap, long bitOffset, long length) {
    Objects.requireNonNull(bitmap, "bitmap");
    long known = bitmap.byteSize() > Long.MAX_VALUE / Byte.SIZE ? Long.MAX_VALUE : bitmap.byteSize() * Byte.SIZE;
    if (length >= 0 && (bitOffset < 0 || bitOffset > known - length)) {
      throw new IndexOutOfBoundsException(
          length + " bits from bit " + bitOffset + " on are beyond the " + bitmap.byteSize() + " bytes of the bitmap");
    }
    long[] words = RowBits.words(length);
    MemorySegment bytes = MemorySegment.ofArray(words);
    long first = bitOffset >>> 3;
    int shift = (int) (bitOffset & 7);
    long size = (length + 7) >>> 3;
    for (long i = 0; i < size; i++) {
      int two = Byte.toUnsignedInt(bitmap.get(JAVA_BYTE, first + i));
      if (shift != 0 && first + i + 1 < bitmap.byteSize())
        two |= Byte.toUnsignedInt(bitmap.get(JAVA_BYTE, first + i + 1)) << Byte.SIZE;
      bytes.set(JAVA_BYTE, i, (byte) (two >>> shift));
    }
    return made(length, words);
  }

  /** See {@link Selection#where(LongView, LongPredicate)}. */
  public static Selection where(LongView values, LongPredicate condition) {
    Objects.requireNonNull(condition, "condition");
    long length = values.length();
    long[] words = RowBits.words(length);
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      long valid = values.validBits(first);
      long bits = 0;
      if (valid == -1) {
        for (int i = 0; i < Long.SIZE; i++) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
      } else {
        for (int i = 0; i < Long.SIZE; i++) {
          if ((valid >>> i & 1) != 0) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
        }
      }
      words[word] = bits;
    }
    return made(length, words);
  }

  /** See {@link Selection#where(IntView, IntPredicate)}. */
  public static Selection where(IntView values, IntPredicate condition) {
    Objects.requireNonNull(condition, "condition");
    long length = values.length();
    long[] words = RowBits.words(length);
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      long valid = values.validBits(first);
      long bits = 0;
      if (valid == -1) {
        for (int i = 0; i < Long.SIZE; i++) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
      } else {
        for (int i = 0; i < Long.SIZE; i++) {
          if ((valid >>> i & 1) != 0) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
        }
      }
      words[word] = bits;
    }
    return made(length, words);
  }

  /** See {@link Selection#where(DoubleView, DoublePredicate)}. */
  public static Selection where(DoubleView values, DoublePredicate condition) {
    Objects.requireNonNull(condition, "condition");
    long length = values.length();
    long[] words = RowBits.words(length);
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      long valid = values.validBits(first);
      long bits = 0;
      if (valid == -1) {
        for (int i = 0; i < Long.SIZE; i++) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
      } else {
        for (int i = 0; i < Long.SIZE; i++) {
          if ((valid >>> i & 1) != 0) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
        }
      }
      words[word] = bits;
    }
    return made(length, words);
  }

  /** See {@link Selection#where(FloatView, DoublePredicate)}. */
  public static Selection where(FloatView values, DoublePredicate condition) {
    Objects.requireNonNull(condition, "condition");
    long length = values.length();
    long[] words = RowBits.words(length);
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      long valid = values.validBits(first);
      long bits = 0;
      if (valid == -1) {
        for (int i = 0; i < Long.SIZE; i++) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
      } else {
        for (int i = 0; i < Long.SIZE; i++) {
          if ((valid >>> i & 1) != 0) bits |= (condition.test(values.get(first + i)) ? 1L : 0) << i;
        }
      }
      words[word] = bits;
    }
    return made(length, words);
  }

  /** See {@link Selection#where(long, LongPredicate)}. */
  public static Selection where(long length, LongPredicate rows) {
    Objects.requireNonNull(rows, "rows");
    long[] words = RowBits.words(length);
    for (int word = 0; word < words.length; word++) {
      long first = (long) word * Long.SIZE;
      int count = (int) Math.min(Long.SIZE, length - first);
      long bits = 0;
      for (int i = 0; i < count; i++) bits |= (rows.test(first + i) ? 1L : 0) << i;
      words[word] = bits;
    }
    return made(length, words);
  }

  private static Selection made(long length, long[] words) {
    return new SelectionImpl(new RowBits(length, words));
  }

  @Override
  public Selection and(Selection other) {
    return new SelectionImpl(bits.and(sameLength(other)));
  }

  @Override
  public Selection or(Selection other) {
    return new SelectionImpl(bits.or(sameLength(other)));
  }

  private RowBits sameLength(Selection other) {
    RowBits others = unwrap(Objects.requireNonNull(other, "other"));
    if (others.length == bits.length) return others;
    throw new IllegalArgumentException("a selection of " + bits.length + " rows cannot be combined with one of "
        + others.length + " rows: both must be of the same batch");
  }

  @Override
  public Selection not() {
    return new SelectionImpl(bits.not());
  }

  @Override
  public long length() {
    return bits.length;
  }

  @Override
  public long count() {
    return bits.count;
  }

  @Override
  public boolean isSelected(long row) {
    return bits.get(Objects.checkIndex(row, bits.length));
  }

  @Override
  public long selectedBits(long row) {
    return bits.bits(Objects.checkIndex(row, bits.length));
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%,d of ", bits.count) + DeviceArrayImpl.counted(bits.length, "row");
  }
}
