package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.DeviceType;
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
   * @param data the buffers and children, of the type's shape, all on one device (DEV-08)
   * @throws DeviceException with {@code EINVAL} if they do not fit: the path, what is wrong, the numbers
   */
  public static DeviceArray of(Field field, ArrayData data) {
    List<DeviceBuffer> buffers = data.allBuffers();
    Device device = buffers.isEmpty() ? Devices.cpu() : buffers.getFirst().device();
    for (DeviceBuffer buffer : buffers) {
      if (!buffer.device().equals(device)) {
        throw DeviceException.invalid("the buffers of an array are on one device, but these are on " + device + " and " + buffer.device());
      }
    }
    BufferSizes.check(field, data);
    List<DeviceBuffer> taken = new ArrayList<>(buffers.size());
    try {
      for (DeviceBuffer buffer : buffers) {
        if (!buffer.take()) throw new IllegalStateException("a buffer was closed, moved into another array, or given twice: " + buffer);
        taken.add(buffer);
      }
      return BuiltArray.build(device, field, data, taken);
    } catch (Throwable t) {
      taken.forEach(DeviceBuffer::untake);
      throw t;
    }
  }

  /** Makes a record batch of buffers; see {@link #of(Field, ArrayData)}. */
  public static DeviceArray of(Schema schema, ArrayData data) {
    return of(schema.asField(), data);
  }

  /**
   * Takes in an array from C: moves the struct and validates its structure. Whether or not that succeeds, {@code array} is released
   * afterwards (OWN-08): the handle returned holds what was in it, or it went back to its producer.
   *
   * @param array a live {@code ArrowArray} in CPU memory
   * @param field its type
   * @throws DeviceException with {@code EINVAL} if the array is malformed: the path, what is wrong, the numbers
   */
  public static DeviceArray importArray(MemorySegment array, Field field) {
    Objects.requireNonNull(field, "field");
    return take(Structs.address(array, ArrowArrayStruct.LAYOUT), field, false);
  }

  /** Takes in a record batch from C; see {@link #importArray(MemorySegment, Field)}. */
  public static DeviceArray importArray(MemorySegment array, Schema schema) {
    return importArray(array, schema.asField());
  }

  /** Takes in an array and its schema from C; both structs are released afterwards, also on failure. */
  public static DeviceArray importArray(MemorySegment array, MemorySegment schema) {
    return take(Structs.address(array, ArrowArrayStruct.LAYOUT), Structs.address(schema, ArrowSchemaStruct.LAYOUT), false);
  }

  /**
   * Takes in a device array from C; like {@link #importArray(MemorySegment, Field)}. The buffers may be on any device, also on one that no
   * backend serves (DEV-09); nothing reads them.
   *
   * @param array a live {@code ArrowDeviceArray}
   * @param field its type
   */
  public static DeviceArray importDeviceArray(MemorySegment array, Field field) {
    Objects.requireNonNull(field, "field");
    return take(Structs.address(array, ArrowDeviceArrayStruct.LAYOUT), field, true);
  }

  /** Takes in a record batch from C; see {@link #importDeviceArray(MemorySegment, Field)}. */
  public static DeviceArray importDeviceArray(MemorySegment array, Schema schema) {
    return importDeviceArray(array, schema.asField());
  }

  /** Takes in a device array and its schema from C; both structs are released afterwards, also on failure. */
  public static DeviceArray importDeviceArray(MemorySegment array, MemorySegment schema) {
    return take(Structs.address(array, ArrowDeviceArrayStruct.LAYOUT), Structs.address(schema, ArrowSchemaStruct.LAYOUT), true);
  }

  private static DeviceArray take(long source, long schema, boolean isDeviceArray) {
    Field field;
    try {
      field = SchemaImporter.importSchema(schema);
    } catch (Throwable t) {
      Calls.releaseArray(source);
      throw t;
    }
    return take(source, field, isDeviceArray);
  }

  /** Moves the struct at {@code source} to memory of ours, or releases it. */
  static DeviceArray take(long source, Field field, boolean isDeviceArray) {
    if (ArrowArrayStruct.release(source) == 0) throw DeviceException.invalid("$: the array was released before it was imported");
    long block = 0;
    try {
      Device device = isDeviceArray ? deviceOf(source) : Devices.cpu();
      Structure.validate(field, source);
      block = NativeHeap.allocate(ArrowDeviceArrayStruct.SIZE);
      if (!isDeviceArray) ArrowDeviceArrayStruct.setSyncEvent(block, 0);
      long offset = ArrowArrayStruct.offset(source);
      DeviceArray array = new DeviceArray(device, field, block, offset, ArrowArrayStruct.length(source));
      ImportedArray owner = new ImportedArray(block);
      if (isDeviceArray) {
        ArrowDeviceArrayStruct.move(source, block);
      } else {
        ArrowArrayStruct.move(source, block);
      }
      return array.holding(owner);
    } catch (Throwable t) {
      NativeHeap.free(block);
      Calls.releaseArray(source);
      throw t;
    }
  }

  /** Takes over a live {@code ArrowDeviceArray} in a block of ours; on failure both are released. */
  static DeviceArray adopt(long block, Field field) {
    try {
      Device device = deviceOf(block);
      Structure.validate(field, block);
      DeviceArray array = new DeviceArray(device, field, block, ArrowArrayStruct.offset(block), ArrowArrayStruct.length(block));
      return array.holding(new ImportedArray(block));
    } catch (Throwable t) {
      Calls.releaseArray(block);
      NativeHeap.free(block);
      throw t;
    }
  }

  private static Device deviceOf(long array) {
    int type = ArrowDeviceArrayStruct.deviceType(array);
    if (type != 1) return Devices.find(new DeviceType(type), ArrowDeviceArrayStruct.deviceId(array));
    if (ArrowDeviceArrayStruct.syncEvent(array) != 0) {
      throw DeviceException.invalid("$: a CPU array has a sync_event, which nobody can wait for; the CPU has no events");
    }
    return Devices.cpu();
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

  /** A pointer to the event to wait for before the buffers are read, or 0 if they can be read now (DEV-03, DEV-04). */
  public long syncEvent() {
    return holder().syncEvent();
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
    exportArray(Structs.address(out, ArrowArrayStruct.LAYOUT));
  }

  /** Hands the array and its schema to C. On failure both are released structs (OWN-09). */
  public void exportArray(MemorySegment out, MemorySegment schemaOut) {
    withSchema(out, ArrowArrayStruct.LAYOUT, schemaOut, this::exportArray);
  }

  /**
   * Hands the array to C as an {@code ArrowDeviceArray}, without a copy; like {@link #exportArray(MemorySegment)}, for buffers on any
   * device.
   *
   * @param out memory for the struct; what is in it is overwritten
   */
  public void exportDeviceArray(MemorySegment out) {
    exportDeviceArray(Structs.address(out, ArrowDeviceArrayStruct.LAYOUT));
  }

  /** Hands the device array and its schema to C. On failure both are released structs (OWN-09). */
  public void exportDeviceArray(MemorySegment out, MemorySegment schemaOut) {
    withSchema(out, ArrowDeviceArrayStruct.LAYOUT, schemaOut, this::exportDeviceArray);
  }

  private void withSchema(MemorySegment out, StructLayout layout, MemorySegment schemaOut, LongConsumer export) {
    long schema;
    long array;
    try {
      schema = Structs.address(schemaOut, ArrowSchemaStruct.LAYOUT);
      ArrowSchemaStruct.setRelease(schema, 0);
    } finally { // also if the other one is no memory for its struct
      array = Structs.address(out, layout);
      ArrowArrayStruct.setRelease(array, 0);
    }
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
    export(out);
  }

  void exportDeviceArray(long out) {
    ArrowArrayStruct.setRelease(out, 0);
    ArrowDeviceArrayStruct.setDeviceId(out, device.id());
    ArrowDeviceArrayStruct.setDeviceType(out, device.type().code());
    ArrowDeviceArrayStruct.setSyncEvent(out, syncEvent());
    ArrowDeviceArrayStruct.clearReserved(out);
    export(out);
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
