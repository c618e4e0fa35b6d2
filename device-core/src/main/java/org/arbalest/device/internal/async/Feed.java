// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Where the arrays or tasks of an {@link AsyncExport} come from. Called by one thread at a time, but that {@link #stop}
 * and {@link #discard} may come while another is in {@link #pull}; belongs to the export, which calls {@link #stop}
 * once.
 */
interface Feed {
  /** The stream has begun: the consumer took the schema. */
  void start(AsyncExport export);

  /** The consumer has asked for so many all in all. */
  void demand(long total);

  /**
   * The consumer has asked for so many all in all, just now, and is on this thread: asks for them where nobody else has
   * to, and nothing comes of it before this returns; otherwise false, and who acts has to.
   */
  default boolean ask(long total) {
    return false;
  }

  /** Whether {@link #poll} and {@link #isFinished} cannot answer yet, as somebody has to wait for what comes next. */
  boolean isDry();

  /** Waits for what comes next; only if it {@link #isDry}. */
  void pull();

  /** The next task, which passes to the caller, if there is one now. */
  @Nullable
  TaskExport poll();

  /** Whether all were polled and no more will come. */
  boolean isFinished();

  /** What made it finish, if it was an error. */
  @Nullable
  Throwable failure();

  /** No more is wanted: a {@link #pull} that is under way may give up, and what it still gets it closes. */
  void stop();

  /** Closes what was not polled; may be called again, for what came after. */
  void discard();

  /** Stops and discards; throws nothing, since others are still to be let go. */
  default void letGo() {
    try {
      stop();
      discard();
    } catch (Throwable t) {
      Faults.report("stopping a stream's source", t);
    }
  }
}
