// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** Ranges of a column, one for each partition, as in Spark's JDBC source. */
public final class Ranges {
  private Ranges() {}

  /**
   * Checks the partition column. The comparison ignores case, because databases differ in whether the case of a name
   * matters.
   */
  public static void checkIsExact(String column, Schema schema) {
    List<Field> found = schema.fields().stream().filter(field -> field.name().equalsIgnoreCase(column)).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException("partitionColumn is " + column + ", and the columns are "
          + schema.fields().stream().map(Field::name).toList());
    }
    if (found.stream().noneMatch(field -> isExact(field.type()))) {
      throw new IllegalArgumentException("partitionColumn is " + column + ", which is " + found.getFirst().type()
          + ", but must be an integer or a decimal; add a cast to the query");
    }
  }

  private static boolean isExact(DataType type) {
    return switch (type) {
      case FlatType.IntType _, FlatType.DecimalType _ -> true; // floats are excluded, because NaN would be in no range
      case NestedType.DictionaryType(_, Field values, _) -> isExact(values.type());
      default -> false;
    };
  }

  /**
   * Returns the condition of each range; null for all rows.
   *
   * @param column the column's name in quotation marks
   */
  public static List<@Nullable String> conditions(String column, Map<String, String> options) {
    BigInteger lower = number(options, "lowerBound");
    BigInteger upper = number(options, "upperBound");
    int count = number(options, "numPartitions").intValueExact();
    if (count < 1 || upper.compareTo(lower) < 0) {
      throw new IllegalArgumentException("numPartitions is " + count + ", lowerBound " + lower + ", upperBound " + upper
          + ": there is at least 1 partition, and upperBound is not below lowerBound");
    }
    BigInteger width = upper.subtract(lower);
    var conditions = new ArrayList<@Nullable String>();
    for (int i = 0; i < count; i++) {
      BigInteger from = lower.add(width.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)));
      BigInteger to = lower.add(width.multiply(BigInteger.valueOf(i + 1)).divide(BigInteger.valueOf(count)));
      conditions.add(range(column, i == 0 ? null : from, i == count - 1 ? null : to));
    }
    return conditions;
  }

  /** Returns the condition of a range; null for all rows. A range without a lower end also includes nulls. */
  private static @Nullable String range(String column, @Nullable BigInteger from, @Nullable BigInteger to) {
    if (from == null) return to == null ? null : "(" + column + " < " + to + " OR " + column + " IS NULL)";
    return column + " >= " + from + (to == null ? "" : " AND " + column + " < " + to);
  }

  private static BigInteger number(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) throw new IllegalArgumentException("AdbcSource needs option(\"" + name + "\", …)");
    try {
      return new BigInteger(value.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the option " + name + " is " + value + ", which is not an integer", e);
    }
  }
}
