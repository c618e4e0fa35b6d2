// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;

/**
 * A task of Spark's that reads or makes columns, on an executor; and the device that it may use.
 *
 * <p>The device is {@code spark.arbalest.device}: {@code cuda}, {@code rocm}, {@code opencl} or {@code cpu}, or the
 * first of these that is there, which is the default, {@code auto}. Of several it is the one whose address Spark has
 * assigned to the task, of its resource {@code gpu}: a number, an UUID, or a PCI bus id; the first, if there is none
 * assigned. At most {@code spark.arbalest.device.tasks} tasks of an executor, 2 by default, use one at the same time,
 * from where they first ask for it to their end: others wait.
 */
public interface ColumnTask {
  /** Which of the partitions it is about, counted from 0. */
  int partition();

  /** How many times this partition was tried before. */
  int attempt();

  /** Spark's number of this attempt, which no other has. */
  long taskAttemptId();

  /**
   * The device, for which this may wait.
   *
   * @throws IllegalStateException if what the configuration asks for is not there: why
   */
  Device device();

  /**
   * A stream of the task's on its device, which is closed at the end of the task, when its readers are. For
   * {@link #device()} it may wait.
   */
  DeviceStream stream();

  /**
   * A pool of the device's memory that all tasks of the executor share, of at most {@code spark.arbalest.device.pool}
   * bytes, {@code 1g} by default. What is taken of it, the task gives back; when no task uses the device any more it
   * keeps nothing. For {@link #device()} this may wait.
   */
  MemoryManager memory();

  /**
   * The same columns on the task's device: each batch is copied into {@link #memory()}, in the order of
   * {@link #stream()}, when it is pulled; the copy goes on while the next is made, so wait for what was computed behind
   * the last, not behind each. On the CPU it is the reader itself. The reader passes to the result, which the task
   * closes.
   */
  DeviceArrayReader onDevice(DeviceArrayReader columns);
}
