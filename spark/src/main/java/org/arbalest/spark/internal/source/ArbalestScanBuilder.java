// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTopN;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ScanRequest;

/** A builder of a scan, which receives columns, conditions and limits from Spark's planner. */
final class ArbalestScanBuilder
    implements SupportsPushDownRequiredColumns, SupportsPushDownV2Filters, SupportsPushDownLimit, SupportsPushDownTopN,
    SupportsPushDownAggregates {
  private final OpenedSource source;
  private List<Field> required;
  private List<Predicate> accepted = List.of();
  private OptionalInt limit = OptionalInt.empty();
  private List<SortOrder> order = List.of();
  private List<Expression> groups = List.of();
  private List<AggregateFunc> aggregates = List.of();

  ArbalestScanBuilder(OpenedSource source) {
    this.source = source;
    this.required = source.schema().fields();
  }

  /** Keeps whole columns only, even if Spark needs a part of a struct. */
  @Override
  public void pruneColumns(StructType needed) {
    var fields = new ArrayList<Field>();
    for (StructField field : needed.fields()) fields.add(source.schema().field(field.name()));
    required = fields;
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    var taken = new ArrayList<Predicate>();
    var left = new ArrayList<Predicate>();
    for (Predicate predicate : predicates)
      (source.source().accepts(predicate, source.options().all()) ? taken : left).add(predicate);
    accepted = taken;
    return left.toArray(Predicate[]::new);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return accepted.toArray(Predicate[]::new);
  }

  @Override
  public boolean pushLimit(int rows) {
    limit = OptionalInt.of(rows);
    return true;
  }

  @Override
  public boolean pushTopN(SortOrder[] orders, int rows) {
    List<SortOrder> all = List.of(orders);
    if (!source.source().acceptsOrder(all, source.options().all())) return false;
    order = all;
    limit = OptionalInt.of(rows);
    return true;
  }

  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    return source.source().aggregatesCompletely(List.of(aggregation.groupByExpressions()),
        List.of(aggregation.aggregateExpressions()), source.options().all());
  }

  /** Pushes groups and functions. Spark combines the results of the partitions, unless these are complete. */
  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    List<Expression> by = List.of(aggregation.groupByExpressions());
    List<AggregateFunc> all = List.of(aggregation.aggregateExpressions());
    if (by.isEmpty() && all.isEmpty()) return false;
    Schema schema = source.source().aggregated(by, all, source.options().all()).orElse(null);
    if (schema == null) return false;
    if (schema.fields().size() != by.size() + all.size()) throw new IllegalStateException(source.options().source()
        + " returned " + schema.fields().size() + " columns for " + by.size() + " groups and " + all.size()
        + " aggregates: " + by + ", " + all);
    groups = by;
    aggregates = all;
    required = schema.fields();
    return true;
  }

  /** Returns true: Spark applies the limit and the order, too. */
  @Override
  public boolean isPartiallyPushed() {
    return true;
  }

  @Override
  public Scan build() {
    var schema = Schema.of(required).withMetadata(source.schema().metadata());
    return new ArbalestScan(source,
        new ScanRequest(source.options().all(), schema, accepted, limit, order, groups, aggregates));
  }
}
