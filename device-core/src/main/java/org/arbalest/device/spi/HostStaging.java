// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * The means by which core copies from and to <em>pageable</em> memory, main memory that the device does not access by
 * itself. It is for a runtime whose own copies of such memory block their caller. Core moves the data in pieces through
 * pinned memory; functions in a queue fill and empty that memory on the CPU.
 *
 * <p>All drivers of a device return the same object, and share the resources that core creates for it. Core may call
 * the methods from any thread.
 */
public interface HostStaging {
  /** Returns main memory that the device accesses directly. Core allocates some slots from it, and keeps them. */
  HostMemory pinnedMemory();

  /**
   * Queues a task, and returns before it is done.
   *
   * @throws org.arbalest.device.DeviceException if the task could not be queued
   */
  void runOnHost(long queue, HostTask task);

  /**
   * Returns whether the device itself accesses pageable memory at full speed. Core then treats it like pinned memory.
   */
  boolean reachesPageable();

  /**
   * Returns whether {@link DeviceDriver#copy(long, CopyBatch)} is one call of the runtime. If not, core also gathers
   * small pieces of pinned memory in a slot first, because each call is expensive.
   */
  boolean copiesBatches();
}
