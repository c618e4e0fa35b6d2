package org.arbalest.device.internal.stream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.Schema;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** A source, and the lock under which it is pulled, closed and handed on. See {@link DeviceArrayReader}. */
public final class DeviceArrayReaderImpl implements DeviceArrayReader {
  private final Field field;
  private final DeviceType deviceType;
  private final Source source;
  private final ReentrantLock pulls;

  /** Left once, by close, from any thread, or by an export (STR-11). The source of a closed reader is closed under the lock, by whoever gets there. */
  private enum State {
    OPEN,
    CLOSED,
    EXPORTED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  /** Held while the source is asked to give up: it is not closed meanwhile, and not asked afterwards. */
  private final Object cancelling = new Object();

  private volatile boolean sourceClosed;
  private boolean ended;
  private @Nullable DeviceException failure;
  private final Leaks.@Nullable Watch watch;

  private DeviceArrayReaderImpl(Field field, DeviceType deviceType, Source source) {
    this(field, deviceType, source, new ReentrantLock());
  }

  /** With the lock that pulls are made under: a test's own can say what happens just before it is left. */
  DeviceArrayReaderImpl(Field field, DeviceType deviceType, Source source, ReentrantLock pulls) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.source = Objects.requireNonNull(source, "source");
    this.pulls = pulls;
    this.watch = Leaks.ENABLED ? Leaks.watch(this, "DeviceArrayReader") : null;
    if (watch != null) watch.opened();
    Counts.READERS.increment();
  }

  public static DeviceArrayReader of(Field field, DeviceType deviceType, Source source) {
    return new DeviceArrayReaderImpl(field, deviceType, source);
  }

  public static DeviceArrayReader of(Schema schema, DeviceType deviceType, Source source) {
    return of(schema.asField(), deviceType, source);
  }

