// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A Spark cluster whose executors run in separate JVMs with one core each, and all have the table in native memory. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class Cluster {
  @Param("2") int executors;

  @Param("20000000") long rows;

  SparkSession spark;
  Answer answer;

  @Setup
  public void start() {
    answer = Answer.of(rows);
    spark = SparkSession.builder()
        .master("local-cluster[" + executors + ",1,2048]")
        .appName("benchmarks")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "2g") // so that Spark's cache has space for the table
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
        .config("spark.executorEnv.JAVA_HOME", System.getProperty("java.home")) // Maven may run on an older JDK
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.files.minPartitionNum", KeptBatches.PARTITIONS) // one file for each partition
        .getOrCreate();
    fill();
  }

  /** Makes the table in each executor, so that the measurements do not include it. */
  private void fill() {
    Set<Long> seen = new HashSet<>();
    long most = rows;
    long start = System.nanoTime();
    while (seen.size() < executors) {
      if (System.nanoTime() - start > 120e9)
        throw new IllegalStateException("only " + seen.size() + " of " + executors + " executors ran a task");
      List<Integer> tasks = IntStream.range(0, 4 * executors).boxed().toList();
      seen.addAll(JavaSparkContext.fromSparkContext(spark.sparkContext()).parallelize(tasks, tasks.size())
          .map(_ -> filled(most)).collect());
    }
  }

  private static long filled(long rows) throws InterruptedException {
    KeptBatches.of(rows, 0);
    Thread.sleep(20); // so that the other executors receive tasks too
    return ProcessHandle.current().pid();
  }

  /** Returns the table of the library's source. */
  Dataset<Row> kept() {
    return spark.read().format("arbalest").option("source", KeptColumns.class.getName()).option("rows", rows).load();
  }

  @TearDown
  public void stop() {
    spark.stop();
  }
}
