// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.types.Field;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.VarHandles;
import org.jspecify.annotations.Nullable;

/**
 * A holder of an array's memory, until it is closed or exported, by any thread; and which part of the array is shown.
 */
public abstract class Handle {
  private static final VarHandle OWNER = VarHandles.ofField(MethodHandles.lookup(), "owner", Object.class);

  /** Stands for the owner while it is {@link #borrow lent}. */
  private static final Object BORROWED = new Object();

  /**
   * The {@link Ownership}; LENT; or null when this handle was closed or exported. Use OWNER. Not volatile, since that
   * puts a fence into making a handle.
   */
  private @Nullable Object owner;

  final Device device;
  final Field field;

  /**
   * The {@code ArrowArray} that describes the buffers; in memory that the owner holds. Use {@link #struct(Ownership)}.
   */
  private final long struct;

  /** Where this array begins in the struct's buffers; the struct's own offset, unless this is a slice. */
  final long offset;

  final long length;
  private final Leaks.@Nullable Watch watch;

  /** How it was consumed, for the error; seen late by other threads, if at all. */
  private boolean isHandedOn;

  /** One that holds nothing yet: {@link #open} must follow, and cannot fail. */
  Handle(Device device, Field field, long struct, long offset, long length) {
    this.device = device;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.watch = Leaks.isDue() ? Leaks.watch(this, lost()) : null;
  }

  /** Another one of the same struct, likewise. */
  Handle(Handle of, Device device, long offset, long length) {
    this(device, of.field, of.struct, offset, length);
  }

  public final Device device() {
    return device;
  }

  public final Field field() {
    return field;
  }

  /**
   * The {@code ArrowArray} that describes the buffers. Only for who holds its memory: without a hold, another thread's
   * {@link #close} frees the struct.
   *
   * @param held what {@link #share} or {@link #consume} gave to the caller, who has not released it yet
   */
  public final long struct(Ownership held) {
    return struct;
  }

  /** The same for who keeps the handle open, as a bridge's user must; throws if it is consumed. */
  final long borrowedStruct() {
    checkOpen();
    return struct;
  }

  public final long offset() {
    return offset;
  }

  public final long length() {
    return length;
  }

  /** Gives a new handle its holder, which the caller had. */
  final void open(Ownership holder) {
    owner = holder;
    if (watch != null) watch.opened(holder.bytes());
  }

  public final boolean isOpen() {
    return OWNER.getVolatile(this) instanceof Ownership;
  }

  public final void close() {
    Object taken = OWNER.getAndSet(this, null);
    if (taken == null) return;
    if (watch != null) watch.closed();
    // else whoever it is lent to sees that it is not to come back
    if (taken instanceof Ownership holder) holder.release();
  }

  /** Closes this handle, and gives its holder to the caller. */
  public final Ownership consume() {
    Ownership taken = take(null);
    isHandedOn = true;
    if (watch != null) watch.closed();
    return taken;
  }

  /**
   * Gives its holder to a caller that may fail: to be {@link #takeBack given back} then, and else to be
   * {@link #keep kept}. Nobody else can use it meanwhile.
   */
  public final Ownership borrow() {
    Ownership taken = take(BORROWED);
    isHandedOn = true;
    return taken;
  }

  /** The caller that it was lent to keeps the holder: this handle is consumed. */
  public final void keep() {
    if (OWNER.compareAndSet(this, BORROWED, null) && watch != null) watch.closed();
  }

  /** Opens it again with what was lent, unless another thread has closed it meanwhile. */
  public final void takeBack(Ownership borrowed) {
    isHandedOn = false;
    if (!OWNER.compareAndSet(this, BORROWED, borrowed)) borrowed.release();
  }

  /** Takes the holder of an open handle. */
  private Ownership take(@Nullable Object instead) {
    Ownership current;
    do {
      current = open();
    } while (!OWNER.compareAndSet(this, current, instead));
    return current;
  }

  /** Another holder, for the caller. The only way to what the array's memory says, besides {@link #consume}. */
  public final Ownership share() {
    Ownership shared = open();
    if (!shared.tryRetain()) throw consumed(); // closed just now, by the last that held it
    return shared;
  }

  /** Who holds an open handle's memory, but not for the caller: to be asked only what it knows without that memory. */
  private Ownership open() {
    if (OWNER.getVolatile(this) instanceof Ownership current) return current;
    throw consumed();
  }

  /** Whether the CPU can read all buffers, once the event has completed. */
  public final boolean isMemoryCpuAccessible() {
    return open().isCpuAccessible();
  }

  /** Whether there is an event that is not known to be complete. */
  final boolean mayHaveToWait() {
    return open().mayHaveToWait();
  }

  public final @Nullable Conversion conversion() {
    return open().conversion();
  }

  public final @Nullable Object origin() {
    return open() instanceof ForeignOwner owner ? owner.origin() : null;
  }

  /**
   * Throws if this handle was consumed before; for loops that read, which it does not hold up: a plain read, which the
   * JIT does once.
   */
  public final void checkOpen() {
    if (owner == null) throw consumed();
  }

  /** What to wait for before the buffers are read; null if there is nothing. The caller closes it. */
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

  public final void synchronize() {
    SyncEvent event = syncEvent();
    if (event == null) return;
    try (event) {
      event.synchronize();
    }
  }

  final DeviceException nobodyKnows() {
    return DeviceImpl.unwrap(device).refusal("nobody can wait for the array's event");
  }

  /** What the report of a leak calls it; the bytes follow. */
  private String lost() {
    return "DeviceArray " + RecordedArrays.type(this) + ", " + DeviceArrayImpl.counted(length, "row") + ", on "
        + device;
  }

  private IllegalStateException consumed() {
    String how = isHandedOn ? "handed on, by an export, by move() or to what took it over: " : "closed: ";
    return new IllegalStateException("the array was " + how + title() + "; call retain() first to keep a handle");
  }

  /** What the array is, how long, and where; also of one that is consumed. */
  public abstract String title();
}
