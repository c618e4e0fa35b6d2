package org.arbalest.device;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.Format;
import org.arbalest.device.internal.schema.TypeChecks;
import org.jspecify.annotations.Nullable;

/**
 * The type of an array: one record for each type of the Arrow columnar format. Immutable.
 *
 * <p>An extension type is its storage type, with the keys of {@link Field#extensionName()} in the field's metadata (SCH-16).
 */
public sealed interface DataType {
  /** The format string of the C data interface. */
  default String format() {
    return Format.write(this);
  }

  /** The fields of the children, in order; empty for a type that has none. A dictionary is not a child. */
  default List<Field> children() {
    return List.of();
  }

  /** Only nulls, no buffers. */
  record NullType() implements DataType {}

  /** One bit. */
  record BoolType() implements DataType {}

  /**
   * An integer.
   *
   * @param bits 8, 16, 32 or 64
   * @param signed two's complement, or unsigned
   */
  record IntType(int bits, boolean signed) implements DataType {
    /** Checks the width. */
    public IntType {
      TypeChecks.oneOf("integer width", bits, 8, 16, 32, 64);
    }
  }

  /**
   * An IEEE 754 number.
   *
   * @param bits 16, 32 or 64
   */
  record FloatType(int bits) implements DataType {
    /** Checks the width. */
    public FloatType {
      TypeChecks.oneOf("float width", bits, 16, 32, 64);
    }
  }

  /**
   * An exact number.
   *
   * @param bits 32, 64, 128 or 256
   * @param precision the number of decimal digits
   * @param scale the number of digits after the point; may be negative
   */
  record DecimalType(int bits, int precision, int scale) implements DataType {
    /** Checks the width and the precision. */
    public DecimalType {
      TypeChecks.oneOf("decimal width", bits, 32, 64, 128, 256);
      int most = bits == 32 ? 9 : bits == 64 ? 18 : bits == 128 ? 38 : 76;
      if (precision < 1 || precision > most) {
        throw new IllegalArgumentException("precision of a decimal" + bits + " is 1 to " + most + ", not " + precision);
      }
    }
  }

  /** UTF-8 text with 32-bit offsets. */
  record Utf8Type() implements DataType {}

  /** UTF-8 text with 64-bit offsets. */
  record LargeUtf8Type() implements DataType {}

  /** UTF-8 text as 16-byte views. */
  record Utf8ViewType() implements DataType {}

  /** Bytes with 32-bit offsets. */
  record BinaryType() implements DataType {}

  /** Bytes with 64-bit offsets. */
  record LargeBinaryType() implements DataType {}

  /** Bytes as 16-byte views. */
  record BinaryViewType() implements DataType {}

  /**
   * Bytes, the same number for each element.
   *
   * @param width the number of bytes, not negative
   */
  record FixedSizeBinaryType(int width) implements DataType {
    /** Checks the width. */
    public FixedSizeBinaryType {
      TypeChecks.notNegative("width", width);
    }
  }

  /**
   * A day.
   *
   * @param unit how it is stored
   */
  record DateType(DateUnit unit) implements DataType {
    /** Checks that there is a unit. */
    public DateType {
      Objects.requireNonNull(unit, "unit");
    }
  }

  /**
   * A time of day: 32 bits in seconds or milliseconds, 64 bits in microseconds or nanoseconds.
   *
   * @param unit what is counted since midnight
   */
  record TimeType(TimeUnit unit) implements DataType {
    /** Checks that there is a unit. */
    public TimeType {
      Objects.requireNonNull(unit, "unit");
    }
  }

  /**
   * A point in time, as 64 bits since 1970-01-01.
   *
   * @param unit what is counted
   * @param timezone an IANA name or an offset, for display; null for a local date and time without a zone
   */
  record TimestampType(TimeUnit unit, @Nullable String timezone) implements DataType {
    /** The empty zone is no zone (SCH-10). */
    public TimestampType {
      Objects.requireNonNull(unit, "unit");
      if (timezone != null && timezone.isEmpty()) timezone = null;
      if (timezone != null) TypeChecks.checkText("a time zone", timezone);
    }
  }

  /**
   * A length of time, as 64 bits.
   *
   * @param unit what is counted
   */
  record DurationType(TimeUnit unit) implements DataType {
    /** Checks that there is a unit. */
    public DurationType {
      Objects.requireNonNull(unit, "unit");
    }
  }

