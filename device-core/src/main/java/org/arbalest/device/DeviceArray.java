package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.Errno;
import org.jspecify.annotations.Nullable;

/**
 * One holder of an array, usually of a record batch: the unit of ownership.
 *
 * <p>Made of buffers ({@link #of}), taken in from C ({@link #importArray}), or given by another handle ({@link #retain}, {@link #slice},
 * {@link #child}). All handles of an array share its memory, which is freed, or released to its producer, when the last one was closed and C
 * has released every export. Each handle is closed, or exported, by whoever holds it; closing twice does nothing. Content does not change.
 *
 * <p>A handle may be used by one thread at a time; different handles of one array by any. {@link #close} and {@link #retain} are safe
 * against each other on any thread.
 */
public final class DeviceArray implements AutoCloseable {
  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(DeviceArray.class, "owner", Ownership.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Null when this handle was closed or exported; use OWNER. Not volatile, since that puts a fence into making a handle. */
  @SuppressWarnings("UnusedVariable") // read through OWNER
  private @Nullable Ownership owner;

  private final Device device;
  private final Field field;

  /** The {@code ArrowArray} that describes the buffers; in memory that the owner holds. */
  private final long struct;

  /** Where this array begins in the struct's buffers; the struct's own offset, unless this is a slice. */
  private final long offset;

  private final long length;
  private final Leaks.@Nullable Watch watch;

  /** A handle that holds nothing yet: {@link #holding} must follow, and cannot fail. */
  DeviceArray(Device device, Field field, long struct, long offset, long length) {
    this.device = device;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.watch = Leaks.ENABLED ? Leaks.watch(this) : null;
  }

  /** Gives a new handle a holder of the array's memory, which the caller had. */
  DeviceArray holding(Ownership holder) {
    owner = holder;
    if (watch != null) watch.opened();
    return this;
  }

  /**
   * Makes an array of buffers, which it takes over. On failure the buffers are still the caller's.
   *
   * @param field the type
   * @param data the buffers and children, of the type's shape, all on one device (DEV-08); without any, the array is on the CPU
   * @throws DeviceException with {@code EINVAL} if they do not fit: the path, what is wrong, the numbers
   */
  public static DeviceArray of(Field field, ArrayData data) {
    return of(field, data, BuiltArray.deviceOf(data, Devices.cpu()));
  }

  /** Makes a record batch of buffers; see {@link #of(Field, ArrayData)}. */
  public static DeviceArray of(Schema schema, ArrayData data) {
    return of(schema.asField(), data);
  }

  /**
   * Makes an array of buffers, which it takes over; see {@link #of(Field, ArrayData)}.
   *
   * @param device where the buffers are, also if there are none
   */
  public static DeviceArray of(Field field, ArrayData data, Device device) {
    Objects.requireNonNull(device, "device");
    BuiltArray.requireOn(device, data);
    BufferSizes.check(field, data);
    return BuiltArray.build(device, field, data, null);
  }

  /** Makes a record batch of buffers; see {@link #of(Field, ArrayData, Device)}. */
  public static DeviceArray of(Schema schema, ArrayData data, Device device) {
    return of(schema.asField(), data, device);
  }

  /**
   * Makes an array of buffers that queued work still writes to: it is ready when all that is in the stream now is done (DEV-05). See {@link
   * #of(Field, ArrayData)}; what the offsets say is not checked, since they may not be written yet.
   *
   * @param stream where that work was queued; without buffers, the array is on its device
   */
  public static DeviceArray of(Field field, ArrayData data, DeviceStream stream) {
    Device device = BuiltArray.deviceOf(data, stream.device());
    BuiltArray.requireOn(device, data);
    BufferSizes.checkUnwritten(field, data);
    RecordedEvent event = stream.recordEvent();
    try {
      return BuiltArray.build(device, field, data, event);
    } catch (Throwable t) {
      event.release();
      throw t;
    }
  }

  /** Makes a record batch of buffers that queued work still writes to; see {@link #of(Field, ArrayData, DeviceStream)}. */
  public static DeviceArray of(Schema schema, ArrayData data, DeviceStream stream) {
    return of(schema.asField(), data, stream);
  }

  /**
   * Takes in an array from C: moves the struct and validates its structure. Whether or not that succeeds, {@code array} is released
   * afterwards (OWN-08): the handle returned holds what was in it, or it went back to its producer. Only an argument that can be no struct, since
   * it is NULL, too small, misaligned or not this thread's, is refused before anything is touched.
   *
   * @param array a live {@code ArrowArray} in CPU memory
   * @param field its type
   * @throws DeviceException with {@code EINVAL} if the array is malformed: the path, what is wrong, the numbers
   */
  public static DeviceArray importArray(MemorySegment array, Field field) {
    Objects.requireNonNull(field, "field");
    try {
      return ArrayImport.take(Structs.address(array, ArrowArrayStruct.LAYOUT), field, false);
    } finally {
      Reference.reachabilityFence(array);
    }
  }

  /** Takes in a record batch from C; see {@link #importArray(MemorySegment, Field)}. */
  public static DeviceArray importArray(MemorySegment array, Schema schema) {
    return importArray(array, schema.asField());
  }

  /** Takes in an array and its schema from C; both structs are released afterwards, also on failure. */
  public static DeviceArray importArray(MemorySegment array, MemorySegment schema) {
    try {
      return ArrayImport.take(Structs.address(array, ArrowArrayStruct.LAYOUT), Structs.address(schema, ArrowSchemaStruct.LAYOUT), false);
    } finally {
      Reference.reachabilityFence(array);
      Reference.reachabilityFence(schema);
    }
  }

  /**
   * Takes in a device array from C; like {@link #importArray(MemorySegment, Field)}. The buffers may be on any device, also on one that no
   * backend serves (DEV-09), or that is missing now: see {@link Device}. Nothing reads them.
   *
   * @param array a live {@code ArrowDeviceArray}
   * @param field its type
   */
  public static DeviceArray importDeviceArray(MemorySegment array, Field field) {
    Objects.requireNonNull(field, "field");
    try {
      return ArrayImport.take(Structs.address(array, ArrowDeviceArrayStruct.LAYOUT), field, true);
    } finally {
      Reference.reachabilityFence(array);
    }
  }

  /** Takes in a record batch from C; see {@link #importDeviceArray(MemorySegment, Field)}. */
  public static DeviceArray importDeviceArray(MemorySegment array, Schema schema) {
    return importDeviceArray(array, schema.asField());
  }

  /** Takes in a device array and its schema from C; both structs are released afterwards, also on failure. */
  public static DeviceArray importDeviceArray(MemorySegment array, MemorySegment schema) {
    try {
      return ArrayImport.take(Structs.address(array, ArrowDeviceArrayStruct.LAYOUT), Structs.address(schema, ArrowSchemaStruct.LAYOUT), true);
    } finally {
      Reference.reachabilityFence(array);
      Reference.reachabilityFence(schema);
    }
  }

  /** Where the buffers are. */
  public Device device() {
    return device;
  }

  /** The type. */
  public Field field() {
    return field;
  }

  /**
   * The schema of a record batch.
   *
   * @throws IllegalArgumentException if the array is not a struct
   */
  public Schema schema() {
    return field.schema();
  }

  /** The number of elements: the rows of a record batch. */
  public long length() {
    return length;
  }

  /**
   * The event that completes when the buffers can be read; to be closed by the caller, and usable when this handle is not any more. Null if they
   * can be read now (DEV-04).
   *
   * @throws DeviceException with {@code ENOSYS} if no backend knows the device and its events
   */
  public @Nullable SyncEvent syncEvent() {
    Ownership owner = share();
    EventPoint point = owner.event();
    if (point != null && !point.isKnownDone()) return new SyncEvent(point, owner);
    boolean unknown = point == null && owner.syncEvent() != 0;
    owner.release();
    if (unknown) throw nobodyKnows();
    return null;
  }

  /** A pointer to the handle of the event to wait for before the buffers are read, or 0 if they can be read now (DEV-03, DEV-04). */
  public long syncEventAddress() {
    return holder().syncEvent();
  }

  /**
   * Whether the buffers can be read: by the CPU if it can reach them, by other queues than the one that writes them. Does not wait.
   *
   * @throws DeviceException with what writing them failed with
   */
  public boolean isReady() {
    SyncEvent event = syncEvent();
    if (event == null) return true;
    try (event) {
      return event.isDone();
    }
  }

  /** Blocks until the buffers can be read; see {@link SyncEvent#synchronize()}. */
  public void synchronize() {
    SyncEvent event = syncEvent();
    if (event == null) return;
    try (event) {
      event.synchronize();
    }
  }

  /** Blocks until the buffers can be read, or for some time; see {@link SyncEvent#synchronize(Duration)}. */
  public boolean synchronize(Duration limit) throws InterruptedException {
    Objects.requireNonNull(limit, "limit");
    SyncEvent event = syncEvent();
    if (event == null) return true;
    try (event) {
      return event.synchronize(limit);
    }
  }

  /** Completes when the buffers can be read; see {@link SyncEvent#completion}. The handle may be closed meanwhile. */
  public CompletionStage<@Nullable Void> ready() {
    SyncEvent event = syncEvent();
    if (event == null) return CompletableFuture.completedFuture(null);
    try (event) {
      return event.completion();
    }
  }

  private DeviceException nobodyKnows() {
    return new DeviceException(Errno.ENOSYS, "no backend serves " + device + ", so nobody can wait for the array's event");
  }

  /**
   * Copies the array to a device, by the default stream of the one that is not the CPU; see {@link #copyTo(MemoryManager, DeviceStream)}.
   *
   * @param target where to; may be where it is
   */
  public DeviceArray copyTo(Device target) {
    return copyTo(target, (target.isCpu() ? device : target).defaultStream());
  }

  /** Copies the array to a device's own memory; see {@link #copyTo(MemoryManager, DeviceStream)}. */
  public DeviceArray copyTo(Device target, DeviceStream stream) {
    return copyTo(target.memory(), stream);
  }

  /**
   * Copies the array to another memory: into one allocation, by copies queued in a stream behind whatever the stream is told to wait for, and
   * behind this array's event. The result has an event that completes when the copy is done, unless it is done already; this handle may be closed
   * at once. Of a slice only what it shows is copied, but for what only the buffers' content could tell: the elements of lists, the children of
   * dense unions and of run-ends, the data of views, dictionaries, and text whose offsets the CPU cannot read are copied whole.
   *
   * <p>Returns before the copy is done where the stream's device works by itself, with these exceptions. The lengths of text and binary are known
   * only from their offsets: where these are on the device, they are fetched first, all at once, which waits for the stream. Where no runtime
   * reaches both devices, the array goes through main memory, which waits for the first of the two copies. And an event of a runtime that the
   * stream's knows nothing of is waited for here.
   *
   * @param target where to
   * @param stream of either device
   * @return the copy, to be closed by the caller
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code EINVAL} if the array is malformed, {@code ENOSYS} if either
   *     device is opaque, or what the driver failed with
   */
  public DeviceArray copyTo(MemoryManager target, DeviceStream stream) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(stream, "stream");
    Ownership owner = share();
    try {
      return ArrayCopy.copy(this, owner, target, stream);
    } finally {
      owner.release();
    }
  }

