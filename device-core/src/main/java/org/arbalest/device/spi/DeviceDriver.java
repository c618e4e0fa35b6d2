// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import java.util.OptionalLong;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The calls into one device's runtime, on raw handles: memory, ordered queues, and events. An event is a point in a
 * queue.
 *
 * <p>A driver translates calls and owns nothing. Core counts references, takes locks, keeps memory alive and rejects
 * use after close.
 *
 * <p>Core may call every method from any thread. Each method sets the context that the runtime needs, and restores the
 * previous one (DEV-10).
 *
 * <p>A method that fails throws a {@link org.arbalest.device.DeviceException}. Its message names the call, the device,
 * the code and the request (DEV-14).
 *
 * <p>A device that completes all work before a call returns implements {@link SynchronousDriver} instead.
 */
public interface DeviceDriver extends MemoryAllocator {
  /**
   * Returns the memory that the CPU and this device both access, if it is not the device's own memory; otherwise null.
   */
  default @Nullable HostMemory hostMemory() {
    return null;
  }

  /**
   * Returns how this memory is shared with other processes, or null if it is not. Each driver always returns the same
   * object.
   */
  default @Nullable ProcessSharing sharing() {
    return null;
  }

  /**
   * Makes memory of this device readable and writable for the CPU until {@link #unmap}. The caller has waited for all
   * work that is queued on the memory.
   *
   * @return the address for the CPU, or 0 if this device cannot map memory
   */
  default long map(long address, long bytes) {
    return isCpuAccessible() ? address : 0;
  }

  /** Ends {@link #map}. When this method returns, the device sees all that the CPU wrote. */
  default void unmap(long address, long bytes) {}

  /** Creates a queue. Its work runs in order, and waits for nothing except the events passed to {@link #waitFor}. */
  long createQueue();

  /** Releases a queue without waiting; the work that is in it still completes. */
  void destroyQueue(long queue);

  /**
   * Blocks until all work in a queue is done. Throws if any of it failed. Throws with {@code EAGAIN} if the runtime
   * cannot answer for now (DEV-24).
   */
  void synchronizeQueue(long queue);

  /**
   * Returns whether all work in a queue is done; does not wait. A failed queue is idle: it does no more work. Core
   * calls this, among other places, before it releases memory by a call that waits for the device
   * ({@link #cacheBytes}).
   */
  default boolean isIdle(long queue) {
    return true;
  }

  /**
   * Returns whether a queue is being captured. Work that enters a captured queue becomes part of a graph: it does not
   * run now, and its events never complete. The query must not invalidate the capture.
   */
  default boolean isCaptured(long queue) {
    return false;
  }

  /**
   * Rejects a queue of the application that this device cannot use, such as one whose work runs out of order. A handle
   * that is no queue may end the process.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} and the reason
   */
  default void checkQueue(long queue) {}

  /**
   * Returns a queue that each thread may use, and whose next event completes after all work that is in a queue then. It
   * differs from that queue only if the handle is another queue on each OS thread, as the per-thread default stream of
   * CUDA and HIP is. Core accepts such a handle only on the platform thread that wrapped it, and orders in the returned
   * queue what another thread releases (DEV-63).
   */
  default long queueForAnyThread(long queue) {
    return queue;
  }

  /**
   * Returns the runtime's own queue for code that names none, such as CUDA's legacy default stream. A tensor that is
   * imported without a stream is ready in this queue. Empty if the runtime has no such queue, or if the memory is main
   * memory.
   */
  default OptionalLong runtimeQueue() {
    return OptionalLong.empty();
  }

  /**
   * Returns an allocator whose allocations and frees are ordered in a queue, without a wait. Work that is queued after
   * the allocation may use the memory, until the free. Null if this device has no such allocator; then memory from
   * {@link #allocate} serves the same purpose.
   */
  default @Nullable MemoryAllocator orderedBy(long queue) {
    return null;
  }

  /**
   * Pins pages that the caller allocated, so that this device accesses them like its {@link #hostMemory}.
   *
   * @throws org.arbalest.device.DeviceException with {@code ENOSYS} if the device cannot pin memory, {@code EINVAL} if
   *     the pages are pinned already
   */
  default void pin(long address, long bytes) {
    throw new org.arbalest.device.DeviceException(org.arbalest.device.Errno.ENOSYS,
        "this device cannot pin existing memory");
  }

  /** Ends {@link #pin}. No queued work uses the memory any more. The call may wait for the device nevertheless. */
  default void unpin(long address, long bytes) {}