  public static DeviceArrayReader of(Schema schema, DeviceType deviceType, List<DeviceArray> batches) {
    List<DeviceArray> all = List.copyOf(Objects.requireNonNull(batches, "batches"));
    Field field = schema.asField();
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).isOpen()) throw new IllegalStateException("batch " + i + " was closed or exported");
      String wrong = mismatch(all.get(i), field, deviceType);
      if (wrong != null) throw DeviceException.invalid("batch " + i + ": " + wrong);
    }
    Iterator<DeviceArray> rest = all.iterator();
    return of(
        field,
        deviceType,
        new Source() {
          @Override
          public @Nullable DeviceArray next() {
            return rest.hasNext() ? rest.next() : null;
          }

          @Override
          public void close() {
            rest.forEachRemaining(DeviceArray::close);
          }
        });
  }

  public static DeviceArrayReader importStream(MemorySegment stream) {
    try {
      return StreamSource.open(Structs.address(stream, ArrowArrayStreamStruct.LAYOUT), false);
    } finally {
      Reference.reachabilityFence(stream);
    }
  }

  public static DeviceArrayReader importDeviceArrayStream(MemorySegment stream) {
    try {
      return StreamSource.open(Structs.address(stream, ArrowDeviceArrayStreamStruct.LAYOUT), true);
    } finally {
      Reference.reachabilityFence(stream);
    }
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
    pulls.lock();
    try {
      checkOpen();
      if (failure != null) throw repeated(failure);
      if (ended) return null;
      DeviceArray array;
      try {
        array = pull();
      } catch (DeviceException e) {
        if (isClosed()) throw new IllegalStateException("the reader was closed", e); // however the source gave up
        throw e;
      }
      if (isClosed()) { // null, too, may be how the source gave up, and no end (STR-11)
        if (array != null) array.close();
        throw new IllegalStateException("the reader was closed");
      }
      ended = array == null;
      return array;
    } finally {
      reportFailure(unlock());
    }
  }

  private @Nullable DeviceArray pull() {
    try {
      DeviceArray array = source.next();
      if (array != null) {
        try {
          check(array, field, deviceType);
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
      failure = new DeviceException(StreamExport.errno(e), e.toString(), e);
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) Thread.currentThread().interrupt();
      failure = new DeviceException(StreamExport.errno(e), e.toString(), e);
      throw failure;
    }
  }

  /** An array that is not what its stream is of is an error (STR-08); it stays the caller's. */
  public static void check(DeviceArray array, Field field, DeviceType deviceType) {
    String wrong = mismatch(array, field, deviceType);
    if (wrong != null) throw DeviceException.invalid(wrong);
  }

  private static @Nullable String mismatch(DeviceArray array, Field field, DeviceType deviceType) {
    if (!array.device().type().equals(deviceType)) return "a stream of " + deviceType + " arrays gave one on " + array.device();
    if (!Layout.of(field).matches(Layout.of(array.field()))) return "a stream of " + field + " gave an array of " + array.field();
    return null;
  }

  /** The same error for another caller, with the stack of this call. */
  private static DeviceException repeated(DeviceException failure) {
    return new DeviceException(failure.errno(), String.valueOf(failure.getMessage()), failure);
  }

  @Override
  public void exportStream(MemorySegment out) {
    try {
      long stream = Structs.address(out, ArrowArrayStreamStruct.LAYOUT);
      ArrowArrayStreamStruct.setRelease(stream, 0);
      if (!deviceType.equals(DeviceType.CPU)) {
        throw DeviceException.invalid("an ArrowArrayStream is in main memory, but this stream is on " + deviceType + "; export a device stream");
      }
      export(export -> export.writeStream(stream));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  @Override
  public void exportDeviceArrayStream(MemorySegment out) {
    try {
      long stream = Structs.address(out, ArrowDeviceArrayStreamStruct.LAYOUT);
      ArrowDeviceArrayStreamStruct.setRelease(stream, 0);
      export(export -> export.writeDeviceArrayStream(stream));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  private void export(Consumer<StreamExport> write) {
    pulls.lock();
    try {
      checkOpen();
      DeviceArrayReaderImpl heir = new DeviceArrayReaderImpl(field, deviceType, source);
      heir.ended = ended;
      heir.failure = failure;
      StreamExport export;
      try {
        export = StreamExport.register(heir);
      } catch (Throwable t) {
        heir.spent();
        throw t;
      }
      if (!state.compareAndSet(State.OPEN, State.EXPORTED)) {
        export.undo();
        heir.spent();
        checkOpen();
      }
      spent();
      write.accept(export); // from here on nothing fails
    } finally {
      reportFailure(unlock());
    }
  }

  @Override
  public void close() {
    state.compareAndSet(State.OPEN, State.CLOSED);
    if (!isClosed() || sourceClosed) return;
    if (pulls.isHeldByCurrentThread()) return; // the source closes its own reader: next() does it
    if (!pulls.tryLock()) {
      cancelSource();
      return;
    }
    switch (unlock()) {
      case null -> {}
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable t -> throw new IllegalStateException("the source declares no " + t, t);
    }
  }

  /**
   * Leaves the lock, and closes the source if somebody wants it closed: a close that found the lock taken has left that to us.
   *
   * @return what closing the source failed with
   */
  private @Nullable Throwable unlock() {
    Throwable failed = null;
    do {
      try {
        if (isClosed() && !sourceClosed && pulls.getHoldCount() == 1) {
          synchronized (cancelling) {
            sourceClosed = true;
          }
          spent();
          source.close();
        }
      } catch (Throwable t) {
        failed = t;
      } finally {
        pulls.unlock();
      }
    } while (isClosed() && !pulls.isHeldByCurrentThread() && !sourceClosed && pulls.tryLock());
    return failed;
  }

  private void cancelSource() {
    synchronized (cancelling) {
      if (!sourceClosed) source.cancel();
    }
  }

  /** Whoever pulls gets its array, or its error, although the source that another thread wanted closed would not close. */
  private static void reportFailure(@Nullable Throwable failed) {
    if (failed != null) Faults.report("closing the source of a stream", failed);
  }

  private void spent() {
    Counts.READERS.decrement();
    if (watch != null) watch.closed();
  }

  private boolean isClosed() {
    return state.get() == State.CLOSED;
  }

  private void checkOpen() {
    switch (state.get()) {
      case OPEN -> {}
      case CLOSED -> throw new IllegalStateException("the reader was closed");
      case EXPORTED -> throw new IllegalStateException("the reader was exported");
    }
  }

  @Override
  public String toString() {
    return "stream of " + field + " on " + deviceType + (state.get() == State.OPEN ? "" : " (closed)");
  }
}
