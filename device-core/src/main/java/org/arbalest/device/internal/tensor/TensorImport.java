// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.tensors.DLPack;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** Imports tensors from native code. After an import either an array owns the tensor, or its deleter was called. */
public final class TensorImport {
  private static final int MAJOR = 1;

  private TensorImport() {}

  /**
   * Imports a tensor; see {@link DLPack#importTensor(MemorySegment, org.arbalest.device.DeviceStream)}. Without a
   * stream, the content is ready in the runtime's own stream, if it has one.
   */
  public static DeviceArray take(DLPack form, MemorySegment managed, @Nullable DeviceStreamImpl stream) {
    try {
      return take(form, Managed.address(form, managed), stream);
    } finally {
      Reference.reachabilityFence(managed);
    }
  }

  /** Imports a copy of a tensor; see {@link DLPack#importCopy}. */
  public static DeviceArray copy(DLPack form, MemorySegment managed) {
    try {
      return copy(form, Managed.address(form, managed));
    } finally {
      Reference.reachabilityFence(managed);
    }
  }

  /** Deletes a tensor; see {@link DLPack#delete}. */
  public static void delete(DLPack form, MemorySegment managed) {
    try {
      Managed.delete(form, Managed.address(form, managed));
    } finally {
      Reference.reachabilityFence(managed);
    }
  }

  private static DeviceArray take(DLPack form, long managed, @Nullable DeviceStreamImpl stream) {
    Recording.OfArray event = Recording.anImport();
    boolean isHeld = false;
    DeviceArray array;
    try {
      checkVersion(form, managed);
      TensorDescription tensor = new TensorDescription(Managed.tensor(form, managed));
      Device device = deviceOf(tensor);
      if (stream != null) checkReach(stream, device);
      Field field = tensor.field();
      DeviceBuffer memory;
      if (tensor.isEmpty()) {
        memory = nothing(device, managed);
      } else {
        if (!device.isOpaque() && !DeviceImpl.unwrap(device).isCpu())
          DeviceImpl.unwrap(device).driver().checkBuffer(tensor.start());
        memory = DeviceBufferImpl.wrap(device, tensor.start(), tensor.bytes(), () -> Managed.delete(form, managed));
        isHeld = true;
      }
      array = array(tensor, field, device, memory, stream);
    } catch (Throwable t) {
      if (!isHeld) Managed.delete(form, managed);
      throw t;
    }
    if (!isHeld) deleteBehind(array, form, managed); // the tensor is empty: the array does not need its memory
    if (event != null) RecordedArrays.describe(event, array);
    return array;
  }

  private static DeviceArray copy(DLPack form, long managed) {
    Recording.OfArray event = Recording.anImport();
    DeviceArray array;
    try {
      array = copied(form, managed);
    } catch (Throwable t) {
      Managed.delete(form, managed);
      throw t;
    }
    deleteBehind(array, form, managed);
    if (event != null) RecordedArrays.describe(event, array);
    return array;
  }

  /**
   * Deletes a tensor whose array was already made. If the deleter throws, closes the array, since no caller receives
   * it.
   */
  private static void deleteBehind(DeviceArray array, DLPack form, long managed) {
    try {
      Managed.delete(form, managed);
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  private static DeviceArray copied(DLPack form, long managed) {
    checkVersion(form, managed);
    TensorDescription tensor = new TensorDescription(Managed.tensor(form, managed));
    Device device = deviceOf(tensor);
    if (!device.isCpuAccessible()) {
      throw new DeviceException(Errno.ENOSYS,
          "the tensor is on " + device + ", from which the CPU cannot copy it: import it, and copy the array");
    }
    try (DeviceStream runtimes = runtimeStream(tensor, device)) {
      if (runtimes != null) runtimes.synchronize();
    }
    Field field = tensor.compactField();
    DeviceBuffer memory = CpuDevice.get().allocate(tensor.bytes());
    try {
      if (!tensor.isEmpty()) tensor.copyCompact(memory.address());
      return array(tensor, field, CpuDevice.get(), memory, null);
    } finally {
      memory.close(); // has no effect if the array owns the memory
    }
  }

  /** In a struct of another major version, only the deleter is reliable. */
  private static void checkVersion(DLPack form, long managed) {
    if (form != DLPack.VERSIONED) return;
    int major = RawDLManagedTensorVersioned.major(managed);
    if (major == MAJOR) return;
    throw DeviceException.invalid("the tensor has the DLPack version " + Integer.toUnsignedString(major) + "."
        + Integer.toUnsignedString(RawDLManagedTensorVersioned.minor(managed)) + ", and only " + MAJOR
        + " is supported");
  }

  private static Device deviceOf(TensorDescription tensor) {
    DeviceType type = new DeviceType(tensor.deviceType());
    if (type.equals(DeviceType.CPU)) return CpuDevice.get();
    if (type.equals(DeviceType.OPENCL)) {
      throw DeviceException
          .invalid("the tensor is on " + type + ":" + tensor.deviceId()
              + ", where its data is a cl_mem, and arrays are in shared virtual memory");
    }
    Device device = DeviceRegistry.find(type, tensor.deviceId());
    if (device.isOpaque() && tensor.byteOffset() != 0) {
      throw DeviceImpl.unwrap(device)
          .refusal("byte_offset = " + tensor.byteOffset() + " cannot be added to a value that may not be an address");
    }
    return device;
  }

  private static void checkReach(DeviceStreamImpl stream, Device device) {
    if (stream.reaches(device) || DeviceImpl.unwrap(device).reaches(stream.device())) return;
    throw new IllegalArgumentException("a stream of " + stream.device() + " was given for a tensor on " + device);
  }

  /**
   * Returns a buffer without bytes, whose address is not NULL (ARR-08). On an opaque device, where the library cannot
   * allocate, any other address serves.
   */
  private static DeviceBuffer nothing(Device device, long any) {
    return device.isOpaque() ? DeviceBufferImpl.wrap(device, any, 0, () -> {}) : device.allocate(0);
  }

  /** Makes an array of some memory. The array owns the memory; if this method fails, it closes the memory. */
  private static DeviceArray array(TensorDescription tensor, Field field, Device device, DeviceBuffer memory,
      @Nullable DeviceStreamImpl stream) {
    try (DeviceStream runtimes = stream == null ? runtimeStream(tensor, device) : null) {
      DeviceStream ready = stream == null ? runtimes : stream;
      ArrayData data = data(tensor, memory);
      return ready == null ? ArrayAssembly.of(field, data, device) : ArrayAssembly.of(field, data, ready);
    } catch (Throwable t) {
      memory.close();
      throw t;
    }
  }

  /** Returns the stream in which a tensor is ready whose producer received no stream; null if it is ready now. */
  private static @Nullable DeviceStream runtimeStream(TensorDescription tensor, Device device) {
    return tensor.isEmpty() ? null : DeviceImpl.unwrap(device).runtimeStream();
  }

  private static ArrayData data(TensorDescription tensor, DeviceBuffer memory) {
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    buffers.add(null);
    buffers.add(memory);
    ArrayData values = ArrayData.of(tensor.count(), 0, buffers);
    return tensor.isFlat() ? values : ArrayData.of(tensor.rows(), 0, Collections.singletonList(null), List.of(values));
  }
}
