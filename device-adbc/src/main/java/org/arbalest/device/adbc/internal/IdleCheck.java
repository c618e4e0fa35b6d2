// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The check of an idle connection. It runs in another thread, because a driver waits for a server that does not answer,
 * and neither an interrupt nor a time limit ends its call.
 */
final class IdleCheck {
  private IdleCheck() {}

  /** The result of a check. */
  enum Result {
    /** The caller may use the connection. */
    VALID,
    /** The caller closes the connection. */
    INVALID,
    /** The check has not ended; the connection is closed when it ends. */
    LATE
  }

  /**
   * Checks whether a connection is valid.
   *
   * @param limitNanos the time after which the check is late
   * @param close closes the connection after a late check, or after one whose caller was interrupted
   */
  static <C extends PooledConnection> Result of(C connection, long limitNanos, PoolTime time, Consumer<C> close)
      throws InterruptedException {
    var answer = new CompletableFuture<Result>();
    try {
      time.start(() -> {
        if (!answer.complete(connection.isValid() ? Result.VALID : Result.INVALID)) close.accept(connection);
      });
    } catch (Throwable t) { // for example, the process cannot start another thread
      close.accept(connection);
      throw t;
    }
    try {
      return time.get(answer, limitNanos);
    } catch (TimeoutException _) {
      return answer.cancel(false) ? Result.LATE : answer.join();
    } catch (InterruptedException e) {
      if (answer.cancel(false)) throw e;
      Thread.currentThread().interrupt(); // the check has ended meanwhile, and the caller acts on its result
      return answer.join();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the answer is never an exception
    }
  }
}
