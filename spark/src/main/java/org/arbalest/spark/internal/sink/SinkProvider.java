// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source of the jobs that write DataFrames. Spark offers all four save modes only to sources of its older
 * interface, which have no tasks of their own. So {@code format("arbalest")} has that interface, and starts a job of
 * this source.
 */
public final class SinkProvider implements TableProvider {
  /** Spark's own options of {@code partitionBy} and {@code clusterBy}. */
  private static final Map<String, String> LAYOUTS =
      Map.of("__partition_columns", "partitionBy", "__clustering_columns", "clusterBy");

  /** The table of the job that this thread starts. The options are not passed to the job: Spark displays its own. */
  private static final ScopedValue<SinkTable> TARGET = ScopedValue.newInstance();

  /**
   * Writes a DataFrame into a table, by a job.
   *
   * @param options the options of the user; a lookup ignores the case
   */
  public static void write(Dataset<Row> data, Map<String, String> options, SaveMode mode) {
    LAYOUTS.forEach((option, function) -> {
      if (options.containsKey(option))
        throw new IllegalArgumentException("the database decides how it stores a table; remove " + function);
    });
    if (mode == SaveMode.Ignore && AdbcSink.exists(options)) return;
    boolean failsIfExists = mode == SaveMode.Ignore || mode == SaveMode.ErrorIfExists;
    ScopedValue.where(TARGET, new SinkTable(options, failsIfExists)).run(
        () -> data.write().format(SinkProvider.class.getName()).mode(failsIfExists ? SaveMode.Append : mode).save());
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return new StructType();
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return TARGET.get();
  }

  /** Returns true, so that Spark does not infer the schema: the table may not exist. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  /**
   * The table of a job.
   *
   * @param failsIfExists whether an existing table is an error
   */
  private record SinkTable(Map<String, String> options, boolean failsIfExists) implements SupportsWrite {
    @Override
    public String name() {
      return "arbalest";
    }

    @Override
    @SuppressWarnings("deprecation") // its successor, columns(), calls it by default
    public StructType schema() {
      return new StructType();
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.BATCH_WRITE, TableCapability.TRUNCATE, TableCapability.ACCEPT_ANY_SCHEMA);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
      return new AdbcSink(options, info, failsIfExists);
    }

    @Override
    public String toString() {
      return name();
    }
  }
}
