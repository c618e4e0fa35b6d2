// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.abi.RawDLManagedTensor;
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned;
import org.arbalest.device.internal.abi.RawDLTensor;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.copy.ArrayCopy;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.LastUse;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.RecycledExport;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.tensors.DLManagedTensorVersionedStruct;
import org.arbalest.device.tensors.DLPack;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that native code holds until it calls the deleter. The block has the struct, and after it the sizes and the
 * strides.
 */
public final class TensorExport extends RecycledExport {
  private static final long VERSIONED_DELETER = stub("deletedVersioned");
  private static final long UNVERSIONED_DELETER = stub("deletedUnversioned");

  /** The version that a consumer of the oldest DLPack 1 knows. Exports use nothing newer. */
  private static final int MAJOR = 1;

  private static final int MINOR = 0;

  private static final Slots.Stack[] IDLE = stacks();

  private @Nullable Ownership owner;
  private @Nullable LastUse use;

  private TensorExport(Slots.Stack home) {
    super(home);
  }

  /**
   * Exports an array; see {@link DLPack#exportTensor(DeviceArray, org.arbalest.device.DeviceStream)}. Without a stream,
   * waits for the content.
   */
  public static MemorySegment export(DLPack form, DeviceArrayImpl array, @Nullable DeviceStreamImpl consumer) {
    return export(form, array, consumer, DLManagedTensorVersionedStruct.READ_ONLY);
  }

  /** Exports a copy of an array; see {@link DLPack#exportCopy}. */
  public static MemorySegment exportCopy(DLPack form, DeviceArrayImpl array, MemoryManager target,
      DeviceStreamImpl consumer) {
    try (DeviceArray copy = ArrayCopy.copy(array, target, consumer)) {
      return export(form, DeviceArrayImpl.unwrap(copy), consumer, DLManagedTensorVersionedStruct.IS_COPIED);
    }
  }

  private static MemorySegment export(DLPack form, DeviceArrayImpl array, @Nullable DeviceStreamImpl given,
      long flags) {
    Ownership held = array.share();
    try {
      return export(form, array, held, given, flags);
    } finally {
      held.release();
    }
  }

  private static MemorySegment export(DLPack form, DeviceArrayImpl array, Ownership held,
      @Nullable DeviceStreamImpl given, long flags) {
    Recording.OfArray event = Recording.anExport();
    Device device = array.device();
    // No stream delays code that reads main memory (DEV-02), so this thread waits instead
    DeviceStreamImpl consumer = DeviceImpl.unwrap(device).isCpu() ? null : given;
    if (device.type().equals(DeviceType.OPENCL)) {
      throw DeviceException
          .invalid("the array is on " + device + " in shared virtual memory, and a tensor of kDLOpenCL is a cl_mem");
    }
    int id = deviceId(device);
    ArrayTensor tensor = ArrayTensor.of(array, held);
    LastUse use = null;
    TensorExport export = null;
    try {
      if (consumer != null) use = LastUse.of(consumer);
      export = take(form, tensor);
      if (Leaks.isFollowed()) export.follow("a tensor of " + array.title());
      if (consumer == null) {
        array.synchronize();
      } else {
        array.letWait(consumer);
      }
      export.write(form, tensor, device, id, flags);
      export.owner = array.consume();
    } catch (Throwable t) {
      if (use != null) use.cancel();
      if (export != null) export.recycle();
      throw t;
    }
    export.use = use;
    export.holds(1);
    MemorySegment out = NativeHeap.segment(export.block, Managed.layout(form).byteSize());
    if (event != null) RecordedArrays.describe(event, array, export.owner);
    return out;
  }

  /**
   * Returns the id of a tensor's device. Main memory has no id; according to DLPack's header, neither has memory that a
   * GPU can reach as well as the CPU.
   */
  private static int deviceId(Device device) {
    DeviceType type = device.type();
    boolean isNumbered =
        !type.equals(DeviceType.CPU) && !type.equals(DeviceType.CUDA_HOST) && !type.equals(DeviceType.ROCM_HOST)
            && !type.equals(DeviceType.CUDA_MANAGED);
    long id = isNumbered ? device.id() : 0;
    if (id != (int) id)
      throw DeviceException.invalid("the array is on " + device + ", and the number of a tensor's device has 32 bits");
    return (int) id;
  }

