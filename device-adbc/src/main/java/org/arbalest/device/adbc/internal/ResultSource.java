// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Queue;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The source of a result: a stream of the driver. Each pull takes the connection lock. The source keeps a reference to
 * its statement or connection until it is closed.
 */
final class ResultSource implements DeviceArrayReader.Source<RecordBatch>, LeasedObjects.Leased {
  private static final WeakReference<@Nullable RecordBatchReader> NO_READER = new WeakReference<>(null);

  private final NativeHandle owner;

  /** The handle that this source has a reference to: the owner, or the owner's result set. */
  private final NativeHandle kept;

  /** The function that cancels a pull. */
  private final AdbcFunction cancel;

  private final @Nullable String sql;
  private final boolean isByCopy;

  /**
   * Whether nothing is left to cancel: PostgreSQL's driver has the whole result of a bound row when that is executed.
   * Its cancel opens a connection to the server, which takes longer than a small query.
   */
  private final boolean isInMemory;

  private final @Nullable BoundSource bound;
  private final @Nullable UnrepresentableTimes times;
  private final CImport options;
  private final ResultBlock block;
  private final long stream;
  private final long out;
  private final MemorySegment getNext;
  private final Schema schema;

  // Guarded by the monitor of calls.
  private boolean isPulling;
  private boolean isCancelled;

  // Guarded by the connection lock.
  private boolean isOver;
  private boolean isReleased;

  /** The reader that the end of a lease closes. Weak, so that the leak detection finds one that its user has lost. */
  private volatile WeakReference<@Nullable RecordBatchReader> reader = NO_READER;

  /** Whether the lease of the connection has ended, and with it this result. */
  private volatile boolean isOfEndedLease;

  /** The batches that were read at the execution; null if they are pulled. */
  private @Nullable Queue<RecordBatch> read;

  /** The change of the statement that ended this result. */
  private @Nullable AdbcFunction endedBy;

  /** The first call of the connection since the last pull. Drivers with one open result then end it. */
  private @Nullable Between between;

  /** Whether the driver may have returned rows of this result as rows of an earlier one. */
  private boolean hasLostRows;

  private ResultSource(Opening of, ResultBlock block, Schema schema) {
    this.owner = of.owner;
    this.kept = of.kept;
    this.cancel = of.cancel;
    this.sql = of.sql;
    this.isByCopy = of.isByCopy && !of.isBound;
    this.isInMemory = of.isBound && KnownDriver.of(of.owner) == KnownDriver.POSTGRESQL;
    this.bound = of.bound;
    this.times = cancel == AdbcFunction.STATEMENT_CANCEL ? UnrepresentableTimes.of(of.owner, schema) : null;
    this.options = CImport.DATA.schema(schema).validation(of.level);
    this.block = block;
    this.stream = block.stream.address();
    this.out = block.out.address();
    this.getNext = ArrowArrayStreamStruct.getNextCallback(block.stream);
    this.schema = schema;
  }

  /**
   * The origin of a result.
   *
   * @param owner the statement or connection, whose calls the pulls are
   * @param kept the handle to which the source has a reference: the owner, or its set of several results
   * @param cancel the function that cancels a pull
   * @param sql the query, for errors
   * @param isBound whether the execution has bound batches
   * @param isByCopy whether the rows come by COPY, if the driver is PostgreSQL's
   * @param bound the bound batches, if the execution pulls them
   * @param level the validation level of the result's batches
   */
  record Opening(NativeHandle owner, NativeHandle kept, AdbcFunction cancel, @Nullable String sql, boolean isBound,
      boolean isByCopy, @Nullable BoundSource bound, Validation level) {}

  /** A call of the connection between two pulls. */
  private record Between(AdbcFunction function, @Nullable String about, @Nullable String sql) {}

  /** A call in which the driver fills a zeroed stream struct. */
  @FunctionalInterface
  interface Filling {
    void fill(ResultBlock block);
  }

  /**
   * Lets the driver create a stream, and reads its schema. Requires the connection lock.
   *
   * @return null if the driver returned no stream
   */
  static @Nullable ResultSource open(Opening of, Filling filling) {
    ResultBlock block = ResultBlock.take();
    boolean isStream = false;
    try {
      filling.fill(block);
      isStream = ArrowArrayStreamStruct.releaseCallback(block.stream).address() != 0;
      if (!isStream) {
        block.giveBack();
        return null;
      }
      var source = new ResultSource(of, block, schema(of, block));
      of.kept.hold();
      of.owner.lock.record.executed(source);
      of.owner.lock.leased.opened(source);
      return source;
    } catch (Throwable t) {
      if (isStream) release(block);
      block.giveBack();
      throw t;
    }
  }

