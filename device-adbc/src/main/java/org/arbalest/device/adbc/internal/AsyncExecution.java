// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.jspecify.annotations.Nullable;

/**
 * An execution whose driver pushes the result. It has a reference to the statement until the driver has released the
 * handler.
 */
final class AsyncExecution implements LeasedObjects.Leased {
  private static final String SYMBOL = "AdbcStatementExecuteQueryAsync";

  final AsyncArrayStream stream;

  private AsyncExecution(AsyncArrayStream stream) {
    this.stream = stream;
  }

  /**
   * Starts an execution. Requires the connection lock.
   *
   * @param bound the bound source, which is finished after the execution; null without one
   */
  static AsyncExecution start(DriverImpl driver, NativeHandle statement, @Nullable String sql,
      @Nullable BoundSource bound) {
    MemorySegment function = driver.exported(SYMBOL);
    if (function == null) throw AdbcException.of(SYMBOL, AdbcStatus.NOT_IMPLEMENTED.code()).driver(driver.name())
        .message("the driver has no such function, or ADBC 1.2.0 was not requested").build();
    // as for each execution: the close of an earlier result must not cancel this one
    statement.lock.record.calls(AdbcFunction.STATEMENT_EXECUTE_QUERY, null, sql);
    statement.lock.record.executes();
    statement.hold();
    boolean isStarted = false;
    try {
      AsyncArrayStream stream = CData.importAsyncStream(CImport.DEVICE,
          handler -> statement.driver.call(function, SYMBOL, sql,
              (f, error) -> Signatures.ppp(f, statement.struct, handler, error)));
      isStarted = true;
      // The driver releases the handler inside its own call: the statement is released on another thread.
      var execution = new AsyncExecution(stream);
      statement.lock.leased.opened(execution);
      stream.released().whenCompleteAsync((_, _) -> execution.end(statement, bound),
          task -> Thread.ofVirtual().start(task));
      return execution;
    } finally {
      if (!isStarted) statement.leave();
    }
  }

  private void end(NativeHandle statement, @Nullable BoundSource bound) {
    statement.lock.leased.closed(this);
    if (bound != null) DeferredReleases.run(bound::finish);
    DeferredReleases.run(statement::leave);
  }

  @Override
  public void endLease() {
    stream.close();
  }

  /** Returns whether the driver may still use the statement. */
  boolean isRunning() {
    return !stream.released().toCompletableFuture().isDone(); // not a stage of before, which completes later
  }
}
