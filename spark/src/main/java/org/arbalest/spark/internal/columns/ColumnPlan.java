// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnFunction;
import org.arbalest.spark.internal.task.ApplicationSettings;
import org.jspecify.annotations.Nullable;

/** The way in which a DataFrame's columns are obtained. */
public abstract sealed class ColumnPlan permits PlannedColumns, PublicRows {
  /** The class by its name, because the class is absent if only Spark Connect's client is installed. */
  private static final String CLASSIC = "org.apache.spark.sql.classic.Dataset";

  private static final System.Logger LOG = System.getLogger(ColumnPlan.class.getName());

  /** Chooses the way, by Spark's version and the session's setting. */
  public static ColumnPlan of(Dataset<Row> dataframe) {
    if (!dataframe.getClass().getName().equals(CLASSIC)) throw new UnsupportedOperationException(
        "the DataFrame is a " + dataframe.getClass().getName()
            + "; a DataFrame of Spark Connect has no RDDs, so its columns are not available: run in Spark's driver, "
            + "in a session without remote(…)");
    ApplicationSettings.check(dataframe.sparkSession());
    String why = Internals.whyNot(dataframe);
    return why == null ? new PlannedColumns(dataframe) : new PublicRows(dataframe, why);
  }

  final Dataset<Row> dataframe;

  ColumnPlan(Dataset<Row> dataframe) {
    this.dataframe = dataframe;
  }

  /** Returns the schema of the columns. */
  public final Schema schema() {
    return ArrowTypes.of(dataframe.schema());
  }

  /** Logs the chosen way. */
  static void log(String way) {
    LOG.log(System.Logger.Level.INFO, "columns of a query: " + way);
  }

  /**
   * Returns the greatest number of rows of a batch that is made from rows. A setting that is not positive sets no
   * limit.
   */
  final int mostRows() {
    int most = Integer.parseInt(dataframe.sparkSession().conf().get("spark.sql.execution.arrow.maxRecordsPerBatch"));
    return most > 0 ? most : Integer.MAX_VALUE;
  }

  /** Applies a function to each partition. */
  public abstract <T extends @Nullable Object> JavaRDD<T> mapPartitions(ColumnFunction<T> function);

  /** Returns a DataFrame of this type, with the rows of the readers that a function makes from each partition. */
  public abstract Dataset<Row> mapColumns(StructType type, ColumnFunction<RecordBatchReader> function);
}
