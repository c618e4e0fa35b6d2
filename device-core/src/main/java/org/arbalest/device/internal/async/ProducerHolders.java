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
 * Who holds the producer struct: the stream, until the handler is released, and each task that is not extracted, since
 * some consumers ask for more while they drain (ASY-22). The last one frees it.
 */
final class ProducerHolders {
  private final ProducerBlock block;

  /**
   * How many tasks were announced; of whoever acts. Counted apart from those that are done with: that is another
   * thread's memory.
   */
  private long announced;

  private final AtomicLong extracted = new AtomicLong();

  /** How many there were all in all, once the stream has ended; before, −1. */
  private volatile long all = -1;

  private final AtomicBoolean freed = new AtomicBoolean();

  /** The tasks that are not extracted, if the consumer may drop some. */
  private final @Nullable Set<TaskExport> tasks;

  /** Makes the struct of {@code holder}, which its calls lead to, and which the stream holds. */
  ProducerHolders(HeldByC holder, AsyncSchema schema, Set<AsyncQuirk> quirks) {
    tasks = quirks.contains(AsyncQuirk.DROPS_TASKS) ? ConcurrentHashMap.newKeySet() : null;
    // last: nothing fails with it in hand
    block = new ProducerBlock(holder, schema, quirks.contains(AsyncQuirk.PRODUCER_HAS_RELEASE));
  }

  ProducerBlock block() {
    return block;
  }

  /** A task is announced. */
  void retain(TaskExport task) {
    announced++;
    if (tasks != null) tasks.add(task);
  }

  /** How many tasks were announced and not extracted; for a recording, which may see an older number of the first. */
  long waiting() {
    return Math.max(0, announced - extracted.get());
  }

  /** It is no longer. */
  void leave(TaskExport task) {
    if (tasks != null) tasks.remove(task);
    extracted.incrementAndGet();
    freeIfLeft();
  }

  /** The stream has ended: no more are announced. */
  void leave() {
    all = announced;
    freeIfLeft();
  }

  /** After a change to one of them; so whoever makes the last sees both. */
  private void freeIfLeft() {
    if (all == extracted.get() && freed.compareAndSet(false, true)) block.free();
  }

  /** Closes the tasks that the consumer may have dropped. */
  void discardTasks() {
    if (tasks != null) tasks.forEach(TaskExport::discard);
  }
}