  /**
   * The array on a device, without a copy if that can reach the memory where it is (DEV-11), else by {@link #copyTo(Device, DeviceStream)}.
   * Either way the result is to be closed by the caller, and has to be waited for if this has.
   */
  public DeviceArray viewOrCopyTo(Device target, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    if (target.equals(device)) return retain();
    return canView(target) ? view(target) : copyTo(target, stream);
  }

  /** See {@link #viewOrCopyTo(Device, DeviceStream)}; a copy is made by a default stream. */
  public DeviceArray viewOrCopyTo(Device target) {
    if (target.equals(device)) return retain();
    return canView(target) ? view(target) : copyTo(target);
  }

  private DeviceArray view(Device target) {
    return new DeviceArray(target, field, struct, offset, length).holding(share());
  }

  private boolean canView(Device target) {
    return holder().isCpuAccessible() && (target.isCpu() || target.reaches(device));
  }

  /** The column of a record batch at a position. Borrowed: it can be used while this handle is open. */
  public Column column(int index) {
    return asColumn().column(index);
  }

  /**
   * The first column of this name. Borrowed: it can be used while this handle is open.
   *
   * @throws IllegalArgumentException if there is none; names those that are there
   */
  public Column column(String name) {
    return asColumn().column(name);
  }

  /** The array itself as a column. Borrowed: it can be used while this handle is open. */
  public Column asColumn() {
    holder();
    return new Column(this, field, struct, offset, length);
  }

