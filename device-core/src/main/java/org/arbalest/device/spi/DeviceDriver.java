// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The calls into one device's runtime, over raw handles: memory, queues that work in order, and events, which are
 * points in a queue.
 *
 * <p>A driver moves numbers and owns nothing: counting, locking, keeping alive and refusing use after close is core's
 * work. Every method may be called from any thread, and sets whatever context the runtime needs by itself, and restores
 * what was there (DEV-10). A method that fails throws a {@link org.arbalest.device.DeviceException} which names the
 * call, the device, the code and what was asked for (DEV-14).
 *
 * <p>A device that does everything at once implements {@link SynchronousDriver} instead.
 */
public interface DeviceDriver extends MemoryAllocator {
  /** Memory that the CPU and this device reach, if it is another than the device's own; else null. */
  default @Nullable HostMemory hostMemory() {
    return null;
  }

  /** How this memory is shared with other processes; null if it is not. Of the same driver always the same. */
  default @Nullable ProcessSharing sharing() {
    return null;
  }

  /**
   * Makes memory of this device readable and writable for the CPU until {@link #unmap}. The caller has waited for what
   * was queued for it.
   *
   * @return the CPU's address for it, or 0 if this device cannot do that
   */
  default long map(long address, long bytes) {
    return isCpuAccessible() ? address : 0;
  }

  /** Ends {@link #map}: what the CPU wrote is visible to the device when this returns. */
  default void unmap(long address, long bytes) {}

  /** Creates a queue, whose work is done in order, and after nothing that it was not told to wait for. */
  long createQueue();

  /** Gives a queue back without waiting; what is in it is still done. */
  void destroyQueue(long queue);

  /**
   * Blocks until all that is in a queue is done. Throws if any of it failed, or, with {@code EAGAIN}, if the runtime
   * cannot tell (DEV-24).
   */
  void synchronizeQueue(long queue);

  /**
   * Whether all that is in a queue is done; does not wait. It is asked before memory is given back by a call that waits
   * for the device ({@link #cacheBytes}). A queue that has failed is idle: nothing more comes of it.
   */
  default boolean isIdle(long queue) {
    return true;
  }

  /**
   * Whether somebody captures a queue: what is put into it becomes part of a graph, is not done now, and its events
   * never tell. Asking does the capture no harm.
   */
  default boolean isCaptured(long queue) {
    return false;
  }

  /**
   * Where memory comes from whose allocations and frees take their turn in a queue, without a wait: it may be used by
   * what is queued there afterwards, and until the free. Null if this device has none; then what {@link #allocate}
   * gives serves as well.
   */
  default @Nullable MemoryAllocator orderedBy(long queue) {
    return null;
  }

  /**
   * Pins pages that somebody else allocated, so that this device reaches them as it does its {@link #hostMemory}.
   *
   * @throws org.arbalest.device.DeviceException with {@code ENOSYS} if it cannot, {@code EINVAL} if they are pinned
   *     already
   */
  default void pin(long address, long bytes) {
    throw new org.arbalest.device.DeviceException(org.arbalest.device.Errno.ENOSYS,
        "this device pins no memory of others");
  }

  /** Ends {@link #pin}. Nothing that was queued uses the memory any more; may wait for the device nevertheless. */
  default void unpin(long address, long bytes) {}

  /**
   * Queues a copy, and returns before it is done. Each address is this device's, the CPU's, or one of a device that
   * {@link #reaches} says yes to; the ranges do not overlap, and both stay valid until the copy is done. One between
   * two devices is a {@link CopyBatch} where there is {@link #hostStaging}.
   */
  void copy(long queue, long to, long from, long bytes);

  /**
   * Queues many copies, which do not depend on each other: as {@link #copy(long, long, long, long)} does, in one call
   * if the runtime has one for that.
   */
  default void copy(long queue, CopyBatch batch) {
    for (int i = 0; i < batch.count(); i++) copy(queue, batch.to(i), batch.from(i), batch.bytes(i));
  }

  /**
   * Does what {@link #copy(long, CopyBatch)} does, and then what {@link #record} does: for a runtime where changing to
   * the device has its price.
   */
  default long copyAndRecord(long queue, CopyBatch batch) {
    copy(queue, batch);
    return record(queue);
  }

  /**
   * Does what {@link #copy(long, CopyBatch)} does, and then what {@link HostStaging#runOnHost} does, likewise; asked
   * only where there is {@link #hostStaging}.
   */
  default void copyAndRun(long queue, CopyBatch batch, HostTask task) {
    copy(queue, batch);
    Objects.requireNonNull(hostStaging()).runOnHost(queue, task);
  }

  /**
   * How core copies from and to pageable memory, for a runtime that lets the caller wait; then
   * {@link #copy(long, long, long, long)} is asked for such a copy only when all that core has for it is in use. Null
   * if the runtime copies such memory like any other.
   */
  default @Nullable HostStaging hostStaging() {
    return null;
  }

  /** Whether {@link #copy} reads and writes memory of another device, and {@link #waitFor} takes its events. */
  default boolean reaches(DeviceType type, long id) {
    return false;
  }

  /**
   * Creates an event that completes when everything that is in the queue now is done.
   *
   * @return what a {@code sync_event} points to (DEV-03), or 0 if everything is done already and there is nothing to
   *     wait for
   */
  long record(long queue);

  /** Gives an event back, also one that has not completed: what waits for it goes on waiting. */
  void destroyEvent(long event);

  /** Lets a queue wait for an event before it goes on; no thread waits. The event may be destroyed afterwards. */
  void waitFor(long queue, long event);

  /**
   * Whether an event is seen to have completed; does not wait. Not so where the runtime cannot tell now (DEV-24).
   * Throws if it failed, and then only: who asks may free what the work used.
   */
  boolean isReady(long event);

  /**
   * What the runtime says of an event, as {@link #isReady} does, and whether it was recorded while its queue was
   * captured (DEV-60): nobody is told of that one, and a queue that waits for it becomes part of the capture. Asked
   * once, since a runtime may say that once only.
   *
   * @return {@link Answer#DONE}, {@link Answer#CAPTURED}, or another if it has not completed or cannot be told
   */
  default Answer ask(long event) {
    return isReady(event) ? Answer.DONE : Answer.NOT_READY;
  }

  /**
   * Blocks until an event has completed. Throws if it failed, or, with {@code EAGAIN}, if the runtime cannot tell
   * (DEV-24).
   */
  void synchronizeEvent(long event);

  /**
   * Lets somebody be told when an event has completed or failed. No thread waits for that. The event is held until
   * then, and no longer: whoever was told may have it destroyed before this returns, so a driver that needs it
   * afterwards holds it by itself.
   */
  void onComplete(long event, Completion completion);

  /**
   * Refuses an event that came from outside and that this device cannot wait for, such as one of another context.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} and why
   */
  default void checkEvent(long event) {}

  /**
   * Refuses a buffer's address that came from outside and is recognisably none of this device's (DEV-12, DEV-27). Not
   * empty, as far as that is known.
   *
   * @throws org.arbalest.device.DeviceException with {@code EINVAL} and why
   */
  default void checkBuffer(long address) {}

  /**
   * Whether {@link #checkBuffer} is to be asked for every buffer of every array, since it costs next to nothing; else
   * for one that is not empty, and for all of them at full validation.
   */
  default boolean checksEachBuffer() {
    return true;
  }
}
