// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.internal.recording.Recording;
import org.jspecify.annotations.Nullable;

/**
 * Copies that are made some ahead of whoever pulls them, by a thread that begins with the first pull. It ends with the
 * source, with a failure, or soon after this was closed, which does not wait for it: a pull or a copy that it is in
 * then is its own to close.
 */
final class AheadSource implements DeviceArrayReader.Source {
  private final CopiedSource copies;
  private final int ahead;

  // Under this object's monitor.
  private final Queue<DeviceArray> ready = new ArrayDeque<>();
  private boolean isStarted;
  private boolean isOver;
  private boolean isClosed;

  /** What ended the source; after what is ready. */
  private @Nullable Throwable failure;

  /**
   * Takes the copies over.
   *
   * @param ahead how many there may be at a time that nobody has pulled, with the one that is being made; at least 1
   */
  AheadSource(CopiedSource copies, int ahead) {
    this.copies = copies;
    this.ahead = ahead;
  }

  /** Null, too, if this was closed meanwhile. */
  @Override
  public @Nullable DeviceArray next() throws Exception {
    switch (take()) {
      case null -> {
        return null;
      }
      case DeviceArray array -> {
        return array;
      }
      case Exception e -> throw e;
      case Error e -> throw e;
      case Object other -> throw new IllegalStateException("neither an array nor a failure: " + other);
    }
  }

  /** An array, what ended the source, or null. */
  private synchronized @Nullable Object take() throws InterruptedException {
    start();
    if (isEmpty()) await();
    DeviceArray array = isClosed ? null : ready.poll();
    notifyAll();
    return array == null ? failure : array;
  }

  private void start() {
    if (isStarted || isClosed) return;
    Thread.ofPlatform().name("arbalest-ahead").daemon().start(this::work);
    isStarted = true;
  }

  private boolean isEmpty() {
    return ready.isEmpty() && !isOver && !isClosed;
  }

  private void await() throws InterruptedException {
    Recording.OfWait event = Recording.aWait();
    try {
      while (isEmpty()) wait();
    } finally {
      if (event != null) event.describe("array", "");
    }
  }

  private void work() {
    Throwable failed = null;
    try {
      while (awaitRoom()) {
        DeviceArray array = copies.next();
        if (array == null) break;
        if (!offered(array)) array.close();
      }
    } catch (Throwable t) { // for whoever pulls; of a closed one it is how it gave up
      failed = t;
    }
    end(failed);
  }

  /** False if this was closed. */
  private synchronized boolean awaitRoom() throws InterruptedException {
    while (ready.size() >= ahead && !isClosed) wait();
    return !isClosed;
  }

  /** As {@link #offer}; an array that there is no room to remember is closed. */
  private boolean offered(DeviceArray array) {
    try {
      return offer(array);
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  /** False if this was closed, and the array is still the caller's. */
  private synchronized boolean offer(DeviceArray array) {
    if (isClosed) return false;
    ready.add(array);
    notifyAll();
    return true;
  }

  private synchronized void end(@Nullable Throwable failed) {
    failure = failed;
    isOver = true;
    notifyAll();
  }

  @Override
  public void cancel() {
    close();
  }

  /**
   * Does not wait for the thread, and wakes whoever waits. What that still makes, it closes. May be called more than
   * once.
   */
  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    AutoCloseable next = copies;
    Throwable failed = null;
    while (next != null) {
      failed = closed(next, failed);
      next = left();
    }
    if (failed instanceof Error e) throw e;
    if (failed instanceof RuntimeException e) throw e;
    if (failed != null) throw new IllegalStateException("closing a reader that copies ahead failed", failed);
  }

  /** A copy that nobody pulls any more. */
  private synchronized @Nullable DeviceArray left() {
    return ready.poll();
  }

  /** What closing failed with, or what failed before. */
  private static @Nullable Throwable closed(AutoCloseable what, @Nullable Throwable before) {
    try {
      what.close();
      return before;
    } catch (Throwable t) {
      if (before == null) return t;
      before.addSuppressed(t);
      return before;
    }
  }
}
