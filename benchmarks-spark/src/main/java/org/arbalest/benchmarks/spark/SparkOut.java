// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.arbalest.spark.DataFrames;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how user code in tasks reads columns from Spark. It sums the four columns of each partition in four ways:
 * from Spark's columns; from columns made of the rows of Spark's public API; from rows; and from Spark's Arrow data.
 * Spark makes that data for its Python workers, and does not promise to keep the conversion. All ways read the same
 * source, by default Spark's columnar cache, which is Spark's cheapest source.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 30, time = 2) // the driver plans each query anew, so it needs a long warm-up
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class SparkOut {
  /** The table that is read. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Input {
    /** A name of a table in {@link Tables}. */
    @Param("cache") String source;

    private Cluster cluster;
    private Dataset<Row> table;

    @Setup
    public void open(Cluster newCluster, Tables tables) throws IOException {
      cluster = newCluster;
      table = tables.of(source);
    }

    /** Returns a new query, which does not reuse the plan of an earlier one. */
    Dataset<Row> query() {
      return table.select(col("id"), col("key"), col("value"), col("other"));
    }
  }

  /** The conversion of rows to columns. */
  @State(Scope.Benchmark)
  public static class ByRows {
    private static final String OPTION = "spark.arbalest.columnar";

    @Setup
    public void set(Cluster cluster) {
      cluster.spark.conf().set(OPTION, false);
    }

    @TearDown
    public void unset(Cluster cluster) {
      cluster.spark.conf().unset(OPTION);
    }
  }

  @Benchmark
  public List<Long> columns(Input input) {
    List<Long> sums = DataFrames.columns(input.query(), (_, columns) -> Sums.ofColumns(columns)).collect();
    input.cluster.answer.check(sums);
    return sums;
  }

  @Benchmark
  public List<Long> columnsOfRows(Input input, ByRows byRows) {
    return columns(input);
  }

  @Benchmark
  public List<Long> rows(Input input) {
    List<Long> sums = input.query()
        .mapPartitions((MapPartitionsFunction<Row, Long>) rows -> Sums.ofRows(rows), Encoders.LONG()).collectAsList();
    input.cluster.answer.check(sums);
    return sums;
  }

  @Benchmark
  public List<Long> arrowBatches(Input input) {
    var query = (org.apache.spark.sql.classic.Dataset<Row>) input.query();
    List<Long> sums =
        query.toArrowBatchRdd().toJavaRDD().mapPartitions(payloads -> Sums.ofPayloads(payloads)).collect();
    input.cluster.answer.check(sums);
    return sums;
  }
}
