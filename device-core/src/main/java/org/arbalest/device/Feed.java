package org.arbalest.device;

import org.jspecify.annotations.Nullable;

/**
 * Where the arrays or tasks of an {@link AsyncExport} come from. Called by one thread at a time, but for {@link #interrupt}; belongs to the
 * export, which calls {@link #stop} once.
 */
interface Feed {
  /** The stream has begun: the consumer took the schema. */
  void start(AsyncExport export);

  /** The consumer has asked for so many all in all. */
  void demand(long total);

  /** The next {@link DeviceArray} or {@link AsyncTask}, which passes to the caller, if there is one now. May block. */
  @Nullable AutoCloseable poll();

  /** Whether all were polled and no more will come. May block. */
  boolean isFinished();

  /** What made it finish, if it was an error. */
  @Nullable Throwable failure();

  /** Ends waiting in {@link #poll} and {@link #isFinished}, since the consumer cancelled. On any thread, at any time. */
  void interrupt();

  /** No more is wanted. */
  void stop();

  /** Closes what was not polled; may be called again, for what came after. */
  void discard();
}
