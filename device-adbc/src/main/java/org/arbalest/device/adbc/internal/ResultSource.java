// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result: a stream of a driver's, pulled in turn with other calls of the connection, which it holds until it is
 * closed.
 */
final class ResultSource implements DeviceArrayReader.Source {
  private final NativeHandle owner;

  /** What cancels a pull. */
  private final AdbcFunction cancel;

  private final @Nullable String sql;
  private final @Nullable BoundSource bound;
  private final CImport options;
  private final ResultBlock block;
  private final long stream;
  private final long out;
  private final MemorySegment getNext;
  private final Schema schema;

  // Under the turn's calls.
  private boolean isPulling;
  private boolean isCancelled;

  // Under the turn.
  private boolean isOver;
  private boolean isReleased;

  private ResultSource(Opening of, ResultBlock block, Schema schema) {
    this.owner = of.owner;
    this.cancel = of.cancel;
    this.sql = of.sql;
    this.bound = of.bound;
    this.options = CImport.DATA.schema(schema).validation(of.level);
    this.block = block;
    this.stream = block.stream.address();
    this.out = block.out.address();
    this.getNext = ArrowArrayStreamStruct.getNext(block.stream);
    this.schema = schema;
  }

  /**
   * What a result is of.
   *
   * @param owner whom it holds
   * @param cancel the function that cancels a pull
   * @param sql the query, for errors
   * @param bound what feeds it
   * @param level how closely its batches are looked at
   */
  record Opening(NativeHandle owner, AdbcFunction cancel, @Nullable String sql, @Nullable BoundSource bound,
      Validation level) {}

  /** What makes a driver fill a struct with a stream, which is zeroed. */
  @FunctionalInterface
  interface Filling {
    void fill(ResultBlock block);
  }

  /**
   * Has the driver make a stream, and asks that for its schema. Under the turn.
   *
   * @return null if the driver gave no stream
   */
  static @Nullable ResultSource open(Opening of, Filling filling) {
    ResultBlock block = ResultBlock.take();
    boolean isStream = false;
    try {
      of.owner.lock.executes();
      filling.fill(block);
      isStream = ArrowArrayStreamStruct.release(block.stream).address() != 0;
      if (!isStream) {
        block.giveBack();
        return null;
      }
      var source = new ResultSource(of, block, schema(of, block));
      of.owner.hold();
      of.owner.lock.executed(source);
      return source;
    } catch (Throwable t) {
      if (isStream) release(block);
      block.giveBack();
      throw t;
    }
  }

  private static Schema schema(Opening of, ResultBlock block) {
    MemorySegment getSchema = ArrowArrayStreamStruct.getSchema(block.stream);
    int errno = get(getSchema, block.stream.address(), block.out.address());
    if (errno != 0) throw failure(of.owner, "get_schema of the result", of.sql, block, errno);
    return DriverSchemas.importSchema(block.out);
  }

  /** Whether it is of that statement, or that connection. */
  boolean isOf(NativeHandle handle) {
    return owner == handle;
  }

  /** The result as a reader, which is the caller's to close. If there is none then the result ends. */
  DeviceArrayReader reader() {
    try {
      return DeviceArrayReader.of(schema, this);
    } catch (Throwable t) {
      end();
      throw t;
    }
  }

  @Override
  public @Nullable DeviceArray next() {
    if (owner.lock.isFedHere()) {
      throw new IllegalStateException(
          "this is a result of the connection that is executing with the batches that are being made here; bind it to "
              + "a statement of another one");
    }
    owner.acquireLock(this, true);
    try {
      if (isReleased) {
        throw new DeviceException(Errno.ECANCELED,
            "the result has ended: its statement was executed again, or changed. Use a statement for each result");
      }
      ArrowArrayStruct.setRelease(block.out, MemorySegment.NULL); // some drivers write nothing else at the end
      int errno = pull();
      isOver = errno != 0 || ArrowArrayStruct.release(block.out).address() == 0;
      throwFailureOfBound();
      if (errno != 0) throw failure(owner, "get_next of the result", sql, block, errno);
      return isOver ? null : CData.importArray(block.out, options);
    } finally {
      owner.lock.leave();
    }
  }

