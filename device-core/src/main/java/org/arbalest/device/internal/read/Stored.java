// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.jspecify.annotations.Nullable;

/** The storage formats that typed views read, one for each kind of view. */
public enum Stored {
  LONGS("asLongs()"),
  INTS("asInts()"),
  SHORTS("asShorts()"),
  BYTES("asBytes()"),
  DOUBLES("asDoubles()"),
  FLOATS("asFloats()"),
  HALF_FLOATS("asHalfFloats()"),
  BOOLEANS("asBooleans()"),
  BYTE_STRINGS("asByteStrings()");

  private final String method;

  Stored(String method) {
    this.method = method;
  }

  /** Returns the storage format of a column; null if no typed view reads it. */
  private static @Nullable Stored of(ColumnImpl column) {
    long bits = Layout.of(column.field).bits;
    DataType type = column.field.type();
    if (type instanceof FloatType) return bits == Double.SIZE ? DOUBLES : bits == Float.SIZE ? FLOATS : HALF_FLOATS;
    if (type instanceof IntType) return integers(bits);
    if (type instanceof Utf8Type) return BYTE_STRINGS;
    return switch (type) {
      case BoolType _ -> BOOLEANS;
      case DateType _, TimeType _, TimestampType _, DurationType _ -> integers(bits);
      case DecimalType _ -> bits <= Long.SIZE ? integers(bits) : null;
      case IntervalType(IntervalUnit unit) -> unit == IntervalUnit.YEAR_MONTH ? INTS : null;
      case LargeUtf8Type _, Utf8ViewType _, BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ ->
          BYTE_STRINGS;
      default -> null;
    };
  }

  private static Stored integers(long bits) {
    return bits == Long.SIZE ? LONGS : bits == Integer.SIZE ? INTS : bits == Short.SIZE ? SHORTS : BYTES;
  }

  /**
   * Returns the address of the values' buffer of a column. Throws unless the column has this format and is readable
   * now.
   */
  public long buffer(ColumnImpl column) {
    check(column);
    Ownership owner = column.array.share();
    try {
      return RawArrowArray.buffer(column.struct, 1);
    } finally {
      owner.release();
    }
  }

  /** Returns the address of row 0, for values of a fixed width. */
  public long address(ColumnImpl column) {
    return buffer(column) + Layout.of(column.field).width() * column.offset;
  }

  /** Throws unless the column has this format and is readable now. */
  void check(ColumnImpl column) {
    Stored stored = of(column);
    if (stored != this) {
      String instead =
          stored != null
              ? stored.method + " has its values" + (column.field.extension() instanceof Bool8 ? ", 0 for false" : "")
              : otherwise(column);
      throw new IllegalArgumentException(column.describe() + " cannot be read by " + method + ": " + instead);
    }
    column.checkReadable();
  }

  /**
   * Returns a hint for a column that no typed view reads. A typed view may read the values of a dictionary or of runs.
   */
  private static String otherwise(ColumnImpl column) {
    String none = "no typed view has its values, but the column's getters read them";
    if (!(column.values instanceof DictionaryValues) && !(column.values instanceof RunEndValues)) return none;
    Stored encoded = of(column.encodedValues());
    if (encoded == null) return none;
    if (column.values instanceof RunEndValues)
      return none + "; runs().values()." + encoded.method + " has those of the runs";
    return none + "; dictionary()." + encoded.method
        + " has those of the dictionary, and indices() which of them each row has";
  }
}
