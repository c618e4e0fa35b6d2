// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how Spark reads columns. A query groups all rows by a key of 100 values and aggregates each of the four
 * columns; the time includes its planning. The sources have the same rows:
 *
 * <ul>
 * <li>device arrays in native memory,
 * <li>Spark's own vectors in native memory,
 * <li>Spark's cache, compressed or not, which such a query reads by rows, although the cache has columns,
 * <li>Parquet files that were just written.
 * </ul>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(2)
public class SparkIn {
  /** The table that is queried. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Input {
    @Param({"arbalest", "vectors", "cache", "plain-cache", "parquet"}) String source;

    private Cluster cluster;
    private Dataset<Row> table;

    @Setup
    public void open(Cluster newCluster, Tables tables) throws IOException {
      cluster = newCluster;
      table = tables.of(source);
    }
  }

  @Benchmark
  public List<Row> groupBy(Input input) {
    List<Row> groups = input.table.groupBy("key")
        .agg(count(lit(1)), sum(col("id")), sum(col("value")), max(col("other"))).collectAsList();
    input.cluster.answer.check(groups);
    return groups;
  }
}
