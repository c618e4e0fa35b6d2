// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Field;
import org.arbalest.spark.ColumnPartition;
import org.arbalest.spark.ScanRequest;
import org.arbalest.spark.internal.task.Failures;
import org.arbalest.spark.internal.vector.SparkTypes;
import org.jspecify.annotations.Nullable;

/** A scan of a source: the columns and rows that one query reads. */
final class ArbalestScan implements Batch, SupportsReportStatistics {
  private final OpenedSource source;
  private final ScanRequest request;
  private final StructType type;

  ArbalestScan(OpenedSource source, ScanRequest request) {
    this.source = source;
    this.request = request;
    this.type = SparkTypes.of(request.schema(), source.options().truncatesNanos());
  }

  @Override
  public StructType readSchema() {
    return type;
  }

  @Override
  public String description() {
    List<String> columns = request.schema().fields().stream().map(Field::name).toList();
    String limit = request.limit().isPresent() ? ", limit " + request.limit().getAsInt() : "";
    String order = request.order().isEmpty() ? "" : ", order " + request.order();
    String groups = request.groups().isEmpty() ? "" : ", groups " + request.groups();
    String aggregates = request.aggregates().isEmpty() ? "" : ", aggregates " + request.aggregates();
    return "arbalest " + source.options().source() + ", columns " + columns + ", accepted " + request.predicates()
        + order + limit + groups + aggregates;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return ColumnarSupportMode.SUPPORTED;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<? extends ColumnPartition> made =
        Failures.unchecked(() -> source.source().partitions(request), "the partitions of " + source.options().source());
    if (made == null || made.stream().anyMatch(Objects::isNull))
      throw new IllegalStateException(source.options().source() + " returned null for its partitions, or one of them");
    return made.stream().map(SourcePartition::of).toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new ArbalestReaderFactory(type, source.options().truncatesNanos());
  }

  @Override
  public Statistics estimateStatistics() {
    OptionalLong rows = estimate(source.source().estimatedRows(request), "rows");
    OptionalLong estimate = estimate(source.source().estimatedBytes(request), "bytes");
    OptionalLong bytes =
        estimate.isPresent() || rows.isEmpty() || !isFixed(type) ? estimate : OptionalLong.of(size(rows.getAsLong()));
    return new Statistics() {
      @Override
      public OptionalLong numRows() {
        return rows;
      }

      @Override
      public OptionalLong sizeInBytes() {
        return bytes;
      }
    };
  }

  /**
   * Checks an estimate. A negative number would make the source the smallest of all, and Spark copies small sources to
   * each executor.
   */
  private OptionalLong estimate(@Nullable OptionalLong estimate, String what) {
    if (estimate == null)
      throw new IllegalStateException(source.options().source() + " returned null for its estimate of " + what
          + "; return OptionalLong.empty() for an unknown value");
    if (estimate.orElse(0) < 0)
      throw new IllegalStateException(
          source.options().source() + " estimates " + estimate.getAsLong() + " " + what
              + "; return OptionalLong.empty() for an unknown value");
    return estimate;
  }

  /**
   * Returns whether all rows of a type have the same size. The size of text and lists must not be guessed, because
   * Spark copies small sources to each executor.
   */
  private static boolean isFixed(DataType type) {
    return switch (type) {
      case StringType _, BinaryType _, ArrayType _, MapType _ -> false;
      case StructType struct -> Stream.of(struct.fields()).allMatch(field -> isFixed(field.dataType()));
      default -> true;
    };
  }

  /** Returns the bytes of a number of rows. Without an estimate Spark treats the source as larger than any other. */
  private long size(long rows) {
    long width = Math.max(1, type.defaultSize());
    return rows > Long.MAX_VALUE / width ? Long.MAX_VALUE : Math.max(1, rows * width);
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return SourceMetrics.all();
  }

  /** Compares scans, so that Spark reads data once if a query has two equal scans. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArbalestScan scan
        && source.options().equals(scan.source.options())
        && request.schema().equals(scan.request.schema())
        && request.predicates().equals(scan.request.predicates())
        && request.limit().equals(scan.request.limit())
        && request.order().equals(scan.request.order())
        && request.groups().equals(scan.request.groups())
        && request.aggregates().equals(scan.request.aggregates());
  }

  @Override
  public int hashCode() {
    return Objects.hash(source.options(), request.schema(), request.predicates(), request.limit());
  }
}