  /** Returns an export with a slot and a block of sufficient size. */
  private static TensorExport take(DLPack form, ArrayTensor tensor) {
    Slots.Stack home = mine(IDLE);
    TensorExport export = (TensorExport) takeIdle(home);
    if (export == null) {
      export = new TensorExport(home);
      export.takeSlot();
    }
    try {
      export.ensure(Managed.layout(form).byteSize() + 2L * Long.BYTES * tensor.shape.length);
    } catch (Throwable t) {
      export.recycle();
      throw t;
    }
    return export;
  }

  private void write(DLPack form, ArrayTensor from, Device device, int id, long flags) {
    if (form == DLPack.VERSIONED) {
      RawDLManagedTensorVersioned.setMajor(block, MAJOR);
      RawDLManagedTensorVersioned.setMinor(block, MINOR);
      RawDLManagedTensorVersioned.setManagerCtx(block, handle);
      RawDLManagedTensorVersioned.setDeleter(block, VERSIONED_DELETER);
      RawDLManagedTensorVersioned.setFlags(block, flags);
    } else {
      RawDLManagedTensor.setManagerCtx(block, handle);
      RawDLManagedTensor.setDeleter(block, UNVERSIONED_DELETER);
    }
    long tensor = Managed.tensor(form, block);
    // The data of an opaque device may be a handle, to which no offset can be added. Other consumers expect an address
    // without an offset.
    boolean isHandle = device.isOpaque();
    RawDLTensor.setData(tensor, from.isEmpty() ? 0 : isHandle ? from.buffer() : from.buffer() + from.byteOffset());
    RawDLTensor.setByteOffset(tensor, isHandle && !from.isEmpty() ? from.byteOffset() : 0);
    RawDLTensor.setDeviceType(tensor, device.type().code());
    RawDLTensor.setDeviceId(tensor, id);
    RawDLTensor.setNdim(tensor, from.shape.length);
    RawDLTensor.setCode(tensor, from.code());
    RawDLTensor.setBits(tensor, from.bits());
    RawDLTensor.setLanes(tensor, 1);
    long shape = block + Managed.layout(form).byteSize();
    long strides = shape + (long) Long.BYTES * from.shape.length;
    RawDLTensor.setShape(tensor, shape);
    RawDLTensor.setStrides(tensor, strides);
    for (int i = 0; i < from.shape.length; i++) {
      NativeHeap.putLong(shape + (long) Long.BYTES * i, from.shape[i]);
      NativeHeap.putLong(strides + (long) Long.BYTES * i, from.strides[i]);
    }
  }

  /** Returns the deleter of every tensor that this library exports, as a C function. */
  static long deleter(DLPack form) {
    return form == DLPack.VERSIONED ? VERSIONED_DELETER : UNVERSIONED_DELETER;
  }

  /** Deletes an exported tensor, as the deleter does. Any thread may call this. */
  static void delete(DLPack form, long managed) {
    long handle = form == DLPack.VERSIONED ? RawDLManagedTensorVersioned.managerCtx(managed)
        : RawDLManagedTensor.managerCtx(managed);
    if (Slots.find(handle) instanceof TensorExport export && export.isLeftBy(1)) {
      export.left();
    } else {
      Faults.warn("a tensor was deleted twice");
    }
  }

  private void left() {
    Ownership last = owner;
    LastUse until = use;
    owner = null;
    use = null;
    recycle();
    if (last == null) return;
    if (until == null) {
      last.release();
    } else {
      until.end(last);
    }
  }

  private static long stub(String method) {
    return ExitGuard.stub(MethodHandles.lookup(), method, FunctionDescriptor.ofVoid(JAVA_LONG), ExitAction.NOTHING);
  }

  @SuppressWarnings("UnusedMethod") // stub() finds it by name
  private static void deletedVersioned(long managed) {
    deleted(DLPack.VERSIONED, managed);
  }

  @SuppressWarnings("UnusedMethod") // likewise
  private static void deletedUnversioned(long managed) {
    deleted(DLPack.UNVERSIONED, managed);
  }

  private static void deleted(DLPack form, long managed) {
    try {
      delete(form, managed);
    } catch (Throwable t) {
      Faults.report("the deleter of a tensor", t);
    }
  }
}
