// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A loop whose rounds may run in several threads at the same time. */
public final class ParallelLoop {
  private ParallelLoop() {}

  /**
   * Runs the body for each number from 0 until {@code count}. After a failure it begins no other round.
   *
   * <p>It returns or throws only when no round runs any more, because callers then free the memory that the rounds use.
   * A parallel stream alone throws the first failure while other rounds still run.
   */
  public static void run(int count, boolean isParallel, IntConsumer body) {
    if (!isParallel) {
      for (int i = 0; i < count; i++) body.accept(i);
      MappedFault.settle();
      return;
    }
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    IntStream.range(0, count).parallel().forEach(i -> {
      if (failure.get() != null) return;
      try {
        body.accept(i);
        MappedFault.settle(); // not in a thread's later work
      } catch (Throwable t) { // thrown below
        failure.compareAndSet(null, t);
      }
    });
    switch (failure.get()) {
      case null -> {}
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable t -> throw new IllegalStateException("a loop's body declares no " + t, t);
    }
  }
}
