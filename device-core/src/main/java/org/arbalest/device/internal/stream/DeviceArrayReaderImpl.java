// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Pulls arrays from a source until its end or its failure. Later calls repeat the failure. See
 * {@link DeviceArrayReader}.
 */
public sealed class DeviceArrayReaderImpl<A extends DeviceArray> implements DeviceArrayReader<A>
    permits RecordBatchReaderImpl {
  static final String EXPORT = "an export: its consumer receives the arrays";

  static final String USE_THE_RESULT = ": use the reader that it returned";

  final Field field;
  final DeviceType deviceType;
  private final StreamCheck check;
  final GuardedSource<A> source;

  // Guarded by the source's lock.
  boolean pulled;
  private boolean ended;
  private @Nullable DeviceException failure;

  /** Creates a reader with the lock for its pulls. A test passes a lock that acts just before it is unlocked. */
  DeviceArrayReaderImpl(Field field, DeviceType deviceType, Source<A> source, ReentrantLock pulls) {
    this(source, field, deviceType, pulls);
    this.source.begin();
  }

  /** Creates a reader that begins when a source is handed on. */
  DeviceArrayReaderImpl(Source<A> source, Field field, DeviceType deviceType, ReentrantLock pulls) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.check = new StreamCheck(field, deviceType);
    this.source = new GuardedSource<>(Objects.requireNonNull(source, "source"), pulls, watch());
  }

  /**
   * Creates the heir of a reader. It continues where that one was, after the source is handed on.
   *
   * @param field the type of the heir's arrays; another one only if neither was pulled
   * @param isWatched whether to report the heir if it is never closed. An heir that another reader's source owns is not
   *     watched
   */
  DeviceArrayReaderImpl(DeviceArrayReaderImpl<A> before, Field field, boolean isWatched) {
    this.field = field;
    this.deviceType = before.deviceType;
    this.check = new StreamCheck(field, deviceType);
    this.pulled = before.pulled;
    this.ended = before.ended;
    this.failure = before.failure;
    this.source = before.source.heir(isWatched ? watch() : null);
  }

  private Leaks.@Nullable Watch watch() {
    return Leaks.isDue() ? Leaks.watch(this, kind() + " of " + field + " on " + deviceType) : null;
  }

  private String kind() {
    return this instanceof RecordBatchReader ? "RecordBatchReader" : "DeviceArrayReader";
  }

  /** Creates a reader of a source, which the reader closes. */
  public static DeviceArrayReader<DeviceArray> ofArrays(Field field, DeviceType deviceType,
      Source<DeviceArray> source) {
    return new DeviceArrayReaderImpl<>(field, deviceType, source, new ReentrantLock());
  }

  /** Creates a reader of the same class for another source. It begins when this reader's source is handed on. */
  DeviceArrayReaderImpl<A> another(Source<A> derived, Field made, DeviceType type) {
    return new DeviceArrayReaderImpl<>(derived, made, type, new ReentrantLock());
  }

  /** Creates the heir of this reader, of the same class. */
  DeviceArrayReaderImpl<A> heir(Field made, boolean isWatched) {
    return new DeviceArrayReaderImpl<>(this, made, isWatched);
  }

  /**
   * Runs an operation that hands the source on, under the lock. If it throws, this reader is unchanged.
   *
   * @throws IllegalStateException if this reader was closed or consumed
   */
  final <T> T consume(Supplier<T> operation) {
    source.lock();
    try {
      source.checkMayHandOn();
      return operation.get();
    } finally {
      unlock();
    }
  }

  /**
   * Creates a reader whose source pulls from an heir of this reader, which is consumed. Every method that returns
   * another reader calls this method or {@link #derived}, or hands the source on itself.
   *
   * @param operation the method, for messages
   * @param made the type of the result's arrays
   * @param type their device type
   * @param derived creates the result's source, which owns the heir
   */
  final DeviceArrayReaderImpl<A> derive(String operation, Field made, DeviceType type,
      Function<DeviceArrayReader<A>, Source<A>> derived) {
    return consume(() -> derived(operation, made, type, derived));
  }

  /** See {@link #derive}. The caller holds the lock. */
  final DeviceArrayReaderImpl<A> derived(String operation, Field made, DeviceType type,
      Function<DeviceArrayReader<A>, Source<A>> derived) {
    DeviceArrayReaderImpl<A> heir = heir(field, false);
    DeviceArrayReaderImpl<A> result = another(derived.apply(heir), made, type);
    source.handOn(operation + USE_THE_RESULT, heir.source, result.source);
    return result;
  }

  @Override
  public DeviceArrayReader<A> convertTo(Field requested) {
    ArrayConversion.check(field, requested);
    // the array's own names may be different
    UnaryOperator<A> conversion =
        array -> DeviceArrayImpl.like(array, ArrayConversion.convert(DeviceArrayImpl.unwrap(array), field, requested));
    return derive("convertTo", requested, deviceType, heir -> new ConvertedSource<>(heir, conversion));
  }

  @Override
  public RecordBatchReader asRecordBatchReader() {
    if (!(field.type() instanceof StructType)) {
      throw new IllegalArgumentException(
          "a stream of record batches has arrays of structs, but this one has arrays of " + field);
    }
    return consume(() -> {
      RecordBatchReaderImpl heir = RecordBatchReaderImpl.heirOf(this);
      source.handOn("asRecordBatchReader" + USE_THE_RESULT, heir.source);
      return heir;
    });
  }

  /** Returns a reader of structs as one of batches with the same static type; see {@link #asRecordBatchReader}. */
  @SuppressWarnings("unchecked") // its arrays are batches, see DeviceArrayImpl.of
  static <A extends DeviceArray> DeviceArrayReader<A> batches(DeviceArrayReader<A> reader) {
    return reader instanceof RecordBatchReader ? reader : (DeviceArrayReader<A>) reader.asRecordBatchReader();
  }

  /** Selects the columns of a reader that {@link #batches} has returned. */
  @SuppressWarnings("unchecked") // see batches
  static <A extends DeviceArray> DeviceArrayReader<A> select(DeviceArrayReader<A> reader, int... columns) {
    return (DeviceArrayReader<A>) ((RecordBatchReader) reader).select(columns);
  }

  @Override
  public DeviceArrayReader<A> filter(Function<? super A, Selection> selection) {
    Objects.requireNonNull(selection, "selection");
    return derive("filter", field, deviceType, heir -> new FilteredSource<>(heir, selection));
  }

  @Override
  public DeviceArrayReader<A> rebatch(long rows) {
    if (rows < 1) throw new IllegalArgumentException("a batch must have at least 1 row, but " + rows + " were given");
    return derive("rebatch", field, deviceType, heir -> new RebatchedSource<>(heir, rows));
  }

  @Override
  public DeviceArrayReader<A> copyTo(MemoryManager target, DeviceStream stream, int ahead) {
    DeviceType type = target.device().type();
    Objects.requireNonNull(stream, "stream");
    if (ahead < 0) throw new IllegalArgumentException("ahead must not be negative, but is " + ahead);
    return derive("copyTo", field, type, heir -> {
      var copies = new CopiedSource<A>(heir, target, stream);
      return ahead == 0 ? copies : new AheadSource<>(copies, ahead);
    });
  }

  @Override
  public Field field() {
    return field;
  }

  @Override
  public DeviceType deviceType() {
    return deviceType;
  }

  @Override
  public @Nullable A next() {
    source.lock();
    try {
      source.checkOpen();
      if (failure != null) throw repeated(failure);
      if (ended) return null;
      pulled = true;
      A array;
      try {
        array = pull();
      } catch (DeviceException e) {
        // independent of how the source was cancelled
        if (source.isClosed()) throw new IllegalStateException("the reader was closed", e);
        throw e;
      }
      if (source.isClosed()) { // null, too, may be an effect of the cancellation, not the end (STR-11)
        if (array != null) array.close();
        throw new IllegalStateException("the reader was closed");
      }
      ended = array == null;
      return array;
    } finally {
      unlock();
    }
  }

  private @Nullable A pull() {
    try {
      A array = source.next();
      if (array != null) {
        try {
          check.check(array);
        } catch (Throwable t) {
          array.close();
          throw t;
        }
      }
      return array;
    } catch (DeviceException e) {
      failure = e;
      throw e;
    } catch (Error e) {
      failure = new DeviceException(Failures.errno(e), e.toString(), e);
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      failure = new DeviceException(Failures.errno(e), e.toString(), e);
      throw failure;
    }
  }

  /** Creates the same error for another caller, with the stack of this call. */
  private static DeviceException repeated(DeviceException failure) {
    return new DeviceException(failure.errno(), String.valueOf(failure.getMessage()), failure);
  }

  /** See {@link org.arbalest.device.c.CData#exportStream}. */
  public static void export(DeviceArrayReader<?> reader, MemorySegment out, boolean isDevice) {
    DeviceArrayReaderImpl<?> made = (DeviceArrayReaderImpl<?>) reader; // the class of all readers
    try {
      if (isDevice) {
        long stream = Structs.address(out, "ArrowDeviceArrayStream", RawArrowDeviceArrayStream.SIZE);
        made.export(export -> export.writeDeviceArrayStream(stream));
      } else {
        long stream = Structs.address(out, "ArrowArrayStream", RawArrowArrayStream.SIZE);
        made.checkMainMemory();
        made.export(export -> export.writeStream(stream));
      }
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  private void checkMainMemory() {
    if (deviceType.equals(DeviceType.CPU)) return;
    throw new DeviceException(
        Errno.ENOSYS,
        "an ArrowArrayStream is in main memory, but this stream is on " + deviceType
            + "; export a device stream, or copy it to main memory first, with copyTo");
  }

  private void export(Consumer<StreamExport> write) {
    StreamExport exported = consume(() -> {
      DeviceArrayReaderImpl<A> heir = heir(field, true);
      StreamExport export = StreamExport.register(heir);
      try {
        source.handOn(EXPORT, heir.source);
      } catch (Throwable t) {
        export.undo();
        throw t;
      }
      return export;
    });
    write.accept(exported); // nothing fails any more
  }

  @Override
  public void close() {
    source.close();
  }

  /** Releases the lock. This reader stays reachable until its watch knows that it is closed. */
  private void unlock() {
    try {
      reportFailure(source.unlock());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Reports a failure to close the source. The pulling thread receives its array or its error even if the close, which
   * another thread requested, fails.
   */
  private static void reportFailure(@Nullable Throwable failed) {
    if (failed != null) Faults.report("closing the source of a stream", failed);
  }

  @Override
  public String toString() {
    return "stream of " + field + " on " + deviceType + (source.isOpen() ? "" : " (" + source.text() + ")");
  }
}
