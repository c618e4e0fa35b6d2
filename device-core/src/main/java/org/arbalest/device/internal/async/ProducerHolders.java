// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.jspecify.annotations.Nullable;

/**
 * The references to the producer struct: one of the stream, until the handler is released, and one of each task that is
 * not extracted. The tasks have one because some consumers request more while they drain the stream (ASY-22). The
 * release of the last reference frees the struct.
 */
final class ProducerHolders {
  private final ProducerBlock block;

  /**
   * The number of announced tasks, written by the acting thread. Extracted tasks are counted separately, because
   * another thread writes that memory.
   */
  private long announced;

  private final AtomicLong extracted = new AtomicLong();

  /** The total number of tasks after the end of the stream, or −1 before it. */
  private volatile long all = -1;

  private final AtomicBoolean freed = new AtomicBoolean();

  /** The tasks that are not extracted, if the consumer may drop some. */
  private final @Nullable Set<TaskExport> tasks;

  /** Creates the struct, whose calls lead to {@code holder}, with the stream's reference to it. */
  ProducerHolders(HeldByC holder, AsyncSchema schema, Set<AsyncQuirk> quirks) {
    tasks = quirks.contains(AsyncQuirk.DROPS_TASKS) ? ConcurrentHashMap.newKeySet() : null;
    // last, because no later failure may leave the block allocated
    block = new ProducerBlock(holder, schema, quirks.contains(AsyncQuirk.PRODUCER_HAS_RELEASE));
  }

  ProducerBlock block() {
    return block;
  }

  /** Adds the reference of an announced task. */
  void retain(TaskExport task) {
    announced++;
    if (tasks != null) tasks.add(task);
  }

  /**
   * Returns the number of tasks that are announced and not extracted; for a recording. It may see an older number of
   * announced tasks.
   */
  long waiting() {
    return Math.max(0, announced - extracted.get());
  }

  /** Releases the reference of a task. */
  void leave(TaskExport task) {
    if (tasks != null) tasks.remove(task);
    extracted.incrementAndGet();
    freeIfLeft();
  }

  /** Releases the stream's reference at its end. No more tasks are announced. */
  void leave() {
    all = announced;
    freeIfLeft();
  }

  /**
   * Frees the struct if no reference is left. Called after each change of either number, so that the thread that makes
   * the last change sees both.
   */
  private void freeIfLeft() {
    if (all == extracted.get() && freed.compareAndSet(false, true)) block.free();
  }

  /** Closes the tasks that the consumer may have dropped. */
  void discardTasks() {
    if (tasks != null) tasks.forEach(TaskExport::discard);
  }
}
