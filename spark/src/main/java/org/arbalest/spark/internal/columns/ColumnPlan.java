// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.spark.ColumnFunction;

/** How the columns of a DataFrame are had. */
public abstract sealed class ColumnPlan permits PlannedColumns, PublicRows {
  /** Chooses the way, by Spark's version, and by what the user wants. */
  public static ColumnPlan of(Dataset<Row> dataframe) {
    return Internals.areKnown(dataframe) ? new PlannedColumns(dataframe) : new PublicRows(dataframe);
  }

  /** The schema of the columns. */
  public abstract Schema schema();

  /** What a function makes of each partition. */
  public abstract <T> JavaRDD<T> mapPartitions(ColumnFunction<T> function);

  /** The rows of the readers that a function makes of each partition, as a DataFrame of this type. */
  public abstract Dataset<Row> mapColumns(StructType type, ColumnFunction<DeviceArrayReader> function);
}
