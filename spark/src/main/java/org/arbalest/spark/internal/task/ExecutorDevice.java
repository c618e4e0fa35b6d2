// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.resource.ResourceInformation;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryPool;

/** A device of this executor's: its pool, and places for tasks. */
final class ExecutorDevice {
  private static final long LOOK_MILLIS = 100;

  /** After ten seconds a wait is told. */
  private static final long WARNING_LOOKS = 100;

  /** Of one executor all have the same settings; in local mode one context may follow another. */
  private record Use(Device device, DeviceSettings settings) {}

  private static final Map<Use, ExecutorDevice> ALL = new ConcurrentHashMap<>();

  private final Device device;
  private final MemoryPool pool;
  private final Semaphore places;

  /** How many tasks use it. Under this object's monitor. */
  private int tasks;

  ExecutorDevice(Device device, DeviceSettings settings) {
    this.device = device;
    this.pool = MemoryPool.of(device.memory(), settings.poolBytes());
    // Spark itself limits what a CPU does
    this.places = new Semaphore(device.type().equals(DeviceType.CPU) ? Integer.MAX_VALUE : settings.tasks(), true);
  }

  /** The one for a task. */
  static ExecutorDevice of(TaskContext task) {
    DeviceSettings settings = DeviceSettings.of(SparkEnv.get().conf());
    ResourceInformation assigned = task.resourcesJMap().get(settings.resource());
    Device device = settings.device(assigned == null ? List.of() : List.of(assigned.addresses()));
    return ALL.computeIfAbsent(new Use(device, settings), _ -> new ExecutorDevice(device, settings));
  }

  Device device() {
    return device;
  }

  MemoryPool pool() {
    return pool;
  }

  /** Waits for a place; {@link #leave} gives it back. A task that is killed waits no more. */
  void enter(TaskContext task) {
    long looks = 0;
    try {
      while (!places.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (++looks == WARNING_LOOKS)
          System.getLogger(ExecutorDevice.class.getName()).log(System.Logger.Level.WARNING, waits(task));
        if (task.isCompleted())
          throw new IllegalStateException("the task " + task.taskAttemptId() + " is over, and uses no device any more");
        if (task.isInterrupted()) throw new TaskKilledException("killed while it waited for " + device);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new TaskKilledException("interrupted while it waited for " + device);
    }
    synchronized (this) {
      tasks++;
    }
  }

  private String waits(TaskContext task) {
    return "task " + task.taskAttemptId() + " waits for a place on " + device + ", which " + DeviceSettings.TASKS
        + " other tasks have until they end; if these wait for memory that this one holds, neither goes on: ask for "
        + "the device before the first batch is pulled";
  }

  /** The last gives back what the pool keeps: nobody knows whether there will be another. */
  void leave() {
    places.release();
    boolean isLast;
    synchronized (this) {
      tasks--;
      isLast = tasks == 0;
    }
    if (isLast) pool.trim();
  }
}
