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
 * Columns out: code of the user's, in tasks, sums the four columns of each partition. By the columns that Spark has; by
 * columns that are made of rows with its public API; by rows; and by Spark's own way to Arrow, which its Python workers
 * are fed by and which it does not promise to keep. The source is the same for all, Spark's columnar cache by default,
 * as the cheapest that Spark has.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 30, time = 2) // the driver plans each query anew, and is warm only then
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class SparkOut {
  /** What is read. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Input {
    /** One that {@link Tables} has. */
    @Param("cache") String source;

    private Cluster cluster;
    private Dataset<Row> table;

    @Setup
    public void open(Cluster newCluster, Tables tables) throws IOException {
      cluster = newCluster;
      table = tables.of(source);
    }

    /** A new query, so that none has the plan of one before. */
    Dataset<Row> query() {
      return table.select(col("id"), col("key"), col("value"), col("other"));
    }
  }

  /** Has columns made of rows. */
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
