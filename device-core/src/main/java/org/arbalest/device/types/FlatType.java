// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.Format;
import org.arbalest.device.internal.schema.TypeChecks;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * A type without child types: numbers, text, bytes, times. The constants and methods of {@link DataType} make them. The
 * records of this interface are for {@code switch} and {@code instanceof}.
 */
public sealed interface FlatType extends DataType {
  @Override
  default String format() {
    return Format.write(this);
  }

  @Override
  default List<Field> children() {
    return List.of();
  }

  /** The null type: all values are null, and there are no buffers. */
  record NullType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** Booleans of 1 bit each. */
  record BoolType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Integers.
   *
   * @param bits 8, 16, 32 or 64
   * @param signed whether the numbers are signed, in two's complement
   */
  record IntType(int bits, boolean signed) implements FlatType {
    /** Checks the width. */
    public IntType {
      TypeChecks.oneOf("integer width", bits, 8, 16, 32, 64);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * IEEE 754 floating-point numbers.
   *
   * @param bits 16, 32 or 64
   */
  record FloatType(int bits) implements FlatType {
    /** Checks the width. */
    public FloatType {
      TypeChecks.oneOf("float width", bits, 16, 32, 64);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Exact decimal numbers. Use {@link DataType#decimal128} and the similar methods to make one: with them, a program
   * cannot confuse the bits with the precision.
   *
   * @param bits 32, 64, 128 or 256
   * @param precision the number of decimal digits
   * @param scale the number of digits after the point; may be negative
   */
  record DecimalType(int bits, int precision, int scale) implements FlatType {
    /** Checks the width and the precision. */
    public DecimalType {
      TypeChecks.oneOf("decimal width", bits, 32, 64, 128, 256);
      int most = bits == 32 ? 9 : bits == 64 ? 18 : bits == 128 ? 38 : 76;
      if (precision < 1 || precision > most) {
        throw new IllegalArgumentException("precision of a decimal" + bits + " is 1 to " + most + ", not " + precision);
      }
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** UTF-8 text with 32-bit offsets. */
  record Utf8Type() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** UTF-8 text with 64-bit offsets. */
  record LargeUtf8Type() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** UTF-8 text as 16-byte views. */
  record Utf8ViewType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** Bytes with 32-bit offsets. */
  record BinaryType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** Bytes with 64-bit offsets. */
  record LargeBinaryType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** Bytes as 16-byte views. */
  record BinaryViewType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Byte strings that all have the same length.
   *
   * @param width the number of bytes of each element, not negative
   */
  record FixedSizeBinaryType(int width) implements FlatType {
    /** Checks the width. */
    public FixedSizeBinaryType {
      TypeChecks.notNegative("width", width);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Dates.
   *
   * @param unit the storage of a date
   */
  record DateType(DateUnit unit) implements FlatType {
    /** Checks that the unit is not null. */
    public DateType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Times of day: 32 bits for seconds or milliseconds, 64 bits for microseconds or nanoseconds.
   *
   * @param unit the unit that is counted since midnight
   */
  record TimeType(ArrowTimeUnit unit) implements FlatType {
    /** Checks that the unit is not null. */
    public TimeType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Points in time, as 64-bit numbers since 1970-01-01.
   *
   * @param unit the unit that is counted
   * @param timezone an IANA name or an offset, for display; null for local dates and times without a zone
   */
  record TimestampType(ArrowTimeUnit unit, @Nullable String timezone) implements FlatType {
    /** Checks the components, and replaces an empty zone by null (SCH-10). */
    public TimestampType {
      Objects.requireNonNull(unit, "unit");
      if (timezone != null && timezone.isEmpty()) timezone = null;
      if (timezone != null) TypeChecks.checkText("a time zone", timezone);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lengths of time, as 64-bit numbers.
   *
   * @param unit the unit that is counted
   */
  record DurationType(ArrowTimeUnit unit) implements FlatType {
    /** Checks that the unit is not null. */
    public DurationType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lengths of time on the calendar.
   *
   * @param unit the parts of an interval
   */
  record IntervalType(IntervalUnit unit) implements FlatType {
    /** Checks that the unit is not null. */
    public IntervalType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** The storage of a date. */
  enum DateUnit {
    /** 32 bits: days since 1970-01-01. */
    DAY,
    /** 64 bits: milliseconds since 1970-01-01, a whole number of days. */
    MILLISECOND
  }

  /** The parts of an interval. */
  enum IntervalUnit {
    /** 32 bits: months. */
    YEAR_MONTH,
    /** 64 bits: days and milliseconds. */
    DAY_TIME,
    /** 128 bits: months, days and nanoseconds. */
    MONTH_DAY_NANO
  }
}
