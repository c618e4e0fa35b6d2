// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.VarHandles;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** A reference to an array's memory, with the visible part of the array. Any thread may close or export the handle. */
public abstract class Handle {
  private static final VarHandle OWNER = VarHandles.ofField(MethodHandles.lookup(), "owner", Object.class);

  /** The value of {@code owner} while the ownership is {@link #borrow borrowed}. */
  private static final Object BORROWED = new Object();

  /**
   * The {@link Ownership}, BORROWED, or null after this handle was closed or exported. Use OWNER to access it. It is
   * not volatile, because that would put a fence into the creation of a handle.
   */
  private @Nullable Object owner;

  final Device device;
  final Field field;

  /**
   * The {@code ArrowArray} that describes the buffers, in memory that the owner holds. Use {@link #struct(Ownership)}
   * to access it.
   */
  private final long struct;

  /**
   * The position of the first element in the struct's buffers. It is the struct's own offset, unless this is a slice.
   */
  final long offset;

  final long length;
  private final Leaks.@Nullable Watch watch;

  /** Whether the handle was passed on, for the error message. Other threads may see it late or never. */
  private boolean isHandedOn;

  /** Creates a handle without memory. The caller must then call {@link #open}, which cannot fail. */
  Handle(Device device, Field field, long struct, long offset, long length) {
    this.device = device;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.watch = Leaks.isDue() ? Leaks.watch(this, lost()) : null;
  }

  /** Creates another handle of the same struct, also without memory. */
  Handle(Handle of, Device device, long offset, long length) {
    this(device, of.field, of.struct, offset, length);
  }

  /** Returns the device of the array. */
  public final Device device() {
    return device;
  }

  /** Returns the field of the array. */
  public final Field field() {
    return field;
  }

  /**
   * Returns the {@code ArrowArray} that describes the buffers. Only a caller that holds its memory may call this.
   * Without a reference, another thread's {@link #close} frees the struct.
   *
   * @param held the reference that {@link #share} or {@link #consume} returned, and that the caller has not released
   *     yet
   */
  public final long struct(Ownership held) {
    return struct;
  }

  /**
   * Returns the struct for a caller that keeps the handle open, as the user of a bridge must. Throws if the handle is
   * consumed.
   */
  final long borrowedStruct() {
    checkOpen();
    return struct;
  }

  /** Returns the position of the first element in the struct's buffers. */
  public final long offset() {
    return offset;
  }

  /** Returns the number of elements. */
  public final long length() {
    return length;
  }

  /** Gives the caller's reference to a new handle. */
  final void open(Ownership holder) {
    owner = holder;
    if (watch != null) opened(watch, holder);
  }

  /** Throws nothing, because the handle is already open. */
  private static void opened(Leaks.Watch watch, Ownership holder) {
    try {
      watch.opened(holder.bytes());
    } catch (Throwable t) {
      Faults.report("watching an array for leaks", t);
    }
  }

  /** Returns whether the handle has a reference, which is not the case while it is borrowed. */
  public final boolean isOpen() {
    return OWNER.getVolatile(this) instanceof Ownership;
  }

  /** Closes the handle and releases its reference. Further calls have no effect. */
  public final void close() {
    Object taken = OWNER.getAndSet(this, null);
    if (taken == null) return;
    if (watch != null) watch.closed(this);
    // otherwise the borrower sees that the reference must not come back
    if (taken instanceof Ownership holder) holder.release();
  }

  /** Closes this handle, and gives its reference to the caller. */
  public final Ownership consume() {
    Ownership taken = take(null);
    isHandedOn = true;
    if (watch != null) watch.closed(this);
    return taken;
  }

  /**
   * Gives the handle's reference to a caller that may fail. After a failure, the caller {@linkplain #takeBack returns}
   * it. Otherwise the caller {@linkplain #keep keeps} it. No other thread can use it meanwhile.
   */
  public final Ownership borrow() {
    Ownership taken = take(BORROWED);
    isHandedOn = true;
    return taken;
  }

  /** Lets the borrower keep the reference. This handle is then consumed. */
  public final void keep() {
    if (OWNER.compareAndSet(this, BORROWED, null) && watch != null) watch.closed(this);
  }

  /** Reopens the handle with the borrowed reference, unless another thread has closed the handle meanwhile. */
  public final void takeBack(Ownership borrowed) {
    isHandedOn = false;
    if (!OWNER.compareAndSet(this, BORROWED, borrowed)) borrowed.release();
  }

  /** Takes the reference of an open handle. */
  private Ownership take(@Nullable Object instead) {
    Ownership current;
    do {
      current = open();
    } while (!OWNER.compareAndSet(this, current, instead));
    return current;
  }

  /** Adds a reference for the caller. Besides {@link #consume}, this is the only way to read the array's memory. */
  public final Ownership share() {
    Ownership shared = open();
    if (!shared.tryRetain()) throw consumed(); // another thread has just released the last reference
    return shared;
  }

  /**
   * Returns the ownership of an open handle, without a reference for the caller. The caller may only query data that is
   * known without the memory.
   */
  private Ownership open() {
    if (OWNER.getVolatile(this) instanceof Ownership current) return current;
    throw consumed();
  }

  /** Returns whether the CPU can read all buffers after the event has completed. */
  public final boolean isMemoryCpuAccessible() {
    return open().isCpuAccessible();
  }

  /** Returns whether an event exists that is not known to be complete. */
  final boolean mayHaveToWait() {
    return open().mayHaveToWait();
  }

  /** Returns which parts were copied when the array was made from another one, or null if it was not. */
  public final @Nullable Conversion conversion() {
    return open().conversion();
  }

  /** Returns the origin of an array in memory of another owner, or null. */
  public final @Nullable Object origin() {
    return open() instanceof ForeignOwner owner ? owner.origin() : null;
  }

  /**
   * Throws if this handle was consumed before. It is for loops that read the array. It does not slow them down, because
   * it is a plain read, which the JIT does once.
   */
  public final void checkOpen() {
    if (owner == null) throw consumed();
  }

  /**
   * Returns the event to wait for before the buffers are read, or null if no wait is necessary. The caller closes it.
   */
  public final @Nullable SyncEvent syncEvent() {
    if (!mayHaveToWait()) return null;
    Ownership owner = share();
    EventPoint point = owner.event();
    if (point != null && !point.isKnownDone()) return new SyncEventImpl(point, owner);
    boolean unknown = point == null && owner.syncEvent() != 0;
    owner.release();
    if (unknown) throw nobodyKnows();
    return null;
  }

  /** Blocks until the buffers can be read. */
  public final void synchronize() {
    SyncEvent event = syncEvent();
    if (event == null) return;
    try (event) {
      event.synchronize();
    }
  }

  final DeviceException nobodyKnows() {
    return DeviceImpl.unwrap(device).refusal("the library cannot wait for the array's event");
  }

  /** Returns the name of this array in the report of a leak. The bytes follow it. */
  private String lost() {
    return (field.type() instanceof StructType ? "RecordBatch " : "DeviceArray ") + RecordedArrays.type(this) + ", "
        + DeviceArrayImpl.counted(length, "row") + ", on "
        + device;
  }

  private IllegalStateException consumed() {
    String how = isHandedOn ? "consumed by an export, by move() or by its new owner: " : "closed: ";
    return new IllegalStateException("the array was " + how + title() + "; call retain() first to keep a handle");
  }

  /** Returns the type, length and device of the array, even if it is consumed. */
  public abstract String title();
}