  private static Schema schema(Opening of, ResultBlock block) {
    MemorySegment getSchema = ArrowArrayStreamStruct.getSchemaCallback(block.stream);
    int errno = get(getSchema, block.stream.address(), block.out.address());
    if (errno != 0) throw failure(of.owner, "get_schema of the result", of.sql, block, errno, null);
    return DriverSchemas.importSchema(block.out);
  }

  /** Records a call of the connection. Requires the connection lock. */
  void calledBetween(AdbcFunction function, @Nullable String about, @Nullable String query) {
    if (between == null) between = new Between(function, about, query);
  }

  /** Returns whether this result belongs to a statement or connection. */
  boolean isOf(NativeHandle handle) {
    return owner == handle;
  }

  /** Returns the result as a reader, which the caller closes. If this fails, the result ends. */
  RecordBatchReader reader() {
    try {
      RecordBatchReader made = RecordBatchReader.of(schema, this);
      if (owner.lock.leased.hasBegun()) reader = new WeakReference<>(made);
      return made;
    } catch (Throwable t) {
      end();
      throw t;
    }
  }

  @Override
  public @Nullable RecordBatch next() {
    if (isOfEndedLease) throw new IllegalStateException(
        "the lease of the result's connection has ended; read the result before, or close the lease later");
    if (owner.lock.feeders.includeThisThread()) {
      throw new IllegalStateException(
          "this is a result of the connection that is executing with the batches that are produced here; bind it to "
              + "a statement of another one");
    }
    owner.acquireLock(this, true);
    try {
      if (isReleased) {
        throw new DeviceException(Errno.ECANCELED,
            "the result has ended, because " + (endedBy == null ? "it was closed" : endedBy.symbol() + " changed its "
                + "statement. Use a separate statement for each result"));
      }
      if (hasLostRows) throw mixed();
      return read == null ? pulled() : read.poll();
    } finally {
      owner.lock.leave();
    }
  }

  /** Reads all batches, which wait in memory for {@link #next}. Requires the connection lock. */
  void readAll() {
    Queue<RecordBatch> all = new ArrayDeque<>();
    read = all;
    for (RecordBatch batch = pulled(); batch != null; batch = pulled()) all.add(batch);
  }

  private @Nullable RecordBatch pulled() {
    // some drivers write only the release pointer at the end
    ArrowArrayStruct.setReleaseCallback(block.out, MemorySegment.NULL);
    int errno = pull();
    isOver = errno != 0 || ArrowArrayStruct.releaseCallback(block.out).address() == 0;
    throwFailureOfBound();
    checkRows(errno);
    if (errno != 0) throw failure(owner, "get_next of the result", sql, block, errno, between);
    between = null;
    if (isOver) return null;
    RecordBatch batch = CData.importBatch(block.out, options);
    if (times != null) times.check(batch);
    return batch;
  }

  /**
   * Throws the failure of the bound reader. The driver's own error, or a batch that it still returned, is only a
   * consequence.
   */
  private void throwFailureOfBound() {
    if (bound == null) return;
    try {
      bound.throwFailure(null);
    } catch (Throwable t) {
      if (!isOver) StatementBinding.release(ArrowArrayStruct.releaseCallback(block.out), block.out);
      throw t;
    }
  }

  /**
   * Throws if the batch has rows of a later result, and marks that result: PostgreSQL's driver reads what the server
   * sends, for any open result of the connection. It reads bound queries, and all without {@code COPY}, at once.
   */
  private void checkRows(int errno) {
    ResultSource later = between == null ? null : owner.lock.record.lastExcept(this);
    boolean isEnd = errno == 0 && isOver;
    if (later == null || isEnd || !isByCopy || cancel != AdbcFunction.STATEMENT_CANCEL
        || KnownDriver.of(owner) != KnownDriver.POSTGRESQL)
      return;
    later.hasLostRows = true;
    if (errno != 0) return; // thrown by the caller
    StatementBinding.release(ArrowArrayStruct.releaseCallback(block.out), block.out);
    throw mixed();
  }

