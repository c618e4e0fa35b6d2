// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
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
 * Aggregates of groups of rows that a database computes exactly as Spark. Spark combines the rows of equal groups: it
 * adds counts and sums, and takes the smallest minimum and the largest maximum.
 *
 * <p>A group whose sum of bigints is no bigint has four rows. Their sum is none either, and differs from it by a
 * multiple of 2^64. So Spark's own addition fails, wraps around or returns null, as the session or the function
 * requires. A sum that is a bigint never overflows, while Spark's may, depending on the order of rows. A sum of
 * narrower integers is always treated as a bigint.
 */
public record Aggregates(QueryColumns columns) {
  private static final String TWO_63 = "9223372036854775808";
  private static final String TWO_64 = "18446744073709551616";
  private static final String TWO_63_AND_64 = "27670116110564327424";

  /** Returns the columns of the result, one for each group and function; null if Spark must compute one of them. */
  public @Nullable Schema schema(List<Expression> groups, List<AggregateFunc> functions) {
    if (columns.dialect() == Dialect.OTHER) return null;
    var fields = new ArrayList<Field>();
    for (Expression group : groups) {
      Field column = columns.column(group);
      if (column == null || !columns.kind(column).hasEquality()) return null;
      fields.add(Field.of("g" + fields.size(), column.type()));
    }
    for (AggregateFunc function : functions) {
      DataType type = type(function);
      if (type == null || mayBeAverage(function, functions)) return null;
      fields.add(Field.of("a" + (fields.size() - groups.size()), type));
    }
    return Schema.of(fields);
  }

  /** Returns whether each group has one row, which needs nothing from Spark. */
  public boolean areComplete(List<Expression> groups, List<AggregateFunc> functions) {
    return schema(groups, functions) != null && functions.stream().noneMatch(this::mayOverflow)
        && groups.stream().allMatch(group -> columns.dialect().isExact(columns.kind(column(group))));
  }

  /** Returns whether the database sorts a column, or the results of a function, as Spark. */
  public boolean ranks(Expression expression) {
    return expression instanceof AggregateFunc function ? type(function) != null : columns.ranks(expression);
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
    return column == null || !columns.ranks(expression) ? null : column.type();
  }

  /** Returns the bits of the signed integers of a column; 0 if Spark has no integers for it. */
  private int bits(Expression expression) {
    Field column = columns.column(expression);
    if (column == null || columns.kind(column) != Kind.INTEGER) return 0;
    if (!(column.type() instanceof FlatType.IntType(int bits, boolean signed))) return 0;
    return signed ? bits : bits == 64 ? 0 : 2 * bits;
  }

  private boolean mayOverflow(AggregateFunc function) {
    return function instanceof Sum sum && bits(sum.column()) == 64;
  }

  /**
   * Returns whether a sum may belong to an average, for which Spark requests the sum and the count of a column. An
   * average adds doubles, so it has a result where the sum of bigints overflows.
   */
  private boolean mayBeAverage(AggregateFunc function, List<AggregateFunc> all) {
    if (!(function instanceof Sum sum) || !mayOverflow(sum)) return false;
    Field column = columns.column(sum.column());
    return all.stream()
        .anyMatch(other -> other instanceof Count count && Objects.equals(column, columns.column(count.column())));
  }

  /**
   * Returns the query of accepted groups and functions.
   *
   * @param source the text after SELECT and its columns: FROM, and perhaps WHERE
   * @param end the order and the limit of the groups
   */
  public String select(List<Expression> groups, List<AggregateFunc> functions, String source, String end) {
    var results = new ArrayList<String>();
    var bounded = new ArrayList<String>();
    var parts = new ArrayList<String>();
    var overflows = new ArrayList<String>();
    for (Expression group : groups) {
      String name = "g" + results.size();
      results.add(group(group) + " AS " + name);
      bounded.add(name);
      parts.add(name);
    }
    for (AggregateFunc function : functions) {
      String name = "a" + (results.size() - groups.size());
      results.add(sql(function) + " AS " + name);
      bounded.add((mayOverflow(function) ? bounded(name) + " AS " : "") + name);
      if (mayOverflow(function)) overflows.add(name + " > " + Long.MAX_VALUE);
      parts.add(part(function, name));
    }
    String by = IntStream.rangeClosed(1, groups.size()).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    String select =
        "SELECT " + String.join(", ", results) + " " + source + (by.isEmpty() ? "" : " GROUP BY " + by) + end;
    if (overflows.isEmpty()) return select;
    return "SELECT " + String.join(", ", parts) + " FROM (SELECT " + String.join(", ", bounded) + " FROM (" + select
        + "\n) AS sums) AS bounded, (VALUES (0), (1), (2), (3)) AS parts(part) WHERE part = 0 OR "
        + String.join(" OR ", overflows);
  }

  /** Returns the SQL of an order of results, by their positions: their names may be those of columns. */
  public String order(List<Expression> groups, List<AggregateFunc> functions, List<SortOrder> orders) {
    List<String> results = Stream.concat(groups.stream().map(this::group), functions.stream().map(this::sql)).toList();
    return QueryColumns.order(orders, expression -> {
      int at = results.indexOf(expression instanceof AggregateFunc function ? sql(function) : group(expression));
      if (at < 0) throw QueryColumns.notAccepted(expression);
      return String.valueOf(at + 1);
    });
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

  /** Returns a result in one of its group's rows. Only the first row has one, except for a sum that is no bigint. */
  private String part(AggregateFunc function, String name) {
    if (mayOverflow(function)) {
      String quarter = columns.dialect().quarter(name);
      return "CAST(CASE WHEN " + name + " <= " + Long.MAX_VALUE + " THEN CASE WHEN part = 0 THEN " + name
          + " END WHEN part = 0 THEN " + name + " - 3 * (" + quarter + ") ELSE " + quarter + " END AS BIGINT) AS "
          + name;
    }
    return switch (function) {
      case CountStar _, Count _ -> "CASE WHEN part = 0 THEN " + name + " ELSE 0 END AS " + name;
      case Sum _ -> "CASE WHEN part = 0 THEN " + name + " END AS " + name;
      default -> name;
    };
  }

  private String sql(AggregateFunc function) {
    return switch (function) {
      case CountStar _ -> "COUNT(*)";
      case Count count -> "COUNT(" + quoted(count.column()) + ")";
      case Min min -> "MIN(" + quoted(min.column()) + ")";
      case Max max -> "MAX(" + quoted(max.column()) + ")";
      case Sum sum when mayOverflow(sum) -> "SUM(" + quoted(sum.column()) + ")";
      case Sum sum -> "CAST(SUM(" + quoted(sum.column()) + ") AS BIGINT)";
      default -> throw QueryColumns.notAccepted(function);
    };
  }

  private String group(Expression group) {
    Field column = column(group);
    String quoted = columns.quoted(column);
    return columns.kind(column) == Kind.TEXT ? Dialect.bytes(quoted) : quoted;
  }

  private String quoted(Expression expression) {
    return columns.quoted(column(expression));
  }

  private Field column(Expression expression) {
    Field column = columns.column(expression);
    if (column == null) throw QueryColumns.notAccepted(expression);
    return column;
  }
}
