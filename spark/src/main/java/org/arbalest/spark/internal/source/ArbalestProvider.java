// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.arbalest.spark.internal.task.ApplicationSettings;
import org.jspecify.annotations.Nullable;

/** The data source of {@code format("arbalest")}, which Spark finds through a {@code ServiceLoader}. */
public final class ArbalestProvider implements TableProvider, DataSourceRegister {
  /**
   * The table of the last inferred schema. Spark requests the table next, and a source may query a database for its
   * schema.
   */
  private @Nullable ArbalestTable inferred;

  @Override
  public String shortName() {
    return "arbalest";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    SparkSession session = SparkSession.getActiveSession().getOrElse(() -> null);
    if (session != null) ApplicationSettings.check(session);
    var table = new ArbalestTable(SourceOptions.of(options));
    inferred = table;
    return table.schema();
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    SourceOptions options = SourceOptions.of(new CaseInsensitiveStringMap(properties));
    ArbalestTable table = inferred;
    inferred = null; // used once: later requests open the source again
    if (table == null) return new WrittenTable(options, schema);
    return table.options().equals(options) ? table : new ArbalestTable(options);
  }

  /** Returns true, so that Spark does not infer the schema of a table that it writes: the table may not exist. */
  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
