// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.InterruptibleChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Threads for reads of channels that several threads share. An interrupt of a thread that reads such a channel closes
 * it, for the other threads too. No code interrupts these threads.
 */
final class ReadThreads {
  private static final Executor THREADS =
      Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("arbalest-ipc-read-", 0).factory());

  private ReadThreads() {}

  /** A read of a channel. */
  interface Read<T> {
    T run() throws IOException;
  }

  /** Runs a read, and waits for it also if this thread is interrupted. The thread then stays interrupted. */
  static <T> T run(Channel channel, Read<T> read) throws IOException {
    if (!(channel instanceof InterruptibleChannel)) return read.run();
    Callable<T> call = read::run;
    FutureTask<T> task = new FutureTask<>(call);
    THREADS.execute(task);
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException _) {
          isInterrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw unwrapped(e.getCause());
    } finally {
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  private static IOException unwrapped(@Nullable Throwable t) {
    return switch (t) {
      case IOException e -> e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> new IOException(t); // a read declares no other exception
    };
  }
}