  private AdbcException mixed() {
    return AdbcException.of("get_next of the result", AdbcStatus.INVALID_STATE.code()).driver(owner.driver.name())
        .sql(sql)
        .message("two results of one connection were read in turns, but the driver reads both from one COPY, so their "
            + "rows are mixed; use a connection for each result, or set the option " + KnownDriver.USE_COPY
            + " of their statements to false")
        .build();
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

  /** Throws if the result was closed. Requires the monitor of calls. */
  void checkNotClosed() {
    if (isCancelled) throw new DeviceException(Errno.ECANCELED,
        "the result was closed before the next batch was requested from the driver");
  }

  /**
   * Requests the driver and the bound reader to stop the pull; a pull that has not begun does not begin. If the driver
   * continues, the thread that closes the result waits for it.
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

  /** Requests the bound reader to stop, if a pull waits for it; returns whether one does. */
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
      owner.driver.call(cancel, null, sql, (f, error) -> Signatures.pp(f, owner.struct, error));
    } catch (AdbcException _) {
      // The call was already complete, or cannot be cancelled. The close takes effect when the pull, or the release,
      // returns by itself.
    }
  }

  @Override
  public void close() {
    end();
  }

  @Override
  public void endLease() {
    RecordBatchReader open = reader.get();
    isOfEndedLease = true;
    try {
      if (open != null) open.close();
    } finally { // the rest of the stream may have passed to another reader
      cancel();
      end();
    }
  }

  /** Ends this result, because its statement changes. Requires the connection lock. */
  void endBy(AdbcFunction change) {
    endedBy = change;
    end();
  }

  /**
   * Releases the stream, if that has not been done, and the reference to the owner.
   *
   * <p>An incomplete query is cancelled first, because the release of some drivers waits for it, and others send the
   * rest of the result at the next execution. With autocommit off it is cancelled only if the release waits, since a
   * cancel may abort the transaction, or if the lease ends, and with it the transaction. It is cancelled only if
   * nothing was executed on the connection since: the cancel of some drivers applies to the connection, and affects its
   * last execution. It is not cancelled if the driver has it in memory.
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
      if (isFirst) {
        owner.lock.leased.closed(this);
        leaveOwner();
      }
    }
  }

  private void releaseStream() {
    if (read != null) read.forEach(RecordBatch::close);
    boolean isLast = owner.lock.record.isLast(this);
    if (isLast) owner.lock.record.executes();
    // a cancel would end the later results of a set too
    boolean mustCancel =
        isLast && !isOver && cancel == AdbcFunction.STATEMENT_CANCEL && kept == owner && !isInMemory;
    boolean mayAbort = owner.lock.record.isAutoCommit() || isOfEndedLease;
    try {
      if (mustCancel && mayAbort) callCancel();
    } finally {
      if (mustCancel && !mayAbort) {
        LateCancel.release(owner.lock, () -> release(block), this::callCancel);
      } else {
        release(block);
      }
      block.giveBack();
    }
  }

  private void leaveOwner() {
    try {
      if (bound != null && kept == owner) bound.finish(); // a set finishes it after its last result
    } finally {
      kept.leave();
    }
  }

  private static void release(ResultBlock block) {
    MemorySegment release = ArrowArrayStreamStruct.releaseCallback(block.stream);
    if (release.address() == 0) return;
    try {
      Signatures.release(release, block.stream);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static int get(MemorySegment function, long stream, long out) {
    try {
      return Signatures.get(function, stream, out);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private static AdbcException failure(NativeHandle owner, String operation, @Nullable String sql, ResultBlock block,
      int errno, @Nullable Between between) {
    owner.lock.record.fails();
    return DriverErrors.ofStream(owner.driver, status -> {
      AdbcException.Builder failure = AdbcException.of(operation, status).driver(owner.driver.name()).sql(sql);
      return between == null ? failure
          : failure.after(DriverTable.operation(between.function, between.about), between.sql);
    }, block.stream, errno, block.number, lastError(block.stream));
  }

  private static String lastError(MemorySegment stream) {
    MemorySegment function = ArrowArrayStreamStruct.getLastErrorCallback(stream);
    if (function.address() == 0) return "";
    try {
      return CText.read(Signatures.getLastError(function, stream));
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }
}
