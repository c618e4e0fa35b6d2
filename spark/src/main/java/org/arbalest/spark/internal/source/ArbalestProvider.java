// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.arbalest.spark.AdbcSource;
import org.arbalest.spark.internal.sink.SinkProvider;
import org.arbalest.spark.internal.task.ApplicationSettings;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The data source of {@code format("arbalest")}, which Spark finds through a {@code ServiceLoader}. It reads tables,
 * and creates relations from DataFrames: only relations have all of Spark's save modes.
 */
public final class ArbalestProvider implements TableProvider, CreatableRelationProvider, DataSourceRegister {
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
    Redaction.add();
    var table = new ArbalestTable(SourceOptions.of(options));
    inferred = table;
    return table.schema();
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    Redaction.add();
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

  @Override
  public BaseRelation createRelation(SQLContext context, SaveMode mode,
      scala.collection.immutable.Map<String, String> parameters, Dataset<Row> data) {
    var given = parameters instanceof CaseInsensitiveMap<String> map ? map.originalMap() : parameters;
    var options = SourceOptions.of(new CaseInsensitiveStringMap(CollectionConverters.asJava(given)));
    if (!options.source().equals(AdbcSource.class.getName()))
      throw new UnsupportedOperationException("format(\"arbalest\") writes only with option(\"source\", \""
          + AdbcSource.class.getName() + "\"), and " + options.source() + " is read-only");
    SinkProvider.write(data, options.all(), mode);
    return new BaseRelation() { // Spark looks for cached data of this relation, which has none
      @Override
      public SQLContext sqlContext() {
        return context;
      }

      @Override
      public StructType schema() {
        return data.schema();
      }
    };
  }

  /** Returns true: the write itself names a column without a type in Arrow. */
  @Override
  public boolean supportsDataType(DataType type) {
    return true;
  }

  /** Returns the name that plans display. */
  @Override
  public String toString() {
    return shortName();
  }
}
