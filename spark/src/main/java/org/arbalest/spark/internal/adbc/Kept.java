// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Uses of shared values that end after a time, so that the next user in this time does not open the value again. */
final class Kept<K> {
  private final Set<K> keys = ConcurrentHashMap.newKeySet();
  private final Function<? super K, ? extends AutoCloseable> use;
  private final Executor later;

  /**
   * @param use begins a use of a key's value
   * @param later runs a task after the time, such as {@link CompletableFuture#delayedExecutor}
   */
  Kept(Function<? super K, ? extends AutoCloseable> use, Executor later) {
    this.use = use;
    this.later = later;
  }

  /** Keeps a value that the caller uses. A second call in the time has no effect, so the value is not kept longer. */
  void keep(K key) {
    if (!keys.add(key)) return;
    AutoCloseable kept;
    try {
      kept = use.apply(key);
    } catch (Throwable t) {
      keys.remove(key);
      throw t;
    }
    try {
      later.execute(() -> end(key, kept));
    } catch (Throwable t) {
      end(key, kept);
      throw t;
    }
  }

  private void end(K key, AutoCloseable kept) {
    keys.remove(key);
    try {
      kept.close();
    } catch (Exception e) {
      System.getLogger(Kept.class.getName()).log(System.Logger.Level.WARNING, "closing " + key + " failed", e);
    }
  }
}
