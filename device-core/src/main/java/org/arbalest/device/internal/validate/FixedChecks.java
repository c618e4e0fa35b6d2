// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.math.BigInteger;
import java.util.Locale;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.Units;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.jspecify.annotations.Nullable;

/** Checks of fixed-width values with invalid bit patterns. The values of nulls may be anything. */
final class FixedChecks {
  private final HostBuffers buffers;
  private final Rows rows;
  private final long values;

  /** Read only when a value is wrong. */
  private @Nullable Validity validity;

  private FixedChecks(HostBuffers buffers, Rows rows) {
    this.buffers = buffers;
    this.rows = rows;
    this.values = buffers.elements(rows, 1, rows.layout.width());
  }

  /** Checks indices and, unless {@code hasValues} is false, other values. */
  static void check(HostBuffers buffers, Rows rows, boolean hasValues) {
    if (rows.field.type() instanceof DictionaryType type) {
      new FixedChecks(buffers, rows).checkIndices(type);
    } else if (hasValues) {
      checkValues(buffers, rows);
    }
  }

  private static void checkValues(HostBuffers buffers, Rows rows) {
    switch (rows.field.type()) {
      case TimeType type -> new FixedChecks(buffers, rows).checkTimes(type);
      case DateType(DateUnit unit) when unit == DateUnit.MILLISECOND -> new FixedChecks(buffers, rows).checkDates();
      case DecimalType type when type.bits() <= Long.SIZE -> new FixedChecks(buffers, rows).checkDecimals(type);
      case DecimalType type -> new FixedChecks(buffers, rows).checkWideDecimals(type);
      default -> {} // every bit pattern is valid
    }
  }

  private boolean isNull(long row) {
    Validity known = validity;
    if (known == null) validity = known = buffers.validity(rows);
    return known.isNull(row);
  }

  /**
   * Returns the first row that is not null and whose value is not from {@code least} to {@code most}, or the number of
   * rows.
   */
  private long outside(boolean isSigned, long least, long most) {
    long row = 0;
    while ((row = Scan.outside(values, rows.layout.bits, isSigned, row, rows.count, least, most)) < rows.count
        && isNull(row))
      row++;
    return row;
  }

  private void checkIndices(DictionaryType type) {
    long known = RawArrowArray.length(RawArrowArray.dictionary(rows.struct));
    boolean isSigned = type.index().signed();
    long row = outside(isSigned, 0, known - 1);
    if (row == rows.count) return;
    long index =
        isSigned ? Integers.get(values, rows.layout.bits, row) : Integers.getUnsigned(values, rows.layout.bits, row);
    String text = isSigned ? String.valueOf(index) : Long.toUnsignedString(index);
    throw new MalformedException(
        "row " + row + ": index " + text + " is beyond the " + known + " values of the dictionary");
  }

  private void checkTimes(TimeType type) {
    long day = Units.perDay(type.unit());
    long row = outside(true, 0, day - 1);
    if (row < rows.count) throw new MalformedException(
        "row " + row + ": " + value(row) + " is not within the " + day + " " + name(type) + " of a day");
  }

  private static String name(TimeType type) {
    return type.unit().name().toLowerCase(Locale.ROOT) + "s";
  }

  private void checkDates() {
    long row = 0;
    while ((row = Scan.partOfDay(values, row, rows.count)) < rows.count && isNull(row)) row++;
    if (row < rows.count)
      throw new MalformedException("row " + row + ": " + value(row) + " milliseconds are not a whole number of days");
  }

  private void checkDecimals(DecimalType type) {
    long most = BigInteger.TEN.pow(type.precision()).longValueExact() - 1;
    long row = outside(true, -most, most);
    if (row < rows.count) throw tooManyDigits(row, String.valueOf(value(row)), type);
  }

  private void checkWideDecimals(DecimalType type) {
    BigInteger most = BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
    long upper = most.shiftRight(type.bits() - Long.SIZE).longValueExact();
    long lower = most.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
    int width = (int) rows.layout.width();
    for (long row = 0; (row = Scan.wide(values, width, row, rows.count, lower, upper)) < rows.count; row++) {
      BigInteger value = NativeHeap.getInteger(values + width * row, width);
      if (value.abs().compareTo(most) > 0 && !isNull(row)) throw tooManyDigits(row, value.toString(), type);
    }
  }

  private static MalformedException tooManyDigits(long row, String value, DecimalType type) {
    return new MalformedException(
        "row " + row + ": the unscaled value " + value + " has more digits than the precision " + type.precision());
  }

  private long value(long row) {
    return Integers.get(values, rows.layout.bits, row);
  }
}
