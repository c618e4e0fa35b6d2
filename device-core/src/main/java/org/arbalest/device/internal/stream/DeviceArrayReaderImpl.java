// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayColumns;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Projection;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Pulls arrays from a source until its end or its failure. Later calls repeat the failure. See
 * {@link DeviceArrayReader}.
 */
public final class DeviceArrayReaderImpl implements DeviceArrayReader {
  private final Field field;
  private final DeviceType deviceType;
  private final StreamCheck check;
  private final GuardedSource source;

  // Guarded by the source's lock.
  private boolean pulled;
  private boolean ended;
  private @Nullable DeviceException failure;

  /** The reader to which a {@code select} passed the source, so that closing this reader closes that one. */
  private volatile @Nullable DeviceArrayReader selected;

  /** Creates a reader with the lock for its pulls. A test passes a lock that acts just before it is unlocked. */
  DeviceArrayReaderImpl(Field field, DeviceType deviceType, Source source, ReentrantLock pulls) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.check = new StreamCheck(field, deviceType);
    this.source = new GuardedSource(Objects.requireNonNull(source, "source"), pulls, watch());
  }

  /** Creates a reader that continues where another reader was, after its source is passed on. */
  private DeviceArrayReaderImpl(DeviceArrayReaderImpl before) {
    this.field = before.field;
    this.deviceType = before.deviceType;
    this.check = before.check;
    this.pulled = before.pulled;
    this.ended = before.ended;
    this.failure = before.failure;
    this.source = before.source.heir(watch());
  }

  /** Creates a reader of another reader's source, which will make arrays of another type. Neither was pulled. */
  private DeviceArrayReaderImpl(DeviceArrayReaderImpl before, Field field) {
    this.field = field;
    this.deviceType = before.deviceType;
    this.check = new StreamCheck(field, deviceType);
    this.source = before.source.heir(watch());
  }

  private Leaks.@Nullable Watch watch() {
    return Leaks.isDue() ? Leaks.watch(this, "DeviceArrayReader of " + field + " on " + deviceType) : null;
  }

  /** Creates a reader of a source, which the reader closes. */
  public static DeviceArrayReader of(Field field, DeviceType deviceType, Source source) {
    return new DeviceArrayReaderImpl(field, deviceType, source, new ReentrantLock());
  }

  /** Creates a reader of a source of record batches, which the reader closes. */
  public static DeviceArrayReader of(Schema schema, DeviceType deviceType, Source source) {
    return of(schema.asField(), deviceType, source);
  }

  /** Creates a reader of existing arrays, and takes over the arrays. They determine the device type. */
  public static DeviceArrayReader of(Schema schema, List<DeviceArray> batches) {
    return ListSource.reader(schema, () -> null, batches);
  }

  /** Creates a reader of existing arrays on a device type, and takes over the arrays. */
  public static DeviceArrayReader of(Schema schema, DeviceType deviceType, List<DeviceArray> batches) {
    return ListSource.reader(schema, () -> Objects.requireNonNull(deviceType, "deviceType"), batches);
  }

  @Override
  public DeviceArrayReader convertTo(Field requested) {
    ArrayConversion.check(field, requested);
    source.checkOpen();
    // the array's own names may be different
    UnaryOperator<DeviceArray> conversion =
        array -> ArrayConversion.convert(DeviceArrayImpl.unwrap(array), field, requested);
    return of(requested, deviceType, new ConvertedSource(this, conversion));
  }

  @Override
  public DeviceArrayReader pushDownNulls() {
    schema();
    source.checkOpen();
    return of(field, deviceType, new ConvertedSource(this, DeviceArray::pushDownNulls));
  }

  @Override
  public DeviceArrayReader select(String... paths) {
    return select(Projection.of(schema().asField(), "the stream", paths));
  }

  @Override
  public DeviceArrayReader select(int... indices) {
    return select(Projection.of(schema().asField(), indices));
  }

  private DeviceArrayReader select(Projection projection) {
    source.lock();
    try {
      source.checkOpen();
      DeviceArrayReaderImpl pushed = pulled ? null : push(projection);
      return pushed == null ? selected(this, projection) : pushed;
    } finally {
      unlock();
    }
  }

  /** Asks the source for only the used columns. Returns null if it makes all columns. */
  private @Nullable DeviceArrayReaderImpl push(Projection projection) {
    int[] used = projection.used();
    if (used.length == 0) return null; // not every source can make arrays without columns
    Field made = Projection.of(field, used).result;
    Projection rest = projection.ofUsed(made);
    DeviceArrayReaderImpl heir = new DeviceArrayReaderImpl(this, made);
    DeviceArrayReaderImpl result = heir;
    boolean isDone = false;
    try {
      if (rest != null) result = selected(heir, rest);
      selected = result;
      isDone = source.select(used) && source.handOn();
    } finally {
      if (!isDone) {
        selected = null;
        heir.source.drop();
        if (result != heir) result.source.drop();
      }
    }
    if (isDone) return result;
    source.checkOpen();
    return null;
  }

  private static DeviceArrayReaderImpl selected(DeviceArrayReaderImpl reader, Projection projection) {
    UnaryOperator<DeviceArray> selection = array -> ArrayColumns.select(DeviceArrayImpl.unwrap(array), projection);
    return new DeviceArrayReaderImpl(projection.result, reader.deviceType, new ConvertedSource(reader, selection),
        new ReentrantLock());
  }

  @Override
  public DeviceArrayReader filter(Function<? super DeviceArray, Selection> selection) {
    Objects.requireNonNull(selection, "selection");
    source.checkOpen();
    return of(field, deviceType, new FilteredSource(this, selection));
  }

  @Override
  public DeviceArrayReader rebatch(long rows) {
    if (rows < 1) throw new IllegalArgumentException("a batch must have at least 1 row, but " + rows + " were given");
    source.checkOpen();
    return of(field, deviceType, new RebatchedSource(this, rows));
  }

  @Override
  public DeviceArrayReader copyTo(MemoryManager target, DeviceStream stream, int ahead) {
    DeviceType type = target.device().type();
    if (ahead < 0) throw new IllegalArgumentException("ahead must not be negative, but is " + ahead);
    source.checkOpen();
    var copies = new CopiedSource(this, target, Objects.requireNonNull(stream, "stream"));
    return of(field, type, ahead == 0 ? copies : new AheadSource(copies, ahead));
  }

  @Override
  public Field field() {
    return field;
  }

  @Override
  public Schema schema() {
    return FieldImpl.unwrap(field).schema();
  }

  @Override
  public DeviceType deviceType() {
    return deviceType;
  }

  @Override
  public @Nullable DeviceArray next() {
    source.lock();
    try {
      source.checkOpen();
      if (failure != null) throw repeated(failure);
      if (ended) return null;
      pulled = true;
      DeviceArray array;
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

  private @Nullable DeviceArray pull() {
    try {
      DeviceArray array = source.next();
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
  public static void export(DeviceArrayReader reader, MemorySegment out, boolean isDevice) {
    DeviceArrayReaderImpl made = (DeviceArrayReaderImpl) reader; // the only class of readers
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
    source.lock();
    try {
      source.checkOpen();
      DeviceArrayReaderImpl heir = new DeviceArrayReaderImpl(this);
      StreamExport export;
      try {
        export = StreamExport.register(heir);
      } catch (Throwable t) {
        heir.source.drop();
        throw t;
      }
      if (!source.handOn()) {
        export.undo();
        heir.source.drop();
        source.checkOpen();
      }
      write.accept(export); // from here on nothing fails
    } finally {
      unlock();
    }
  }

  @Override
  public void close() {
    source.close();
    DeviceArrayReader other = selected;
    if (other != null && source.isPassedOn()) other.close();
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
    return "stream of " + field + " on " + deviceType + (source.isOpen() ? "" : " (closed)");
  }
}
