// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.AdbcSource;
import org.arbalest.spark.ColumnTask;
import org.arbalest.spark.DataFrames;

/**
 * A program for {@code spark-submit}, which prints its results. Its arguments are the library of DuckDB and an empty
 * folder.
 */
public final class ClusterProgram {
  private static final Schema DOUBLED = Schema.of(Field.of("doubled", DataType.INT64));

  private ClusterProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (SparkSession spark = SparkSession.builder().appName("cluster").getOrCreate()) {
      var removed = new AtomicInteger();
      spark.sparkContext().addSparkListener(new SparkListener() {
        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
          removed.incrementAndGet();
        }
      });
      awaitTwo(spark);
      print("driver", here());
      print("executors", onExecutors(spark));
      Dataset<Row> ids = spark.read().format("arbalest").option("source", Ids.class.getName()).load();
      print("rows", ids.filter("id % 1000 = 1").count());
      print("columns", DataFrames.columns(ids, (_, columns) -> sum(columns)).collect());
      print("mapColumns", sum(DataFrames.mapColumns(ids, DOUBLED, ClusterProgram::doubled)));
      Dataset<Row> table = spark.read().format("arbalest").option("source", AdbcSource.class.getName())
          .option("driver", arguments[0]).option("entrypoint", "duckdb_adbc_init").option("database.path", ":memory:")
          .option("query", "SELECT range AS id FROM range(4000)").option("partitionColumn", "id")
          .option("lowerBound", 0).option("upperBound", 4000).option("numPartitions", 4).load();
      print("DuckDB", sum(table));
      String folder = arguments[1];
      print("killed", sum(DataFrames.mapColumns(table, DOUBLED, (task, columns) -> {
        if (task.partition() == 0) dieOnce(folder);
        return doubled(task, columns);
      })));
      spark.sparkContext().listenerBus().waitUntilEmpty(60_000);
      print("removed", removed.get());
      print("later", sum(table));
    }
  }

  private static void print(String what, Object value) {
    System.out.println(what + ": " + value);
  }

  /** Waits for both executors, because Spark starts with the first. */
  private static void awaitTwo(SparkSession spark) throws InterruptedException {
    while (spark.sparkContext().statusTracker().getExecutorInfos().length < 3) Thread.sleep(20); // with the driver
  }

  /** Returns the distinct answers of {@link #here} on executors. */
  private static List<String> onExecutors(SparkSession spark) {
    return new JavaSparkContext(spark.sparkContext()).parallelize(Collections.nCopies(16, 0), 16).map(_ -> {
      Thread.sleep(20); // so that both executors run some tasks
      return here();
    }).distinct().collect();
  }

  /** Returns the jar of the library's classes, whether it may call native code, and the devices that have a module. */
  private static String here() {
    String jar = Path.of(DataFrames.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getFileName()
        .toString();
    List<String> unknown = List.of(DeviceType.CUDA, DeviceType.ROCM, DeviceType.OPENCL).stream()
        .filter(type -> Devices.availability(type).toString().contains("no backend for")).map(DeviceType::name)
        .toList();
    boolean isToml = AdbcDriver.class.getClassLoader().getResource("org/tomlj/Toml.class") != null;
    return jar + (DataFrames.class.getModule().isNativeAccessEnabled() ? ", native access" : "") + ", missing "
        + unknown
        + (isToml ? ", with tomlj" : "");
  }

  private static long sum(Dataset<Row> rows) {
    return rows.groupBy().sum().collectAsList().getFirst().getLong(0);
  }

  private static long sum(RecordBatchReader columns) {
    var sum = new LongAdder();
    columns.forEach(batch -> sum.add(LongStream.of(batch.column(0).toLongArray()).sum()));
    return sum.sum();
  }

  private static RecordBatchReader doubled(ColumnTask task, RecordBatchReader columns) {
    return RecordBatchReader.of(DOUBLED, () -> {
      try (RecordBatch batch = columns.next()) {
        if (batch == null) return null;
        try (BatchBuilder made = BatchBuilder.of(Devices.cpu(), (int) batch.length())) {
          made.column(DOUBLED.field("doubled"))
              .appendAll(LongStream.of(batch.column(0).toLongArray()).map(id -> 2 * id).toArray());
          return made.build();
        }
      }
    });
  }

  /** Kills this process as a crash does, the first time. */
  private static void dieOnce(String folder) throws IOException, InterruptedException {
    Path died = Path.of(folder, "died");
    if (Files.exists(died)) return;
    Files.createFile(died);
    new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
  }
}
