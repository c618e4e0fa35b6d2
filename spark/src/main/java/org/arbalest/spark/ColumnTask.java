// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatchReader;

/**
 * A Spark task on an executor that reads or makes columns, and the device that it may use.
 *
 * <p>Executors read these settings from the configuration of the application; a session cannot change them:
 *
 * <ul>
 *   <li>{@code spark.arbalest.device}: {@code cuda}, {@code rocm}, {@code opencl}, {@code cpu} or {@code auto}. The
 *       default, {@code auto}, takes the first of these types that is available, in this order.
 *   <li>{@code spark.arbalest.device.resource}: the name of the Spark resource that assigns devices to tasks,
 *       {@code gpu} by default. The first assigned address selects the device. It is a number, {@code GPU-} and a UUID,
 *       or a PCI bus id. Without an assigned address, the task uses the first device.
 *   <li>{@code spark.arbalest.device.tasks}: the number of tasks of an executor that use one device at the same time, 2
 *       by default. A task takes its place when it first needs the device, and keeps it until it ends. Other tasks
 *       wait. After 10 seconds the wait is logged. Tasks on the CPU do not wait.
 *   <li>{@code spark.arbalest.device.pool}: the size of the pool of {@link #memory()} in bytes, {@code 1g} by default.
 *   <li>{@code spark.arbalest.leaks}: {@code off}, {@code log} or {@code fail}, {@code off} by default. {@code log} and
 *       {@code fail} check for objects that tasks left open. The check runs when a task ends and no other task of the
 *       executor uses columns. It waits up to 2 seconds for objects that other threads release. It reports each leak
 *       once: {@code log} logs a warning, {@code fail} fails the task.
 * </ul>
 *
 * <p>If {@code spark.memory.offHeap.enabled} is set, Spark counts a task's columns in main memory as off-heap memory.
 * The count lags by at most one batch, because the task reports memory once for each batch, when its size is known. If
 * Spark has too little off-heap memory, the pull fails with a {@link org.arbalest.device.DeviceException} that has
 * {@code ENOMEM}.
 */
public interface ColumnTask {
  /** Returns the number of the partition that the task processes, from 0. */
  int partition();

  /** Returns the number of earlier attempts of this partition: 0 at the first attempt. */
  int attempt();

  /** Returns Spark's number of this attempt, which is unique in the application. */
  long taskAttemptId();

  /**
   * Returns the task's device.
   *
   * <p>The first call blocks until the task has a place on the device.
   *
   * @throws IllegalStateException if the configured device is not available on the executor, with the reason; or if the
   *     task is over
   * @throws IllegalArgumentException if a setting, or the address that Spark assigned, is invalid
   */
  Device device();

  /**
   * Returns the task's stream on its device.
   *
   * <p>The task owns the stream and closes it when the task ends, after the task's readers.
   *
   * <p>The first call blocks like {@link #device()}.
   */
  DeviceStream stream();

  /**
   * Returns the memory for the task's arrays on its device.
   *
   * <p>On a GPU this is a pool that all tasks of the executor share, of at most {@code spark.arbalest.device.pool}
   * bytes. The task releases all memory that it takes from the pool. When no task uses the device, the pool keeps no
   * memory. On the CPU it is main memory.
   *
   * <p>The first call blocks like {@link #device()}.
   */
  MemoryManager memory();

  /**
   * Returns a reader of the same columns on the task's device.
   *
   * <p>Each pull copies one batch into {@link #memory()}, in the order of {@link #stream()}. The copy still runs while
   * the next batch is made. So wait for results once, after the last batch, and not after each batch. On the CPU this
   * method returns the reader itself.
   *
   * <p>The result takes over the reader. The task closes the result.
   *
   * @param columns the reader, which passes to the result
   */
  RecordBatchReader onDevice(RecordBatchReader columns);
}
