// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * The source of the arrays or tasks of an {@link AsyncExport}. The export owns it and calls {@link #stop} once.
 *
 * <p>One thread at a time calls it. There is an exception: {@link #stop} and {@link #discard} may be called while
 * another thread is in {@link #pull}.
 */
interface Feed {
  /** Notes that the stream has begun: the consumer accepted the schema. */
  void start(AsyncExport export);

  /** Receives the total number of tasks that the consumer has requested. */
  void demand(long total);

  /**
   * Receives the total number of tasks that the consumer has requested now, on the consumer's thread. Requests them
   * from the source if no other thread must do so, and if the source delivers nothing before this returns. Otherwise
   * returns false, and the acting thread must request them.
   */
  default boolean ask(long total) {
    return false;
  }

  /**
   * Returns whether {@link #poll} and {@link #isFinished} cannot answer yet, because a thread must wait for the next
   * item.
   */
  boolean isDry();

  /** Waits for the next item. Called only if this feed {@link #isDry}. */
  void pull();

  /** Returns the next task if it is available now. The caller owns it. */
  @Nullable
  TaskExport poll();

  /** Returns whether all tasks were polled and no more tasks will come. */
  boolean isFinished();

  /** Returns the error that ended the source, or null. */
  @Nullable
  Throwable failure();

  /**
   * Stops the source, because no more tasks are needed. A {@link #pull} in progress may end early, and closes every
   * item that it still receives.
   */
  void stop();

  /** Closes the items that were not polled. May be called again, for items that came later. */
  void discard();

  /** Stops the source and discards its items. Throws nothing, because other objects must still be released. */
  default void letGo() {
    try {
      stop();
      discard();
    } catch (Throwable t) {
      Faults.report("stopping a stream's source", t);
    }
  }
}
