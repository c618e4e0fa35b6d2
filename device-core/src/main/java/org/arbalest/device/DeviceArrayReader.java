package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.upcall.Faults;
import org.jspecify.annotations.Nullable;

/**
 * A stream of arrays of one type and device type, pulled one at a time: taken in from C, or made of any source here and handed to C.
 *
 * <p>Whoever has the reader closes it, or exports it; an array that was pulled belongs to whoever pulled it, and outlives the reader
 * (STR-05). May be used from any thread: calls of {@link #next} are taken in turn (STR-07). {@link #close} does not wait for a pull that is
 * under way; the stream is then released as soon as that pull returns.
 */
public final class DeviceArrayReader implements AutoCloseable {
  /** Where the arrays of a reader come from. Called by one thread at a time. */
  @FunctionalInterface
  public interface Source extends AutoCloseable {
    /**
     * The next array, which passes to the caller, or null at the end. May block. What it throws ends the stream: C gets an errno and the
     * message.
     */
    @Nullable DeviceArray next() throws Exception;

    /**
     * Asks {@link #next} to give up waiting, since the reader was closed; it may return or throw anything. Called by any thread, also more than
     * once, also when {@code next} has just returned, but never once {@link #close} has begun, which waits until this has returned; so this must not
     * wait for the pull. By default nothing happens, and closing takes effect when {@code next} returns by itself.
     */
    default void cancel() {}

    /** Frees what the source holds, arrays that nobody pulled included. Called once. */
    @Override
    default void close() {}
  }

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

  private DeviceArrayReader(Field field, DeviceType deviceType, Source source) {
    this(field, deviceType, source, new ReentrantLock());
  }

  /** With the lock that pulls are made under: a test's own can say what happens just before it is left. */
  DeviceArrayReader(Field field, DeviceType deviceType, Source source, ReentrantLock pulls) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.source = Objects.requireNonNull(source, "source");
    this.pulls = pulls;
    this.watch = Leaks.ENABLED ? Leaks.watch(this) : null;
    if (watch != null) watch.opened();
    Ledger.READERS.increment();
  }

  /**
   * A stream of what a source gives. Arrays that do not have this type and device type are an error (STR-08).
   *
   * @param field the type of each array
   * @param deviceType the device type of each array
   * @param source the arrays; passes to the reader
   */
  public static DeviceArrayReader of(Field field, DeviceType deviceType, Source source) {
    return new DeviceArrayReader(field, deviceType, source);
  }

  /** A stream of record batches; see {@link #of(Field, DeviceType, Source)}. */
  public static DeviceArrayReader of(Schema schema, DeviceType deviceType, Source source) {
    return of(schema.asField(), deviceType, source);
  }

  /** A stream of the batches given, which pass to the reader, in main memory. */
  public static DeviceArrayReader of(Schema schema, List<DeviceArray> batches) {
    Iterator<DeviceArray> rest = List.copyOf(Objects.requireNonNull(batches, "batches")).iterator();
    return of(
        schema,
        DeviceType.CPU,
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

  /**
   * Takes in a stream from C: moves the struct and asks for the schema. Whether or not that succeeds, {@code stream} is released afterwards.
   *
   * @param stream a live {@code ArrowArrayStream}
   * @throws DeviceException with the producer's errno and message if it has no schema for us
   */
  public static DeviceArrayReader importStream(MemorySegment stream) {
    try {
      return StreamSource.open(Structs.address(stream, ArrowArrayStreamStruct.LAYOUT), false);
    } finally {
      Reference.reachabilityFence(stream);
    }
  }

  /**
   * Takes in a device stream from C; like {@link #importStream}.
   *
   * @param stream a live {@code ArrowDeviceArrayStream}
   */
  public static DeviceArrayReader importDeviceStream(MemorySegment stream) {
    try {
      return StreamSource.open(Structs.address(stream, ArrowDeviceArrayStreamStruct.LAYOUT), true);
    } finally {
      Reference.reachabilityFence(stream);
    }
  }

  /** The type of each array. */
  public Field field() {
    return field;
  }

  /**
   * The schema of a stream of record batches.
   *
   * @throws IllegalArgumentException if the arrays are not structs
   */
  public Schema schema() {
    return field.schema();
  }

  /** The device type of each array; device ids may vary. */
  public DeviceType deviceType() {
    return deviceType;
  }

  /**
   * Pulls the next array, which passes to the caller; may block. After an error, all later calls throw the same error (STR-09).
   *
   * @return the array, or null at the end of the stream
   * @throws DeviceException what the producer failed with: its errno and message
   * @throws IllegalStateException if the reader was closed, also while the pull was under way
   */
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
  static void check(DeviceArray array, Field field, DeviceType deviceType) {
    String wrong = null;
    if (!array.device().type().equals(deviceType)) {
      wrong = "a stream of " + deviceType + " arrays gave one on " + array.device();
    } else if (!field.layout.matches(array.field().layout)) {
      wrong = "a stream of " + field + " gave an array of " + array.field();
    }
    if (wrong != null) throw DeviceException.invalid(wrong);
  }

  /** The same error for another caller, with the stack of this call. */
  private static DeviceException repeated(DeviceException failure) {
    return new DeviceException(failure.errno(), String.valueOf(failure.getMessage()), failure);
  }

  /**
   * Hands the stream to C as an {@code ArrowArrayStream}. This reader is spent. On failure it is not, and {@code out} is a released struct.
   *
   * <p>Of an export and a {@link #close} at the same time one wins (STR-11): C has the whole stream, and the close does nothing, or this throws.
   *
   * @param out memory for the struct; what is in it is overwritten
   * @throws DeviceException with {@code EINVAL} if the arrays are not in main memory
   * @throws IllegalStateException if the reader was closed or exported
   */
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

  /** Hands the stream to C as an {@code ArrowDeviceArrayStream}; like {@link #exportStream}, on any device. */
  public void exportDeviceStream(MemorySegment out) {
    try {
      long stream = Structs.address(out, ArrowDeviceArrayStreamStruct.LAYOUT);
      ArrowDeviceArrayStreamStruct.setRelease(stream, 0);
      export(export -> export.writeDeviceStream(stream));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  private void export(Consumer<StreamExport> write) {
    pulls.lock();
    try {
      checkOpen();
      DeviceArrayReader heir = new DeviceArrayReader(field, deviceType, source);
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

  /** Releases the stream; at once, or when the pull that is under way in another thread returns. Closing twice does nothing. */
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
    Ledger.READERS.decrement();
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