  /** The driver's own, if any, came of it; so did what it gave all the same. */
  private void throwFailureOfBound() {
    if (bound == null) return;
    try {
      bound.throwFailure(null);
    } catch (Throwable t) {
      if (!isOver) StatementImpl.release(ArrowArrayStruct.release(block.out), block.out);
      throw t;
    }
  }

  private int pull() {
    synchronized (owner.lock.calls) {
      checkNotClosed();
      isPulling = true;
    }
    try {
      return get(getNext, stream, out);
    } finally {
      synchronized (owner.lock.calls) {
        isPulling = false;
      }
    }
  }

  /** Under the turn's calls. */
  void checkNotClosed() {
    if (isCancelled) throw new DeviceException(Errno.ECANCELED,
        "the result was closed before the driver was asked for its next batch");
  }

  /**
   * Asks the driver to give up the pull, and what is bound as well; one that has not begun does not any more. A driver
   * that goes on is waited for.
   */
  @Override
  public void cancel() {
    synchronized (owner.lock.calls) {
      isCancelled = true;
      owner.lock.calls.notifyAll();
      if (!isPulling) return;
      owner.lock.beginCancel();
    }
    try {
      try {
        if (bound != null) bound.giveUp();
      } finally {
        callCancel();
      }
    } finally {
      owner.lock.endCancel();
    }
  }

  /** Asks what is bound to give up, if it is for a pull that it is waited for; whether it is. */
  boolean giveUpBound() {
    if (bound == null || !isPulling()) return false;
    bound.giveUp();
    return true;
  }

  private boolean isPulling() {
    synchronized (owner.lock.calls) {
      return isPulling;
    }
  }

  private void callCancel() {
    if (owner.driver.function(cancel) == null) return;
    try {
      owner.driver.call(cancel, null, sql, (f, error) -> (byte) Signatures.PP.invokeExact(f, owner.struct, error));
    } catch (AdbcException _) {
      // There was nothing to give up any more, or it cannot be: it takes effect when the pull, or the release, returns
      // by itself.
    }
  }

  @Override
  public void close() {
    end();
  }

  /**
   * Releases the stream, if that was not done, and leaves the owner. A query that is not over is cancelled before,
   * since there are drivers whose release waits for it: if nothing was executed on the connection since, as there are
   * drivers whose cancel is the connection's, and hits what it executes last.
   */
  void end() {
    if (!owner.lock.takeOr(owner, this::end)) return;
    boolean isFirst = !isReleased;
    isReleased = true;
    try {
      try {
        if (isFirst) releaseStream();
      } finally {
        owner.lock.leave();
      }
    } finally {
      if (isFirst) leaveOwner();
    }
  }

  private void releaseStream() {
    boolean isLast = owner.lock.isLast(this);
    if (isLast) owner.lock.executes();
    try {
      if (isLast && !isOver && cancel == AdbcFunction.STATEMENT_CANCEL) callCancel();
    } finally {
      release(block);
      block.giveBack();
    }
  }

  private void leaveOwner() {
    try {
      if (bound != null) bound.finish();
    } finally {
      owner.leave();
    }
  }

  private static void release(ResultBlock block) {
    MemorySegment release = ArrowArrayStreamStruct.release(block.stream);
    if (release.address() == 0) return;
    try {
      Signatures.RELEASE.invokeExact(release, block.stream);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static int get(MemorySegment function, long stream, long out) {
    try {
      return (int) Signatures.GET.invokeExact(function, stream, out);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static AdbcException failure(NativeHandle owner, String operation, @Nullable String sql, ResultBlock block,
      int errno) {
    return DriverErrors.ofStream(owner.driver, operation, sql, block.stream, errno, block.number,
        lastError(block.stream));
  }

  private static String lastError(MemorySegment stream) {
    MemorySegment function = ArrowArrayStreamStruct.getLastError(stream);
    if (function.address() == 0) return "";
    try {
      return CText.read((MemorySegment) Signatures.GET_LAST_ERROR.invokeExact(function, stream));
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }
}
