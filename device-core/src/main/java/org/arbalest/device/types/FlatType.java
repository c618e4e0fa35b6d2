// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.Format;
import org.arbalest.device.internal.schema.TypeChecks;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * A type that is not made of others: numbers, text, bytes, times. {@link DataType} makes them, by its constants and
 * methods; the records here are for {@code switch} and {@code instanceof}.
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

  /** Only nulls, no buffers. */
  record NullType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** One bit. */
  record BoolType() implements FlatType {
    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * An integer.
   *
   * @param bits 8, 16, 32 or 64
   * @param signed two's complement, or unsigned
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
   * An IEEE 754 number.
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
   * An exact number. Made by {@link DataType#decimal128} and the like, where the bits cannot be taken for the
   * precision.
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
   * Bytes, the same number for each element.
   *
   * @param width the number of bytes, not negative
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
   * A day.
   *
   * @param unit how it is stored
   */
  record DateType(DateUnit unit) implements FlatType {
    /** Checks that there is a unit. */
    public DateType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * A time of day: 32 bits in seconds or milliseconds, 64 bits in microseconds or nanoseconds.
   *
   * @param unit what is counted since midnight
   */
  record TimeType(ArrowTimeUnit unit) implements FlatType {
    /** Checks that there is a unit. */
    public TimeType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * A point in time, as 64 bits since 1970-01-01.
   *
   * @param unit what is counted
   * @param timezone an IANA name or an offset, for display; null for a local date and time without a zone
   */
  record TimestampType(ArrowTimeUnit unit, @Nullable String timezone) implements FlatType {
    /** The empty zone is no zone (SCH-10). */
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
   * A length of time, as 64 bits.
   *
   * @param unit what is counted
   */
  record DurationType(ArrowTimeUnit unit) implements FlatType {
    /** Checks that there is a unit. */
    public DurationType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * A length of time on the calendar.
   *
   * @param unit which parts it has
   */
  record IntervalType(IntervalUnit unit) implements FlatType {
    /** Checks that there is a unit. */
    public IntervalType {
      Objects.requireNonNull(unit, "unit");
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** How a date is stored. */
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
    /** 64 bits: days, milliseconds. */
    DAY_TIME,
    /** 128 bits: months, days, nanoseconds. */
    MONTH_DAY_NANO
  }
}
