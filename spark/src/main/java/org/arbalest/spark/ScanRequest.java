// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.arbalest.device.types.Schema;

/**
 * The columns and rows that a query needs from a source.
 *
 * @param options the options of the user
 * @param schema the needed columns, as in the source's schema, or the columns of groups and aggregates. It has no
 *     columns if Spark only counts rows: batches then need no columns, only the right length
 * @param predicates conditions that the source has {@linkplain ColumnSource#accepts accepted}; each row must fulfil all
 *     of them
 * @param limit a number of rows that is sufficient from each partition, in any order; a partition may have more.
 *     Without a limit all rows are needed, for example because Spark filters by conditions that the source did not
 *     accept
 * @param order the order whose first rows the limit needs, which the source has {@linkplain ColumnSource#acceptsOrder
 *     accepted}; empty for any rows. Spark sorts the rows of all partitions again
 * @param groups the expressions by which the source groups rows for the aggregates; empty if all rows are one group
 * @param aggregates the functions that the source has {@linkplain ColumnSource#aggregated accepted}; each partition
 *     returns its groups with their results instead of rows. If groups and aggregates are empty, the query needs rows
 */
public record ScanRequest(Map<String, String> options, Schema schema, List<Predicate> predicates, OptionalInt limit,
    List<SortOrder> order, List<Expression> groups, List<AggregateFunc> aggregates) {
  /** Creates a request. Spark makes requests; a program needs this constructor only to test its own source. */
  public ScanRequest {
    predicates = List.copyOf(predicates);
    order = List.copyOf(order);
    groups = List.copyOf(groups);
    aggregates = List.copyOf(aggregates);
  }

  /** Returns the request without the values of options, which may contain passwords. */
  @Override
  public String toString() {
    return "ScanRequest[options=" + options.keySet() + ", schema=" + schema + ", predicates=" + predicates + ", limit="
        + limit + ", order=" + order + ", groups=" + groups + ", aggregates=" + aggregates + "]";
  }

  /** Returns whether the query needs groups or their aggregates instead of rows. */
  public boolean isAggregate() {
    return !groups.isEmpty() || !aggregates.isEmpty();
  }

  /** Creates a request of rows in any order. */
  public ScanRequest(Map<String, String> options, Schema schema, List<Predicate> predicates, OptionalInt limit) {
    this(options, schema, predicates, limit, List.of(), List.of(), List.of());
  }
}
