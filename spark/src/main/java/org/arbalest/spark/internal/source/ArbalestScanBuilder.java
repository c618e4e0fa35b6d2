// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ScanRequest;

/** A builder of a scan, which receives columns, conditions and limits from Spark's planner. */
final class ArbalestScanBuilder
    implements SupportsPushDownRequiredColumns, SupportsPushDownV2Filters, SupportsPushDownLimit {
  private final OpenedSource source;
  private List<Field> required;
  private List<Predicate> accepted = List.of();
  private OptionalInt limit = OptionalInt.empty();

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

  /** Returns true: Spark applies the limit, too. */
  @Override
  public boolean isPartiallyPushed() {
    return true;
  }

  @Override
  public Scan build() {
    var schema = Schema.of(required).withMetadata(source.schema().metadata());
    return new ArbalestScan(source, new ScanRequest(source.options().all(), schema, accepted, limit));
  }
}
