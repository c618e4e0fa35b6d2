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

/** A device of this executor, with its pool and its places for tasks. */
final class ExecutorDevice {
  private static final long LOOK_MILLIS = 100;

  /** The number of looks, ten seconds in all, after which a warning reports the wait. */
  private static final long WARNING_LOOKS = 100;

  /**
   * The key of a device. All tasks of one executor have the same settings, but in local mode one context may follow
   * another.
   */
  private record Use(Device device, DeviceSettings settings) {}

  private static final Map<Use, ExecutorDevice> ALL = new ConcurrentHashMap<>();

  private final Device device;
  private final MemoryPool pool;
  private final Semaphore places;

  /** The number of tasks that use the device. Guarded by this object's monitor. */
  private int tasks;

  ExecutorDevice(Device device, DeviceSettings settings) {
    this.device = device;
    this.pool = MemoryPool.of(device.memory(), settings.poolBytes());
    // Spark itself limits the number of tasks on the CPU
    this.places = new Semaphore(device.type().equals(DeviceType.CPU) ? Integer.MAX_VALUE : settings.tasks(), true);
  }

  /** Returns the device for a task. */
  static ExecutorDevice of(TaskContext task) {
    DeviceSettings settings = DeviceSettings.of(SparkEnv.get().conf());
    ResourceInformation assigned = task.resourcesJMap().get(settings.resource());
    Device device = settings.device(assigned == null ? List.of() : List.of(assigned.addresses()));
    return ALL.computeIfAbsent(new Use(device, settings), _ -> {
      String choice = settings.choice(device);
      if (choice != null) System.getLogger(ExecutorDevice.class.getName()).log(System.Logger.Level.INFO, choice);
      return new ExecutorDevice(device, settings);
    });
  }

  Device device() {
    return device;
  }

  MemoryPool pool() {
    return pool;
  }

  /** Waits for a place, which {@link #leave} releases. The wait ends if the task is killed. */
  void enter(TaskContext task) {
    long looks = 0;
    try {
      while (!places.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (++looks == WARNING_LOOKS)
          System.getLogger(ExecutorDevice.class.getName()).log(System.Logger.Level.WARNING, waits(task));
        if (task.isCompleted())
          throw new IllegalStateException("the task " + task.taskAttemptId() + " has ended, so it cannot use a device");
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
        + " other tasks have until they end; if these wait for memory of this task, none can continue: request "
        + "the device before the first batch is pulled";
  }

  /**
   * Releases the task's place. The last task also releases the pool's memory, because it is unknown whether another
   * task will follow.
   */
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