  /** One more handle of the same array, to be closed by the caller. */
  public DeviceArray retain() {
    return new DeviceArray(device, field, struct, offset, length).holding(share());
  }

  /** This handle's array as a new handle, to be closed by the caller; this one is spent. */
  public DeviceArray move() {
    return new DeviceArray(device, field, struct, offset, length).holding(spend());
  }

  /**
   * A handle of some of the elements, without a copy; to be closed by the caller.
   *
   * @param from the first element
   * @param count how many
   */
  public DeviceArray slice(long from, long count) {
    Objects.checkFromIndexSize(from, count, length);
    return new DeviceArray(device, field, struct, offset + from, count).holding(share());
  }

  /**
   * A handle of a child: of a column, in a record batch; to be closed by the caller. It may outlive this one.
   *
   * @param index the child's position in the type
   */
  public DeviceArray child(int index) {
    Column child = asColumn().childAt(index);
    return new DeviceArray(device, child.field(), child.struct(), child.offset(), child.length()).holding(share());
  }

  /**
   * Hands the array to C as an {@code ArrowArray}, without a copy. This handle is spent; {@link #retain} first to keep one. On failure it is
   * not, and {@code out} is a released struct (OWN-09).
   *
   * @param out memory for the struct; what is in it is overwritten
   * @throws DeviceException with {@code EINVAL} if the buffers are not in main memory, {@code ENOMEM} if memory runs out
   */
  public void exportArray(MemorySegment out) {
    try {
      exportArray(Structs.address(out, ArrowArrayStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  /** Hands the array and its schema to C. On failure both are released structs (OWN-09). */
  public void exportArray(MemorySegment out, MemorySegment schemaOut) {
    withSchema(out, ArrowArrayStruct.LAYOUT, schemaOut, this::exportArray);
  }

  /**
   * Hands the array to C as an {@code ArrowDeviceArray}, without a copy; like {@link #exportArray(MemorySegment)}, for buffers on any
   * device. An array that is not ready yet goes with its event, for which the consumer waits; after {@link #synchronize} it goes without one
   * (DEV-15). An array on the CPU never has one (DEV-02): it is waited for here.
   *
   * @param out memory for the struct; what is in it is overwritten
   */
  public void exportDeviceArray(MemorySegment out) {
    try {
      exportDeviceArray(Structs.address(out, ArrowDeviceArrayStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  /** Hands the device array and its schema to C. On failure both are released structs (OWN-09). */
  public void exportDeviceArray(MemorySegment out, MemorySegment schemaOut) {
    withSchema(out, ArrowDeviceArrayStruct.LAYOUT, schemaOut, this::exportDeviceArray);
  }

  private void withSchema(MemorySegment out, StructLayout layout, MemorySegment schemaOut, LongConsumer export) {
    try {
      long schema;
      long array;
      try {
        schema = Structs.address(schemaOut, ArrowSchemaStruct.LAYOUT);
        ArrowSchemaStruct.setRelease(schema, 0);
      } finally { // also if the other one is no memory for its struct
        array = Structs.address(out, layout);
        ArrowArrayStruct.setRelease(array, 0);
      }
      exportBoth(array, schema, export);
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  private void exportBoth(long array, long schema, LongConsumer export) {
    SchemaExport.exportSchema(field, schema);
    try {
      export.accept(array);
    } catch (Throwable t) {
      Calls.releaseSchema(schema);
      throw t;
    }
  }

  void exportArray(long out) {
    ArrowArrayStruct.setRelease(out, 0);
    if (device.type().code() != 1) {
      throw new DeviceException(Errno.EINVAL, "an ArrowArray is in main memory, but this array is on " + device + "; export a device array");
    }
    if (holder().syncEvent() != 0) synchronize(); // an ArrowArray has no event
    export(out);
  }

  void exportDeviceArray(long out) {
    ArrowArrayStruct.setRelease(out, 0);
    ArrowDeviceArrayStruct.setDeviceId(out, device.id());
    ArrowDeviceArrayStruct.setDeviceType(out, device.type().code());
    ArrowDeviceArrayStruct.setSyncEvent(out, eventForConsumer());
    ArrowDeviceArrayStruct.clearReserved(out);
    export(out);
  }

  /** A pointer to the event that the consumer is to wait for; if it is of a kind that the consumer will not know, waits itself. */
  private long eventForConsumer() {
    Ownership owner = holder();
    long event = owner.syncEvent();
    if (event == 0) return 0;
    EventPoint point = owner.event();
    if (point == null || point.device.equals(device) || device.reaches(point.device)) return event;
    synchronize();
    return 0;
  }

  /** The count that this handle has passes to the export; if there is none to be had, the handle keeps it. */
  private void export(long out) {
    Ownership taken = spend();
    try {
      ArrayExport.export(taken, field.layout, struct, offset, length, out);
    } catch (Throwable t) {
      OWNER.setVolatile(this, taken);
      if (watch != null) watch.opened();
      throw t;
    }
  }

  /** Whether this handle can be used. */
  public boolean isOpen() {
    return OWNER.getVolatile(this) != null;
  }

  /** Gives up this handle. The array is freed, or released to its producer, if it was the last. */
  @Override
  public void close() {
    Ownership taken = (Ownership) OWNER.getAndSet(this, null);
    if (taken == null) return;
    if (watch != null) watch.closed();
    taken.release();
  }

  private Ownership spend() {
    Ownership taken = (Ownership) OWNER.getAndSet(this, null);
    if (taken == null) throw spent();
    if (watch != null) watch.closed();
    return taken;
  }

  private Ownership share() {
    Ownership shared = holder();
    shared.retain();
    return shared;
  }

  /** Whether the CPU can read the buffers, now. */
  boolean isReadable() {
    if (!device.isCpuAccessible()) return false;
    Ownership owner = holder();
    return owner.syncEvent() == 0 || (owner.event() != null && isReady());
  }

  long struct() {
    return struct;
  }

  long offset() {
    return offset;
  }

  /** The owner of an open handle. */
  Ownership holder() {
    Ownership current = (Ownership) OWNER.getVolatile(this);
    if (current == null) throw spent();
    return current;
  }

  private static IllegalStateException spent() {
    return new IllegalStateException("the array was closed or exported; call retain() first to keep a handle");
  }

  /** The type, the length and the device. */
  @Override
  public String toString() {
    return field + ", length " + length + ", on " + device + (isOpen() ? "" : " (closed)");
  }
}
