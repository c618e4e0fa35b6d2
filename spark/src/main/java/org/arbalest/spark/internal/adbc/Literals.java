// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.vector.SparkTypes;
import org.jspecify.annotations.Nullable;

/** Spark's literals in SQL. */
final class Literals {
  private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

  private Literals() {}

  /**
   * Returns a literal of a column's type; null if it has another type, or if databases may lack the value or read it in
   * another way. Dates and timestamps are proleptic Gregorian, as in Spark.
   */
  static @Nullable String sql(Literal<?> literal, Field column, Kind kind) {
    Object value = literal.value();
    var type = SparkTypes.of(Schema.of(column), false).fields()[0].dataType();
    if (value == null || !literal.dataType().equals(type)) return null;
    return switch (type) {
      case ByteType _, ShortType _, IntegerType _, LongType _ -> value.toString();
      case BooleanType _ -> (Boolean) value ? "TRUE" : "FALSE";
      case DecimalType decimal -> {
        String digits = ((Decimal) value).toJavaBigDecimal().toPlainString();
        // a HUGEINT may have more digits than a DECIMAL
        yield kind == Kind.INTEGER ? digits
            : "CAST('" + digits + "' AS DECIMAL(" + decimal.precision() + ", " + decimal.scale() + "))";
      }
      case DateType _ -> {
        LocalDate date = LocalDate.ofEpochDay((Integer) value);
        yield hasFourDigits(date.getYear()) ? "DATE '" + date + "'" : null;
      }
      case TimestampType _ -> timestamp("TIMESTAMP WITH TIME ZONE '", (Long) value, "+00'");
      case TimestampNTZType _ -> timestamp("TIMESTAMP '", (Long) value, "'");
      default -> type.equals(DataTypes.StringType) ? text((UTF8String) value) : null;
    };
  }

  private static @Nullable String timestamp(String before, long micros, String after) {
    var time = LocalDateTime.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), ZoneOffset.UTC);
    return hasFourDigits(time.getYear()) ? before + TIMESTAMP.format(time) + after : null;
  }

  private static boolean hasFourDigits(int year) {
    return year >= 1 && year <= 9999;
  }

  /**
   * Returns text in apostrophes, with its own apostrophes doubled. A backslash escapes in some settings of PostgreSQL,
   * and U+0000 ends a C string, so both are left to Spark. So is text that is not UTF-8.
   */
  private static @Nullable String text(UTF8String value) {
    String text = value.toString();
    if (text.indexOf('\\') >= 0 || text.indexOf('\0') >= 0 || !UTF8String.fromString(text).equals(value)) return null;
    return "'" + text.replace("'", "''") + "'";
  }
}
