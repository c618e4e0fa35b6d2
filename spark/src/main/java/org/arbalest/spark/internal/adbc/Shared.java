// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;

/**
 * Values that all users of one key share. The first user opens the value, and the last one closes it.
 *
 * <p>Users that come during the open wait for it. If it fails, it fails for all of them, and the next user opens again.
 * A key never has two open values: a user that comes during the close waits, then opens.
 */
final class Shared<K, V> {
  private static final long LOOK_MILLIS = 100;

  private final Function<? super K, ? extends V> open;
  private final Consumer<? super V> close;

  /** The values by key. Guarded by its own monitor. */
  private final Map<K, Entry<V>> entries = new HashMap<>();

  Shared(Function<? super K, ? extends V> open, Consumer<? super V> close) {
    this.open = open;
    this.close = close;
  }

  private static final class Entry<V> {
    final CompletableFuture<V> opened = new CompletableFuture<>();
    final CompletableFuture<Void> closed = new CompletableFuture<>();

    // Guarded by the monitor of the entries.
    int users;
    boolean isClosing;
  }

  /** A user's hold on a value. A second close has no effect. */
  final class Use implements AutoCloseable {
    private final K key;
    private final Entry<V> entry;
    private final V value;
    private final AtomicBoolean isOver = new AtomicBoolean();

    private Use(K key, Entry<V> entry, V value) {
      this.key = key;
      this.entry = entry;
      this.value = value;
    }

    V value() {
      return value;
    }

    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) leave(key, entry);
    }
  }

  /**
   * Returns the value of a key; opens it if no other user has it.
   *
   * @throws RuntimeException if opening the value fails. Users that waited get an exception with that one as its cause
   * @throws TaskKilledException if the caller's task is killed while it waits
   */
  Use use(K key) {
    while (true) {
      Entry<V> entry;
      boolean isFirst;
      boolean isClosing;
      synchronized (entries) {
        Entry<V> known = entries.get(key);
        isFirst = known == null;
        entry = known == null ? new Entry<>() : known;
        isClosing = entry.isClosing;
        if (!isClosing) entry.users++;
        if (isFirst) entries.put(key, entry);
      }
      if (isClosing) await(key, entry.closed);
      else return new Use(key, entry, isFirst ? open(key, entry) : awaitOpened(key, entry));
    }
  }

  private V open(K key, Entry<V> entry) {
    V value;
    try {
      value = open.apply(key);
    } catch (Throwable t) {
      synchronized (entries) {
        entries.remove(key);
      }
      entry.opened.completeExceptionally(t);
      throw t;
    }
    entry.opened.complete(value);
    return value;
  }

  /** Waits for the first user's open. The waiting user already counts, so the value stays open. */
  private V awaitOpened(K key, Entry<V> entry) {
    try {
      return await(key, entry.opened);
    } catch (TaskKilledException e) {
      leave(key, entry);
      throw e;
    }
  }

  private void leave(K key, Entry<V> entry) {
    synchronized (entries) {
      entry.users--;
      if (entry.users > 0 || entries.get(key) != entry) return; // an entry that did not open has no value to close
      entry.isClosing = true;
    }
    try {
      close.accept(entry.opened.join()); // it is open, because its first user has left
    } finally {
      synchronized (entries) {
        entries.remove(key);
      }
      entry.closed.complete(null);
    }
  }

  private static <T> T await(Object key, CompletableFuture<T> result) {
    while (true) {
      try {
        return result.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException _) {
        TaskContext task = TaskContext.get();
        if (task != null && task.isInterrupted()) throw new TaskKilledException("killed while it waited for " + key);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new TaskKilledException("interrupted while it waited for " + key);
      } catch (ExecutionException e) {
        Throwable cause = e.getCause();
        String message = cause == null ? e.getMessage() : cause.getMessage();
        throw new IllegalStateException(
            "opening " + key + " failed in another task that this one waited for: " + message, cause);
      }
    }
  }
}
