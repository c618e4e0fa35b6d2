package org.arbalest.device.internal.array;

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
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.Schema;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.SchemaExport;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.jspecify.annotations.Nullable;

/** A handle: a holder of an array, and which part of it is shown. See {@link DeviceArray}. */
public final class DeviceArrayImpl implements DeviceArray {
  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(DeviceArrayImpl.class, "owner", Ownership.class);
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
  public DeviceArrayImpl(Device device, Field field, long struct, long offset, long length) {
    this.device = device;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.watch = Leaks.ENABLED ? Leaks.watch(this, "DeviceArray") : null;
  }

  /** Gives a new handle a holder of the array's memory, which the caller had. */
  public DeviceArray holding(Ownership holder) {
    owner = holder;
    if (watch != null) watch.opened();
    return this;
  }

  /** The implementation, which every {@link DeviceArray} is. */
  public static DeviceArrayImpl unwrap(DeviceArray array) {
    return (DeviceArrayImpl) array;
  }

  @Override
  public Device device() {
    return device;
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
  public long length() {
    return length;
  }

  @Override
  public @Nullable SyncEvent syncEvent() {
    Ownership owner = share();
    EventPoint point = owner.event();
    if (point != null && !point.isKnownDone()) return new SyncEventImpl(point, owner);
    boolean unknown = point == null && owner.syncEvent() != 0;
    owner.release();
    if (unknown) throw nobodyKnows();
    return null;
  }

  @Override
  public long syncEventAddress() {
    return holder().syncEvent();
  }

  @Override
  public boolean isReady() {
    SyncEvent event = syncEvent();
    if (event == null) return true;
    try (event) {
      return event.isDone();
    }
  }

  @Override
  public void synchronize() {
    SyncEvent event = syncEvent();
    if (event == null) return;
    try (event) {
      event.synchronize();
    }
  }

  @Override
  public boolean synchronize(Duration limit) throws InterruptedException {
    Objects.requireNonNull(limit, "limit");
    SyncEvent event = syncEvent();
    if (event == null) return true;
    try (event) {
      return event.synchronize(limit);
    }
  }

  @Override
  public CompletionStage<@Nullable Void> ready() {
    SyncEvent event = syncEvent();
    if (event == null) return CompletableFuture.completedFuture(null);
    try (event) {
      return event.completion();
    }
  }

  private DeviceException nobodyKnows() {
    return DeviceImpl.unwrap(device).refusal("nobody can wait for the array's event");
  }

  /** A new handle of the array on a device that reaches its memory without a copy (DEV-11); null if it does not. */
  public @Nullable DeviceArray viewOn(Device target) {
    if (target.equals(device)) return retain();
    DeviceImpl to = DeviceImpl.unwrap(target);
    boolean reached = holder().isCpuAccessible() && (to.isCpu() || to.reaches(device));
    return reached ? new DeviceArrayImpl(target, field, struct, offset, length).holding(share()) : null;
  }

  /** Lets what is queued in a stream from now on wait until the buffers can be read. */
  public void letWait(DeviceStreamImpl stream) {
    Ownership owner = share();
    try {
      EventPoint point = owner.event();
      if (point != null) {
        stream.waitFor(point);
      } else if (owner.syncEvent() != 0) {
        throw nobodyKnows();
      }
    } finally {
      owner.release();
    }
  }

  /** Keeps the memory until all that is in a stream now is done. */
  public void keepAlive(DeviceStreamImpl stream) {
    Ownership owner = share();
    try {
      stream.keep(owner);
    } finally {
      owner.release();
    }
  }

  @Override
  public DeviceArray retain() {
    return new DeviceArrayImpl(device, field, struct, offset, length).holding(share());
  }

  @Override
  public DeviceArray move() {
    return new DeviceArrayImpl(device, field, struct, offset, length).holding(spend());
  }

  @Override
  public DeviceArray slice(long from, long count) {
    Objects.checkFromIndexSize(from, count, length);
    return new DeviceArrayImpl(device, field, struct, offset + from, count).holding(share());
  }

  @Override
  public DeviceArray child(int index) {
    Ownership shared = share(); // before the struct is read: another thread may close this handle
    try {
      Layout layout = Layout.of(field);
      Objects.checkIndex(index, layout.children.length);
      long node = ArrowArrayStruct.child(struct, index);
      boolean rows = layout.shape.sharesRows();
      long start = ArrowArrayStruct.offset(node) + (rows ? offset : 0);
      return new DeviceArrayImpl(device, layout.children[index], node, start, rows ? length : ArrowArrayStruct.length(node)).holding(shared);
    } catch (Throwable t) {
      shared.release();
      throw t;
    }
  }

  @Override
  public void exportArray(MemorySegment out) {
    try {
      exportArray(Structs.address(out, ArrowArrayStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  @Override
  public void exportArray(MemorySegment out, MemorySegment schemaOut) {
    withSchema(out, ArrowArrayStruct.LAYOUT, schemaOut, this::exportArray);
  }

  @Override
  public void exportDeviceArray(MemorySegment out) {
    try {
      exportDeviceArray(Structs.address(out, ArrowDeviceArrayStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  @Override
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
      SchemaImporter.giveBack(schema);
      throw t;
    }
  }

  public void exportArray(long out) {
    ArrowArrayStruct.setRelease(out, 0);
    if (device.type().code() != 1) {
      throw new DeviceException(Errno.EINVAL, "an ArrowArray is in main memory, but this array is on " + device + "; export a device array");
    }
    if (holder().syncEvent() != 0) synchronize(); // an ArrowArray has no event
    export(out);
  }

  public void exportDeviceArray(long out) {
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
    if (point == null || point.device.equals(device) || DeviceImpl.unwrap(device).reaches(point.device)) return event;
    synchronize();
    return 0;
  }

  /** The count that this handle has passes to the export; if there is none to be had, the handle keeps it. */
  private void export(long out) {
    Ownership taken = spend();
    try {
      ArrayExport.export(taken, Layout.of(field), struct, offset, length, out);
    } catch (Throwable t) {
      OWNER.setVolatile(this, taken);
      if (watch != null) watch.opened();
      throw t;
    }
  }

  @Override
  public boolean isOpen() {
    return OWNER.getVolatile(this) != null;
  }

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

  public Ownership share() {
    Ownership shared = holder();
    shared.retain();
    return shared;
  }

  /** Whether the CPU can read the buffers, now. */
  public boolean isReadable() {
    if (!device.isCpuAccessible()) return false;
    Ownership owner = holder();
    return owner.syncEvent() == 0 || (owner.event() != null && isReady());
  }

  public long struct() {
    return struct;
  }

  public long offset() {
    return offset;
  }

  /** The owner of an open handle. */
  public Ownership holder() {
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