  /**
   * A length of time on the calendar.
   *
   * @param unit which parts it has
   */
  record IntervalType(IntervalUnit unit) implements DataType {
    /** Checks that there is a unit. */
    public IntervalType {
      Objects.requireNonNull(unit, "unit");
    }
  }

  /**
   * Lists with 32-bit offsets.
   *
   * @param item the field of the elements
   */
  record ListType(Field item) implements DataType {
    /** Checks that there is an item. */
    public ListType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }
  }

  /**
   * Lists with 64-bit offsets.
   *
   * @param item the field of the elements
   */
  record LargeListType(Field item) implements DataType {
    /** Checks that there is an item. */
    public LargeListType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }
  }

  /**
   * Lists with 32-bit offsets and sizes, in any order.
   *
   * @param item the field of the elements
   */
  record ListViewType(Field item) implements DataType {
    /** Checks that there is an item. */
    public ListViewType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }
  }

  /**
   * Lists with 64-bit offsets and sizes, in any order.
   *
   * @param item the field of the elements
   */
  record LargeListViewType(Field item) implements DataType {
    /** Checks that there is an item. */
    public LargeListViewType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }
  }

  /**
   * Lists of the same length each.
   *
   * @param item the field of the elements
   * @param size the number of elements, not negative
   */
  record FixedSizeListType(Field item, int size) implements DataType {
    /** Checks the size. */
    public FixedSizeListType {
      Objects.requireNonNull(item, "item");
      TypeChecks.notNegative("size", size);
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }
  }

  /**
   * A tuple of named fields; the type of a record batch.
   *
   * @param fields the fields; names may repeat
   */
  record StructType(List<Field> fields) implements DataType {
    /** Copies the list. */
    public StructType {
      Objects.requireNonNull(fields, "fields");
      fields = List.copyOf(fields);
    }

    @Override
    public List<Field> children() {
      return fields;
    }
  }

  /**
   * Maps, stored as lists of entries.
   *
   * @param entries a struct of two fields, the keys and the values, whatever their names; keys are not nullable
   * @param keysSorted whether the keys of each map are in order
   */
  record MapType(Field entries, boolean keysSorted) implements DataType {
    /** Checks the entries (SCH-14). */
    public MapType {
      Objects.requireNonNull(entries, "entries");
      TypeChecks.checkEntries(entries);
    }

    @Override
    public List<Field> children() {
      return List.of(entries);
    }
  }

  /**
   * One of several types for each element.
   *
   * @param mode how the children are stored
   * @param typeIds the id of each field, distinct and within 0..127
   * @param fields the fields
   */
  record UnionType(UnionMode mode, List<Integer> typeIds, List<Field> fields) implements DataType {
    /** Checks the ids (SCH-13). */
    public UnionType {
      Objects.requireNonNull(mode, "mode");
      Objects.requireNonNull(typeIds, "typeIds");
      Objects.requireNonNull(fields, "fields");
      typeIds = List.copyOf(typeIds);
      fields = List.copyOf(fields);
      TypeChecks.checkTypeIds(typeIds, fields.size());
    }

    @Override
    public List<Field> children() {
      return fields;
    }
  }

  /**
   * Runs of equal values.
   *
   * @param runEnds the field of the run ends: int16, int32 or int64, without nulls
   * @param values the field of the values
   */
  record RunEndEncodedType(Field runEnds, Field values) implements DataType {
    /** Checks the run ends (SCH-15). */
    public RunEndEncodedType {
      Objects.requireNonNull(runEnds, "runEnds");
      Objects.requireNonNull(values, "values");
      TypeChecks.checkRunEnds(runEnds);
    }

    @Override
    public List<Field> children() {
      return List.of(runEnds, values);
    }
  }

  /**
   * Indices into an array of values (SCH-09).
   *
   * @param index the type of the indices
   * @param values the field of the values
   * @param ordered whether the order of the values means something
   */
  record DictionaryType(IntType index, Field values, boolean ordered) implements DataType {
    /** Checks that there are indices and values. */
    public DictionaryType {
      Objects.requireNonNull(index, "index");
      Objects.requireNonNull(values, "values");
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

  /** How the children of a union are stored. */
  enum UnionMode {
    /** Each child has only its own elements, found by offsets. */
    DENSE,
    /** Each child is as long as the union. */
    SPARSE
  }
}