  /**
   * Queues a copy, and returns before it is done. Each address belongs to this device, to the CPU, or to a device for
   * which {@link #reaches} returns true. The ranges do not overlap, and both stay valid until the copy is done. Where
   * {@link #hostStaging} is not null, core passes copies between two devices as a {@link CopyBatch}.
   */
  void copy(long queue, long to, long from, long bytes);

  /**
   * Queues many copies that do not depend on each other, each as {@link #copy(long, long, long, long)} does. A driver
   * makes one call where the runtime has one for many copies.
   */
  default void copy(long queue, CopyBatch batch) {
    for (int i = 0; i < batch.count(); i++) copy(queue, batch.to(i), batch.from(i), batch.bytes(i));
  }

  /**
   * Does the work of {@link #copy(long, CopyBatch)} and then of {@link #record}. A driver overrides it where the change
   * to the device is expensive, so that both calls need one change.
   */
  default long copyAndRecord(long queue, CopyBatch batch) {
    copy(queue, batch);
    return record(queue);
  }

  /**
   * Does the work of {@link #copy(long, CopyBatch)} and then of {@link HostStaging#runOnHost}, with one change to the
   * device. Core calls it only where {@link #hostStaging} is not null.
   */
  default void copyAndRun(long queue, CopyBatch batch, HostTask task) {
    copy(queue, batch);
    Objects.requireNonNull(hostStaging()).runOnHost(queue, task);
  }

  /**
   * Returns how core copies from and to pageable memory, for a runtime whose own copies of such memory block the
   * caller. Core then calls {@link #copy(long, long, long, long)} for pageable memory only while all slots of core are
   * in use. Null if the runtime copies pageable memory like any other.
   */
  default @Nullable HostStaging hostStaging() {
    return null;
  }

  /**
   * Returns the device's count of ones in bitmaps. The call may load code to the device, which may wait for its other
   * work. Null if the device has none, or cannot load it here: core then copies the bitmaps to main memory.
   */
  default @Nullable BitCounter bitCounter() {
    return null;
  }

  /**
   * Returns whether {@link #copy} reads and writes memory of another device, and {@link #waitFor} accepts its events.
   */
  default boolean reaches(DeviceType type, long id) {
    return false;
  }

  /**
   * Creates an event that completes when all work that is in the queue now is done.
   *
   * @return the handle to which a {@code sync_event} points (DEV-03), or 0 if all work is done and a wait is
   *     unnecessary
   */
  long record(long queue);

  /** Releases an event, also one that has not completed. A queue that waits for it continues to wait. */
  void destroyEvent(long event);

  /**
   * Makes a queue wait for an event before it continues; no thread waits. The event may be destroyed after the call.
   */
  void waitFor(long queue, long event);

  /**
   * Returns whether the runtime reports an event as completed; does not wait. Returns false where the runtime cannot
   * answer for now (DEV-24). Throws only if the event failed: after an exception, the caller may free the memory that
   * the work used.
   */
  boolean isReady(long event);

  /**
   * Returns the runtime's answer for an event. It throws like {@link #isReady}, and also detects an event that was
   * recorded while its queue was captured (DEV-60). Such an event is never reported as complete, and a queue that waits
   * for it becomes part of the capture. A runtime may report the capture only once, so core does not query the event
   * again.
   *
   * @return {@link Answer#DONE}, {@link Answer#CAPTURED}, or another answer if the event has not completed or the
   *     runtime cannot answer
   */
  default Answer ask(long event) {
    return isReady(event) ? Answer.DONE : Answer.NOT_READY;
  }

  /**
   * Blocks until an event has completed. Throws if it failed. Throws with {@code EAGAIN} if the runtime cannot answer
   * for now (DEV-24).
   */
  void synchronizeEvent(long event);

  /**
   * Calls a completion when an event has completed or failed. No thread waits for that.
   *
   * <p>Core keeps the event only until the completion is called. Core may then destroy the event before this method
   * returns. A driver that needs the event after the call must keep it alive itself.
   */
  void onComplete(long event, Completion completion);

  /**
   * Rejects an imported event for which this device cannot wait, such as one of another context.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} and the reason
   */
  default void checkEvent(long event) {}

  /**
   * Rejects an imported buffer address that is recognizably not in this device's memory (DEV-12, DEV-27). Where
   * {@link #checksEachBuffer} is false, the buffer is not empty, as far as core knows.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} and the reason
   */
  default void checkBuffer(long address) {}

  /**
   * Returns whether core calls {@link #checkBuffer} for every buffer of every array, because the check costs almost
   * nothing. If false, core calls it for one buffer of an array that is not empty, and from
   * {@link org.arbalest.device.Validation#BOUNDS} on for all such buffers.
   */
  default boolean checksEachBuffer() {
    return true;
  }
}
