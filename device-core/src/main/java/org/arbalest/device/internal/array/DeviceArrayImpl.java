// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** The implementation of a handle's operations. See {@link DeviceArray}. */
public sealed class DeviceArrayImpl extends Handle implements DeviceArray permits RecordBatchImpl {
  private static final int ROWS_SHOWN = 10;

  DeviceArrayImpl(Device device, Field field, long struct, long offset, long length) {
    super(device, field, struct, offset, length);
  }

  DeviceArrayImpl(DeviceArrayImpl of, Device device, long offset, long length) {
    super(of, device, offset, length);
  }

  /**
   * Creates a handle without memory, of a batch if the type is a struct. The caller must then call {@link #holding},
   * which cannot fail.
   */
  public static DeviceArrayImpl of(Device device, Field field, long struct, long offset, long length) {
    return field.type() instanceof StructType
        ? new RecordBatchImpl(device, field, struct, offset, length)
        : new DeviceArrayImpl(device, field, struct, offset, length);
  }

  /** Creates another handle of the same struct and class, also without memory. */
  DeviceArrayImpl another(Device device, long offset, long length) {
    return new DeviceArrayImpl(this, device, offset, length);
  }

  /** Gives the caller's reference to the array's memory to a new handle. */
  public final DeviceArray holding(Ownership holder) {
    open(holder);
    return this;
  }

  /** Returns the implementation. Every {@link DeviceArray} is an instance of this class or of its subclass. */
  public static DeviceArrayImpl unwrap(DeviceArray array) {
    return (DeviceArrayImpl) array;
  }

  /** Returns the result of an operation that makes a batch of a batch, with the static type of the given array. */
  @SuppressWarnings("unchecked") // the type decides the class, see of
  public static <A extends DeviceArray> A like(A array, DeviceArray result) {
    assert !(array instanceof RecordBatch) || result instanceof RecordBatch : array + " became " + result;
    return (A) result;
  }

  /** See {@link org.arbalest.device.spi.ArrayBridge#syncEventAddress}. */
  public long syncEventAddress() {
    Ownership owner = share();
    try {
      return owner.syncEvent();
    } finally {
      owner.release();
    }
  }

  /** See {@link org.arbalest.device.spi.ArrayBridge#struct}. */
  public long structAddress() {
    return borrowedStruct();
  }

  @Override
  public boolean isReady() {
    SyncEvent event = syncEvent();
    if (event == null) return true;
    try (event) {
      return event.isReady();
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
  public CompletionStage<@Nullable Void> onReady() {
    SyncEvent event = syncEvent();
    if (event == null) return CompletableFuture.completedFuture(null);
    try (event) {
      return event.onReady();
    }
  }

  /**
   * Returns a new handle of the array on a device that reaches its memory without a copy (DEV-11). Returns null if the
   * device does not reach it.
   */
  public @Nullable DeviceArray viewOn(Device target) {
    if (target.equals(device)) return retain();
    DeviceImpl to = DeviceImpl.unwrap(target);
    boolean reached = isMemoryCpuAccessible() && (to.isCpu() || to.reaches(device));
    return reached ? another(target, offset, length).holding(share()) : null;
  }

  /** Makes the work that is queued in a stream from now on wait until the buffers can be read. */
  public void letWait(DeviceStreamImpl stream) {
    Ownership owner = share();
    try {
      EventPoint point = owner.event();
      if (point != null) {
        stream.waitFor(point, owner);
      } else if (owner.syncEvent() != 0) {
        throw nobodyKnows();
      }
    } finally {
      owner.release();
    }
  }

  /** Keeps the memory alive until all work that is in a stream now has completed. */
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
    return another(device, offset, length).holding(share());
  }

  @Override
  public DeviceArray move() {
    return another(device, offset, length).holding(consume());
  }

  @Override
  public DeviceArray slice(long from, long count) {
    Objects.checkFromIndexSize(from, count, length);
    return another(device, offset + from, count).holding(share());
  }

  @Override
  public DeviceArray retainChild(int index) {
    Ownership shared = share();
    try {
      Layout layout = Layout.of(field);
      FieldImpl.unwrap(field).checkPositions(index);
      long node = RawArrowArray.child(struct(shared), index);
      boolean rows = layout.shape.sharesRows();
      long start = RawArrowArray.offset(node) + (rows ? offset : 0);
      return of(device, layout.children[index], node, start,
          rows ? length : RawArrowArray.length(node)).holding(shared);
    } catch (Throwable t) {
      shared.release();
      throw t;
    }
  }

  /** Returns whether the CPU can read the buffers now. */
  public boolean isReadable() {
    if (!device.isCpuAccessible()) return false;
    if (!mayHaveToWait()) return true;
    Ownership owner = share();
    try {
      return owner.event() != null && isReady();
    } finally {
      owner.release();
    }
  }

  @Override
  public String title() {
    boolean isBatch = field.type() instanceof StructType && field.name().isEmpty();
    String what = isBatch ? counted(Layout.of(field).children.length, "column") : field.toString();
    return what + ", " + counted(length, "row") + ", on " + device;
  }

  /** Returns a number with a noun in the singular or plural. */
  public static String counted(long count, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", count, what, count == 1 ? "" : "s");
  }

  @Override
  public String toString() {
    DeviceArray held;
    try {
      held = retain();
    } catch (IllegalStateException _) { // closed, maybe just now
      return title() + " (closed)";
    }
    try (held) {
      if (unwrap(held).isReadable()) return held.toString(ROWS_SHOWN);
      return title() + (device.isCpuAccessible() ? ", not ready" : "");
    } catch (DeviceException e) { // writing the array as text failed
      return title() + ": " + e.getMessage();
    }
  }
}
