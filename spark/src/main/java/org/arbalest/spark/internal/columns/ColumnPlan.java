// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnFunction;
import org.arbalest.spark.internal.task.ApplicationSettings;
import org.jspecify.annotations.Nullable;

/** How the columns of a DataFrame are had. */
public abstract sealed class ColumnPlan permits PlannedColumns, PublicRows {
  /** By its name, as the class is not there where Spark Connect's client is all there is. */
  private static final String CLASSIC = "org.apache.spark.sql.classic.Dataset";

  private static final System.Logger LOG = System.getLogger(ColumnPlan.class.getName());

  /** Chooses the way, by Spark's version, and by what the user wants. */
  public static ColumnPlan of(Dataset<Row> dataframe) {
    if (!dataframe.getClass().getName().equals(CLASSIC)) throw new UnsupportedOperationException(
        "the DataFrame is a " + dataframe.getClass().getName()
            + "; the columns of Spark Connect's, which have no RDDs, are not to be had, but in Spark's driver, of a "
            + "session without remote(…)");
    ApplicationSettings.check(dataframe.sparkSession());
    String why = Internals.whyNot(dataframe);
    return why == null ? new PlannedColumns(dataframe) : new PublicRows(dataframe, why);
  }

  final Dataset<Row> dataframe;

  ColumnPlan(Dataset<Row> dataframe) {
    this.dataframe = dataframe;
  }

  /** The schema of the columns. */
  public final Schema schema() {
    return ArrowTypes.of(dataframe.schema());
  }

  /** Says which way is taken. */
  static void log(String way) {
    LOG.log(System.Logger.Level.INFO, "columns of a query: " + way);
  }

  /** Of a batch that is made of rows; what is not positive means all of them. */
  final int mostRows() {
    int most = Integer.parseInt(dataframe.sparkSession().conf().get("spark.sql.execution.arrow.maxRecordsPerBatch"));
    return most > 0 ? most : Integer.MAX_VALUE;
  }

  /** What a function makes of each partition. */
  public abstract <T extends @Nullable Object> JavaRDD<T> mapPartitions(ColumnFunction<T> function);

  /** The rows of the readers that a function makes of each partition, as a DataFrame of this type. */
  public abstract Dataset<Row> mapColumns(StructType type, ColumnFunction<DeviceArrayReader> function);
}
