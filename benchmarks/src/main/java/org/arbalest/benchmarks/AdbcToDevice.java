// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.DuckDbDriver;
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
 * Measures the time until the last batch of a DuckDB query of 400,000 rows is in the pooled memory of an OpenCL device:
 * with copies ahead, and with query and copies one after the other. The two parts are also measured alone.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class AdbcToDevice {
  /** The query: a table's columns unchanged, or sorted, which is more work for the query. */
  @Param({"SELECT * FROM flights", "SELECT * FROM flights ORDER BY origin, delay"}) String sql;

  /** DuckDB's threads. With as many threads as cores, the copying thread takes a core from the query. */
  @Param({"1", "2"}) int threads;

  private AdbcDatabase database;
  private AdbcConnection connection;
  private DeviceStream stream;
  private MemoryPool pool;
  private List<RecordBatch> result;

  @Setup
  public void open() throws Exception {
    Device device = Devices.device(DeviceType.OPENCL, 0);
    stream = device.createStream();
    pool = MemoryPool.of(device.memory(), 1L << 30);
    database = DuckDbDriver.open();
    connection = database.connect();
    connection.execute(FlightsTable.create());
    connection.execute("SET threads = " + threads);
    result = pull(connection.query(sql));
  }

  @TearDown
  public void close() {
    closeAll(result);
    connection.close();
    database.close();
    stream.close();
    pool.close();
  }

  /** Copies the batches while the query runs. */
  @Benchmark
  public int ahead() {
    return await(pull(connection.query(sql).copyTo(pool, stream, 2)));
  }

  /** Copies each batch when it arrives. */
  @Benchmark
  public int inPlace() {
    return await(pull(connection.query(sql).copyTo(pool, stream, 0)));
  }

  /** Runs the whole query, and then makes all copies. */
  @Benchmark
  public int oneAfterTheOther() {
    List<RecordBatch> batches = pull(connection.query(sql));
    List<RecordBatch> copies = copy(batches);
    int count = await(copies);
    closeAll(batches);
    return count;
  }

  @Benchmark
  public int queryAlone() {
    List<RecordBatch> batches = pull(connection.query(sql));
    closeAll(batches);
    return batches.size();
  }

  @Benchmark
  public int copiesAlone() {
    return await(copy(result));
  }

  private static List<RecordBatch> pull(RecordBatchReader reader) {
    var batches = new ArrayList<RecordBatch>();
    try (reader) {
      for (RecordBatch batch = reader.next(); batch != null; batch = reader.next()) batches.add(batch);
    }
    return batches;
  }

  private List<RecordBatch> copy(List<RecordBatch> batches) {
    var copies = new ArrayList<RecordBatch>();
    for (RecordBatch batch : batches) copies.add(batch.copyTo(pool, stream));
    return copies;
  }

  /** Waits for the copies, closes them, and returns their number. */
  private static int await(List<RecordBatch> copies) {
    for (RecordBatch copy : copies) copy.synchronize();
    closeAll(copies);
    return copies.size();
  }

  private static void closeAll(List<RecordBatch> arrays) {
    for (RecordBatch array : arrays) array.close();
  }
}
