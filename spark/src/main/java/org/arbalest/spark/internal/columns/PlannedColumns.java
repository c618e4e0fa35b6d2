// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.InputAdapter;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SQLExecutionRDD;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnFunction;
import org.jspecify.annotations.Nullable;

/** Columns from Spark's physical plan, through Spark's internals; from internal rows, if the plan has rows. */
final class PlannedColumns extends ColumnPlan {
  private final org.apache.spark.sql.classic.Dataset<Row> classic;

  PlannedColumns(Dataset<Row> dataframe) {
    super(dataframe);
    this.classic = (org.apache.spark.sql.classic.Dataset<Row>) dataframe;
  }

  @Override
  public <T extends @Nullable Object> JavaRDD<T> mapPartitions(ColumnFunction<T> function) {
    schema(); // rejects unsupported types
    SparkPlan plan = columnar(classic.queryExecution().executedPlan());
    StructType type = dataframe.schema();
    ColumnMetrics metrics = ColumnMetrics.of(dataframe);
    SessionConf conf = SessionConf.of(classic.sparkSession().sessionState().conf());
    log(plan.supportsColumnar() ? "as Spark has them" : "made of Spark's internal rows, since its plan has rows there");
    if (plan.supportsColumnar()) {
      return LazyRdd.of(dataframe, () -> configured(plan::executeColumnar)).toJavaRDD()
          .mapPartitions(new OfBatches<>(type, metrics, conf, function));
    }
    return LazyRdd.of(dataframe, () -> configured(plan::execute)).toJavaRDD()
        .mapPartitions(new OfRows<>(type, mostRows(), mostBytes(), metrics, conf, function));
  }

  @Override
  public Dataset<Row> mapColumns(StructType result, ColumnFunction<RecordBatchReader> function) {
    JavaRDD<InternalRow> rows = mapPartitions(function).mapPartitions(new ToRows(result, ResultMetrics.of(dataframe)));
    return classic.sparkSession().internalCreateDataFrame(rows.rdd(), result, false);
  }

  /**
   * Makes an RDD with the session's SQL configuration on executors: for stages that run now, and for making iterators.
   * For pulls, {@link SessionConf} sets it.
   */
  @SuppressWarnings("unchecked") // the RDD passes its elements on, of any type
  private <T> RDD<T> configured(Supplier<RDD<T>> planned) {
    var session = classic.sparkSession();
    RDD<T> rdd = SQLExecution.withSQLConfPropagated(session, planned::get);
    return (RDD<T>) (RDD<?>) new SQLExecutionRDD((RDD<InternalRow>) (RDD<?>) rdd, session.sessionState().conf());
  }

  /**
   * Returns the greatest number of bytes of a batch that is made from rows. A setting that is not positive sets no
   * limit.
   */
  private long mostBytes() {
    long most = classic.sparkSession().sessionState().conf().arrowMaxBytesPerBatch();
    return most > 0 ? most : Long.MAX_VALUE;
  }

  /** Returns the plan without the operators that make rows from columns. */
  private static SparkPlan columnar(SparkPlan plan) {
    return switch (plan) {
      case WholeStageCodegenExec stage -> orRows(stage, columnar(stage.child()));
      case InputAdapter adapter -> columnar(adapter.child());
      case ColumnarToRowExec rows -> rows.child();
      case AdaptiveSparkPlanExec adaptive when adaptive.inputPlan().supportsColumnar() ->
          adaptive.copy(adaptive.inputPlan(), adaptive.context(), adaptive.preprocessingRules(), adaptive.isSubquery(),
              true);
      default -> plan;
    };
  }

  private static SparkPlan orRows(SparkPlan rows, SparkPlan columns) {
    return columns.supportsColumnar() ? columns : rows;
  }

  private record OfBatches<T extends @Nullable Object>(StructType type, ColumnMetrics metrics, SessionConf conf,
      ColumnFunction<T> function)
      implements FlatMapFunction<Iterator<ColumnarBatch>, T> {
    @Override
    public Iterator<T> call(Iterator<ColumnarBatch> batches) throws Exception {
      Schema schema = ArrowTypes.of(type);
      return TaskColumns.apply(function, schema, memory -> {
        var planned = new PlannedBatches(batches, new BatchWriter(type, memory.manager()), metrics);
        TaskContext task = TaskContext.get();
        return () -> conf.with(task, planned::next);
      });
    }
  }

  private record OfRows<T extends @Nullable Object>(StructType type, int mostRows, long mostBytes,
      ColumnMetrics metrics, SessionConf conf,
      ColumnFunction<T> function)
      implements FlatMapFunction<Iterator<InternalRow>, T> {
    @Override
    public Iterator<T> call(Iterator<InternalRow> rows) throws Exception {
      return TaskColumns.apply(function, ArrowTypes.of(type), memory -> {
        var writer = new InternalRowWriter(type, mostBytes, memory.manager());
        TaskContext task = TaskContext.get();
        return () -> conf.with(task,
            () -> rows.hasNext() ? metrics.ofInternalRows(() -> writer.next(rows, mostRows)) : null);
      });
    }
  }

  private record ToRows(StructType type, ResultMetrics metrics)
      implements FlatMapFunction<Iterator<RecordBatchReader>, InternalRow> {
    @Override
    public Iterator<InternalRow> call(Iterator<RecordBatchReader> readers) {
      return ResultRows.of(readers.next(), type, metrics);
    }
  }
}
