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

/** {@code format("arbalest")}: found by Spark through a {@code ServiceLoader}. */
public final class ArbalestProvider implements TableProvider, DataSourceRegister {
  /**
   * Of the last schema that was asked for, as Spark asks for the table next: a source may ask a database for its
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
    inferred = null; // once: a table that is asked for later is looked at anew
    return table != null && table.options().equals(options) ? table : new ArbalestTable(options);
  }
}
