// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.adbc.AdbcConnection;

/**
 * The check of an idle connection. It runs in another thread, because a driver waits for a server that does not answer,
 * and neither an interrupt nor a time limit ends its call.
 */
public final class IdleCheck {
  private static final Executor THREADS = Executors.newCachedThreadPool(
      Thread.ofPlatform().daemon().name("arbalest-adbc-check-", 0).factory());

  private IdleCheck() {}

  /** The result of a check. */
  public enum Result {
    /** The caller may use the connection. */
    VALID,
    /** The caller closes the connection. */
    INVALID,
    /** The check has not ended; the connection is closed when it ends. */
    LATE
  }

  /**
   * Checks whether a connection executes {@code SELECT 1}.
   *
   * @param limit the time after which the check is late
   * @param close closes the connection after a late check, or after one whose caller was interrupted
   */
  public static Result of(AdbcConnection connection, Duration limit, Consumer<AdbcConnection> close)
      throws InterruptedException {
    var answer = new CompletableFuture<Result>();
    try {
      THREADS.execute(() -> {
        if (!answer.complete(result(connection))) close.accept(connection);
      });
    } catch (Throwable t) { // for example, the process cannot start another thread
      close.accept(connection);
      throw t;
    }
    try {
      return answer.get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
    } catch (TimeoutException _) {
      return answer.cancel(false) ? Result.LATE : answer.join();
    } catch (InterruptedException e) {
      if (!answer.cancel(false)) close.accept(connection);
      throw e;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // the answer is never an exception
    }
  }

  private static Result result(AdbcConnection connection) {
    try (DeviceArrayReader result = connection.query("SELECT 1")) {
      result.forEach(_ -> {});
      return Result.VALID;
    } catch (RuntimeException | Error _) { // the connection is replaced, whose own error then counts
      return Result.INVALID;
    }
  }
}
