// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * What core needs to copy from and to <em>pageable</em> memory, main memory that the device does not reach by itself,
 * for a runtime whose own copies of it let their caller wait: pinned memory, which pieces go by way of, and functions
 * in a queue, which fill and empty it on the CPU. One object for all drivers of a device, which share what core makes
 * of it.
 */
public interface HostStaging {
  /** Main memory that the device reaches directly. Core takes some slots out of it, which it keeps. */
  HostMemory pinnedMemory();

  /**
   * Queues a task, and returns before it is done.
   *
   * @throws org.arbalest.device.DeviceException if it is not queued
   */
  void runOnHost(long queue, HostTask task);

  /** Whether the device itself reaches pageable memory, as fast as it can: then that is treated like pinned memory. */
  boolean reachesPageable();

  /**
   * Whether {@link DeviceDriver#copy(long, CopyBatch)} is one call of the runtime. If not, small pieces of pinned
   * memory, too, are gathered in a slot first: each call has its price.
   */
  boolean copiesBatches();
}
