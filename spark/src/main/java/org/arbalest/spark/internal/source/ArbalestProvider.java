// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** {@code format("arbalest")}: found by Spark through a {@code ServiceLoader}. */
public final class ArbalestProvider implements TableProvider, DataSourceRegister {
  @Override
  public String shortName() {
    return "arbalest";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return new ArbalestTable(options).schema();
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new ArbalestTable(new CaseInsensitiveStringMap(properties));
  }
}
