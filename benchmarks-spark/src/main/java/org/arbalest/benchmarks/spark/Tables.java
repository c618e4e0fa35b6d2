// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The table in Spark, filled from the library's source, with the same rows in each partition. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class Tables {
  private Cluster cluster;
  private @Nullable Path folder;

  @Setup
  public void in(Cluster newCluster) {
    cluster = newCluster;
  }

  /** Returns the table of a benchmark's parameter. */
  Dataset<Row> of(String source) throws IOException {
    return switch (source) {
      case "arbalest" -> cluster.kept();
      case "filtered" -> cluster.kept().where("id >= 0"); // keeps all rows, but as rows, since Spark filters rows
      case "vectors" -> vectors();
      case "cache" -> cached(true);
      case "plain-cache" -> cached(false);
      case "parquet" -> parquet();
      default -> throw new IllegalArgumentException("unknown source " + source);
    };
  }

  /** Returns the table in Spark's own vectors, which the first count makes. */
  private Dataset<Row> vectors() {
    Dataset<Row> table = cluster.spark.read().format(SparkVectors.class.getName()).option("rows", cluster.rows).load();
    table.count();
    return table;
  }

  /** Returns the table in Spark's columnar cache, in the heaps of the executors. */
  private Dataset<Row> cached(boolean isCompressed) {
    cluster.spark.conf().set("spark.sql.inMemoryColumnarStorage.compressed", isCompressed);
    Dataset<Row> table = cluster.kept().persist(StorageLevel.MEMORY_ONLY());
    table.count();
    for (RDDInfo info : cluster.spark.sparkContext().getRDDStorageInfo()) {
      if (info.numCachedPartitions() < info.numPartitions())
        throw new IllegalStateException("Spark's cache does not hold the whole table in memory: " + info);
    }
    return table;
  }

  /** Returns the table in Parquet files, which the operating system keeps in memory. */
  private Dataset<Row> parquet() throws IOException {
    Path made = Files.createTempDirectory("arbalest-benchmarks");
    folder = made;
    String table = made.resolve("table").toString();
    cluster.kept().write().parquet(table);
    return cluster.spark.read().parquet(table);
  }

  @TearDown
  public void delete() throws IOException {
    if (folder == null) return;
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) Files.delete(each);
    }
  }
}
