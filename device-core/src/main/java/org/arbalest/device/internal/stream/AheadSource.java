// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.ArrayDeque;
import java.util.Queue;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.internal.recording.Recording;
import org.jspecify.annotations.Nullable;

/**
 * A source that makes copies ahead of the pulls, on a thread that starts with the first pull.
 *
 * <p>The thread ends with the source, with a failure, or soon after {@link #close}. Close does not wait for the thread.
 * A pull or copy that is in progress then is closed by the thread itself.
 */
final class AheadSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  private final CopiedSource<A> copies;
  private final int ahead;

  // Guarded by this object's monitor.
  private final Queue<A> ready = new ArrayDeque<>();
  private boolean isStarted;
  private boolean isOver;
  private boolean isClosed;

  /** The failure that ended the source. It follows the ready copies. */
  private @Nullable Throwable failure;

  /**
   * Takes over the copies.
   *
   * @param ahead the limit of copies that were not pulled yet, including the copy in progress; at least 1
   */
  AheadSource(CopiedSource<A> copies, int ahead) {
    this.copies = copies;
    this.ahead = ahead;
  }

  @Override
  public boolean select(int... columns) {
    return copies.select(columns);
  }

  /** Returns the next copy, or null at the end. Also returns null if this source was closed meanwhile. */
  @Override
  public @Nullable A next() throws Exception {
    A array = take();
    if (array != null) return array;
    switch (failure()) {
      case null -> {
        return null;
      }
      case Exception e -> throw e;
      case Error e -> throw e;
      case Throwable other -> throw new IllegalStateException("a copy ahead failed", other);
    }
  }

  /** Returns an array; null after the last one, if this source was closed, or after a failure. */
  private synchronized @Nullable A take() throws InterruptedException {
    start();
    if (isEmpty()) await();
    A array = isClosed ? null : ready.poll();
    notifyAll();
    return array;
  }

  private synchronized @Nullable Throwable failure() {
    return failure;
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
        A array = copies.next();
        if (array == null) break;
        if (!offered(array)) array.close();
      }
    } catch (Throwable t) { // for the pulling thread; after a close, it is an effect of the cancellation
      failed = t;
    }
    end(failed);
  }

  /** Blocks until another copy may be made. Returns false if this source was closed. */
  private synchronized boolean awaitRoom() throws InterruptedException {
    while (ready.size() >= ahead && !isClosed) wait();
    return !isClosed;
  }

  /** Calls {@link #offer}. Closes the array if there is too little memory to keep it. */
  private boolean offered(A array) {
    try {
      return offer(array);
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  /** Adds a copy. Returns false if this source was closed; then the caller still owns the array. */
  private synchronized boolean offer(A array) {
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
   * Closes this source and wakes the waiting threads. Does not wait for the copying thread, which closes the copy that
   * it still makes. May be called more than once.
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

  /** Returns a copy that is not pulled any more, or null. */
  private synchronized @Nullable A left() {
    return ready.poll();
  }

  /** Closes an object. Returns the earlier failure, or else the failure of this close, or null. */
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
