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

/** The table as Spark has it: filled with what our source has, in partitions of the same rows. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class Tables {
  private Cluster cluster;
  private @Nullable Path folder;

  @Setup
  public void in(Cluster newCluster) {
    cluster = newCluster;
  }

  /** By its name in a benchmark's parameter. */
  Dataset<Row> of(String source) throws IOException {
    return switch (source) {
      case "arbalest" -> cluster.kept();
      case "filtered" -> cluster.kept().where("id >= 0"); // all of it, and in rows, as Spark filters them
      case "vectors" -> vectors();
      case "cache" -> cached(true);
      case "plain-cache" -> cached(false);
      case "parquet" -> parquet();
      default -> throw new IllegalArgumentException("no source " + source);
    };
  }

  /** In Spark's own vectors, which the first count makes. */
  private Dataset<Row> vectors() {
    Dataset<Row> table = cluster.spark.read().format(SparkVectors.class.getName()).option("rows", cluster.rows).load();
    table.count();
    return table;
  }

  /** In Spark's columnar cache, in the executors' heaps. */
  private Dataset<Row> cached(boolean isCompressed) {
    cluster.spark.conf().set("spark.sql.inMemoryColumnarStorage.compressed", isCompressed);
    Dataset<Row> table = cluster.kept().persist(StorageLevel.MEMORY_ONLY());
    table.count();
    for (RDDInfo info : cluster.spark.sparkContext().getRDDStorageInfo()) {
      if (info.numCachedPartitions() < info.numPartitions())
        throw new IllegalStateException("there was no room for the table: " + info);
    }
    return table;
  }

  /** In files, which the operating system has in memory. */
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
