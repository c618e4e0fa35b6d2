// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.arbalest.device.types.Schema;

/**
 * A source of the columns of a DataFrame: {@code spark.read().format("arbalest").option("source",
 * "com.example.Trades").load()}.
 *
 * <p>An implementation is a public class with a public constructor without parameters. The driver makes instances,
 * perhaps several for one query.
 *
 * <p>The option {@code nanoseconds} belongs to every source. Spark counts microseconds: {@code refuse}, the default,
 * rejects columns that count nanoseconds, and {@code truncate} drops the digits below one microsecond.
 *
 * <p>Spark calls all methods on the driver. The options are those that the user gave with {@code option}. They keep the
 * case of their names, and a lookup ignores the case.
 */
public interface ColumnSource {
  /**
   * Returns the source's schema. Types without a Spark equivalent are rejected after this method returns.
   *
   * @param options the user's options
   * @throws Exception if the schema is unknown; loading the DataFrame then fails with this exception, or with its
   *     message
   */
  Schema schema(Map<String, String> options) throws Exception;

  /**
   * Returns the parts of the data that a query reads. Each part becomes one Spark task. The list is empty if the query
   * has no rows.
   *
   * @param request the needed columns and rows
   * @throws Exception if the source cannot plan the query; the query then fails
   */
  List<? extends ColumnPartition> partitions(ScanRequest request) throws Exception;

  /**
   * Returns whether the source applies a condition itself. The default is {@code false}: Spark filters.
   *
   * <p>If this method returns {@code true}, the {@linkplain ScanRequest#predicates request} has the condition, and
   * Spark does not check it again. So the condition must be true for every row of the partitions, not false and not
   * null.
   *
   * @param predicate the condition; {@code predicate.name()} is an operator, such as {@code =} or {@code AND}, and its
   *     children are columns ({@code NamedReference}), literals and further conditions
   * @param options the user's options
   */
  default boolean accepts(Predicate predicate, Map<String, String> options) {
    return false;
  }

  /**
   * Returns whether the source returns the first rows of an order, if a query needs no others. The default is {@code
   * false}: the source returns all rows, and Spark sorts them.
   *
   * <p>If this method returns {@code true}, the {@linkplain ScanRequest#order request} has the order and a limit. Spark
   * sorts the rows of all partitions again.
   *
   * @param order columns ({@code NamedReference}) with their directions and the place of nulls; also functions, if the
   *     source {@linkplain #aggregatesCompletely aggregates completely}
   * @param options the user's options
   */
  default boolean acceptsOrder(List<SortOrder> order, Map<String, String> options) {
    return false;
  }

  /**
   * Returns the columns in which the source returns aggregates of groups of rows: one for each group's expression, then
   * one for each function, in their order. Empty if the source does not compute one of them, which is the default:
   * Spark computes all.
   *
   * <p>If it is not empty, the {@linkplain ScanRequest#aggregates request} has the groups and the functions, and each
   * partition returns their results for its own rows. Spark combines the results of equal groups: it adds counts and
   * sums, and takes the smallest minimum and the largest maximum. A group may have several rows. A count is an int64;
   * other results have the types of Spark's functions.
   *
   * @param groups columns ({@code NamedReference}) or other expressions whose equal values make a group, as in {@code
   *     GROUP BY}. If it is empty, all rows are one group: at least one partition then returns a row
   * @param aggregates functions of columns or of other expressions; empty if the query needs only the groups
   * @param options the user's options
   */
  default Optional<Schema> aggregated(List<Expression> groups, List<AggregateFunc> aggregates,
      Map<String, String> options) {
    return Optional.empty();
  }

  /**
   * Returns whether the source returns one row for each group of {@link #aggregated} in all partitions together. The
   * default is {@code false}. If it is {@code true}, Spark combines nothing, and may need the first groups of an order
   * only.
   */
  default boolean aggregatesCompletely(List<Expression> groups, List<AggregateFunc> aggregates,
      Map<String, String> options) {
    return false;
  }

  /**
   * Returns the number of rows that the request reads, for Spark's planning; an estimate is enough. Empty if unknown,
   * which is the default.
   *
   * <p>A negative number fails the query.
   */
  default OptionalLong estimatedRows(ScanRequest request) {
    return OptionalLong.empty();
  }

  /**
   * Returns the number of bytes that the request reads, for Spark's planning. Empty if unknown.
   *
   * <p>If it is empty, Spark computes the bytes from {@link #estimatedRows}, if that is known and all rows have one
   * size: no text, binary, lists or maps. In a join, Spark copies a small source to each executor.
   *
   * <p>A negative number fails the query.
   */
  default OptionalLong estimatedBytes(ScanRequest request) {
    return OptionalLong.empty();
  }
}
