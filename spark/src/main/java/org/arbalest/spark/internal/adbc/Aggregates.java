// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates of a whole query that a database computes exactly as Spark. Spark combines the rows of all partitions: it
 * adds counts and sums, and takes the smallest minimum and the largest maximum.
 *
 * <p>A sum of integers is returned as four rows of bigints. If the sum is no bigint, their sum is none either, and
 * differs from it by a multiple of 2^64. So Spark's own addition fails, wraps around or returns null, as the session or
 * the function requires. A sum that is a bigint never overflows, while Spark's may, depending on the order of rows.
 */
public record Aggregates(QueryColumns columns) {
  private static final String TWO_63 = "9223372036854775808";
  private static final String TWO_64 = "18446744073709551616";
  private static final String TWO_63_AND_64 = "27670116110564327424";

  /** Returns the columns of the result, one for each function; null if Spark must compute one of them. */
  public @Nullable Schema schema(List<AggregateFunc> functions) {
    if (columns.dialect() == Dialect.OTHER) return null;
    var fields = new ArrayList<Field>();
    for (AggregateFunc function : functions) {
      DataType type = type(function);
      if (type == null || mayBeAverage(function, functions)) return null;
      fields.add(Field.of("a" + fields.size(), type));
    }
    return Schema.of(fields);
  }

  private @Nullable DataType type(AggregateFunc function) {
    return switch (function) {
      case CountStar _ -> DataType.INT64;
      case Count count -> count.isDistinct() || columns.column(count.column()) == null ? null : DataType.INT64;
      case Min min -> ranked(min.column());
      case Max max -> ranked(max.column());
      case Sum sum -> !sum.isDistinct() && bits(sum.column()) > 0 ? DataType.INT64 : null;
      default -> null;
    };
  }

  private @Nullable DataType ranked(Expression expression) {
    Field column = columns.column(expression);
    return column == null || !columns.dialect().ranks(columns.kind(column)) ? null : column.type();
  }

  /** Returns the bits of the signed integers of a column; 0 if Spark has no integers for it. */
  private int bits(Expression expression) {
    Field column = columns.column(expression);
    if (column == null || columns.kind(column) != Kind.INTEGER) return 0;
    if (!(column.type() instanceof FlatType.IntType(int bits, boolean signed))) return 0;
    return signed ? bits : bits == 64 ? 0 : 2 * bits;
  }

  /**
   * Returns whether a sum may belong to an average, for which Spark requests the sum and the count of a column. An
   * average adds doubles, so it has a result where the sum of bigints overflows.
   */
  private boolean mayBeAverage(AggregateFunc function, List<AggregateFunc> all) {
    if (!(function instanceof Sum sum) || bits(sum.column()) < 64) return false;
    Field column = columns.column(sum.column());
    return all.stream()
        .anyMatch(other -> other instanceof Count count && Objects.equals(column, columns.column(count.column())));
  }

  /**
   * Returns the query of accepted functions.
   *
   * @param source the text after SELECT and its columns: FROM, and perhaps WHERE
   */
  public String select(List<AggregateFunc> functions, String source) {
    var results = new ArrayList<String>();
    var bounded = new ArrayList<String>();
    var parts = new ArrayList<String>();
    for (AggregateFunc function : functions) {
      String name = "a" + results.size();
      results.add(sql(function) + " AS " + name);
      bounded.add((function instanceof Sum ? bounded(name) : name) + " AS " + name);
      parts.add(switch (function) {
        case CountStar _, Count _ -> part(name, "0") + " AS " + name;
        case Sum _ -> {
          String quarter = columns.dialect().quarter(name);
          yield part(name + " - 3 * (" + quarter + ")", quarter) + " AS " + name;
        }
        default -> name;
      });
    }
    String select = "SELECT " + String.join(", ", results) + " " + source;
    if (functions.stream().noneMatch(Sum.class::isInstance)) return select;
    return "SELECT " + String.join(", ", parts) + " FROM (SELECT " + String.join(", ", bounded) + " FROM (" + select
        + "\n) AS sums) AS bounded, (VALUES (0), (1), (2), (3)) AS parts(part)";
  }

  /**
   * Returns a sum if it is a bigint; otherwise a number that differs by a multiple of 2^64. It is at least 2^63, so it
   * is no bigint, and less than 2^63 + 2^64, so its quarter with the remainder is one.
   */
  private static String bounded(String sum) {
    return "CASE WHEN " + sum + " BETWEEN " + Long.MIN_VALUE + " AND " + Long.MAX_VALUE + " OR " + sum
        + " IS NULL THEN " + sum + " ELSE (" + sum + " % " + TWO_64 + " + " + TWO_63_AND_64 + ") % " + TWO_64 + " + "
        + TWO_63 + " END";
  }

  private static String part(String first, String other) {
    return "CAST(CASE WHEN part = 0 THEN " + first + " ELSE " + other + " END AS BIGINT)";
  }

  private String sql(AggregateFunc function) {
    return switch (function) {
      case CountStar _ -> "COUNT(*)";
      case Count count -> "COUNT(" + quoted(count.column()) + ")";
      case Min min -> "MIN(" + quoted(min.column()) + ")";
      case Max max -> "MAX(" + quoted(max.column()) + ")";
      case Sum sum -> "SUM(" + quoted(sum.column()) + ")";
      default -> throw notAccepted(function);
    };
  }

  private String quoted(Expression expression) {
    Field column = columns.column(expression);
    if (column == null) throw notAccepted(expression);
    return columns.quoted(column);
  }

  private static IllegalArgumentException notAccepted(Expression expression) {
    return new IllegalArgumentException("AdbcSource has not accepted " + expression);
  }
}
