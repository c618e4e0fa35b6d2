// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.internal.build.ColumnBuilderImpl;
import org.arbalest.device.internal.schema.TypeNames;

/** Appends integers exactly, or throws. */
final class Amounts {
  private Amounts() {}

  /** Appends an integer. Rejects negative numbers for uint64, whose builder accepts any 64 bits. */
  static void append(ColumnBuilder column, DataType type, long value) {
    if (value < 0 && type instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed)
      throw cannot(column, type, value);
    column.append(value);
  }

  /** Appends an unsigned integer, whose 64 bits are {@code value}. */
  static void appendUnsigned(ColumnBuilder column, DataType type, long value) {
    if (value >= 0) {
      append(column, type, value);
    } else {
      append(column, type, new BigInteger(Long.toUnsignedString(value)));
    }
  }

  static void append(ColumnBuilder column, DataType type, BigInteger value) {
    if (type instanceof DecimalType) {
      column.append(new BigDecimal(value));
      return;
    }
    boolean unsigned = type instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed;
    if (unsigned ? value.signum() < 0 || value.bitLength() > Long.SIZE : value.bitLength() >= Long.SIZE)
      throw cannot(column, type, value);
    column.append(value.longValue());
  }

  private static IllegalArgumentException cannot(ColumnBuilder column, DataType type, Object value) {
    return new IllegalArgumentException(
        ((ColumnBuilderImpl) column).here() + ": " + value + " cannot be stored exactly as " + TypeNames.of(type));
  }
}
