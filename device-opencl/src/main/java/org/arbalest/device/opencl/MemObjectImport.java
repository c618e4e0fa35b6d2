// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.Errno;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.c.ArrowDeviceArrayStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * The import of an array whose buffers are {@code cl_mem} handles. A {@code cl_mem} over shared virtual memory is used
 * in place. Others are copied, on the device if it has such memory.
 */
final class MemObjectImport {
  /** A kind of device without a backend: the import of an array on it keeps the array, and accesses no buffer. */
  private static final int OPAQUE = Integer.MIN_VALUE;

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final Device device;
  private final OpenClDriver driver;
  private final DeviceStream stream;
  private final long queue;
  private final ClMem memory;

  /** The producer's array. Buffers that are used in place keep it. */
  private final DeviceArray held;

  private final List<DeviceBuffer> buffers = new ArrayList<>();
  private boolean hasQueued;

  private MemObjectImport(DeviceStream stream, DeviceArray held) {
    this.device = stream.device();
    this.driver = OpenClProvider.driver(device);
    this.stream = stream;
    this.queue = stream.handle();
    this.memory = new ClMem(driver);
    this.held = held;
  }

  static DeviceArray importArray(MemorySegment array, Field field, DeviceStream stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT);
      ArrowDeviceArrayStruct.move(CStructs.sized(array, ArrowDeviceArrayStruct.LAYOUT), struct);
      DeviceType type = new DeviceType(ArrowDeviceArrayStruct.deviceType(struct));
      long id = ArrowDeviceArrayStruct.deviceId(struct);
      long event = ArrowDeviceArrayStruct.syncEvent(struct).address();
      ArrowDeviceArrayStruct.setDeviceType(struct, OPAQUE);
      ArrowDeviceArrayStruct.setSyncEvent(struct, MemorySegment.NULL);
      try (DeviceArray held = CData.importArray(struct, CImport.DEVICE.schema(field))) {
        MemObjectImport objects = new MemObjectImport(stream, held);
        if (!type.equals(DeviceType.OPENCL) || id != objects.device.id()) {
          throw invalid("the array is on " + type + ":" + id + ", but the stream is one of " + objects.device);
        }
        return objects.array(field, event);
      }
    } finally {
      Reference.reachabilityFence(array);
    }
  }

  private DeviceArray array(Field field, long event) {
    try {
      if (event != 0) waitFor(ALL.get(JAVA_LONG, event));
      ArrayData data = data(field, ArrayBridge.struct(held));
      DeviceArray array = hasQueued || !data.hasBuffers()
          ? DeviceArray.of(field, data, stream)
          : DeviceArray.of(field, data);
      try {
        if (hasQueued) stream.keepAlive(held);
        return array;
      } catch (Throwable t) {
        array.close();
        throw t;
      }
    } catch (Throwable t) {
      try {
        if (hasQueued) stream.synchronize(); // no memory is freed during a copy
      } finally {
        buffers.forEach(DeviceBuffer::close);
      }
      throw t;
    }
  }

  private void waitFor(long event) {
    if (event == 0) throw invalid("sync_event points to an event that is NULL");
    driver.checkEvent(event);
    hasQueued = true;
    driver.check(Cl.retainEvent(event), "clRetainEvent");
    SyncEvent theirs;
    try {
      theirs = device.adoptEvent(event);
    } catch (Throwable t) {
      driver.destroyEvent(event);
      throw t;
    }
    try (theirs) {
      stream.waitFor(theirs);
    }
  }

  private ArrayData data(Field field, ArrayStruct source) {
    boolean isView = field.type() instanceof Utf8ViewType || field.type() instanceof BinaryViewType;
    int count = source.bufferCount() - (isView ? 1 : 0); // the last buffer has the sizes, in main memory
    List<@Nullable DeviceBuffer> list = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long handle = source.buffer(i);
      if (isView && i >= 2) {
        list.add(data(handle, ALL.get(JAVA_LONG, source.buffer(count) + Long.BYTES * (i - 2L))));
      } else if (handle != 0) {
        list.add(buffer(handle, memory(handle)));
      } else {
        list.add(i == 0 && hasValidity(field) ? null : nothing());
      }
    }
    List<ArrayData> children = new ArrayList<>();
    List<Field> fields = field.type().children();
    for (int i = 0; i < fields.size(); i++) children.add(data(fields.get(i), source.child(i)));
    ArrayData values =
        field.type() instanceof DictionaryType encoded ? data(encoded.values(), source.dictionary()) : null;
    return new ArrayData(source.length(), source.nullCount(), source.offset(), list, children, values);
  }

  private static boolean hasValidity(Field field) {
    return !(field.type() instanceof UnionType);
  }

  /** Checks a {@code cl_mem}, and returns its size in bytes. */
  private long memory(long handle) {
    memory.check(handle);
    return memory.size(handle);
  }

  /** Returns a data buffer of views, for which the producer declares the size in bytes; null if it has no bytes. */
  private @Nullable DeviceBuffer data(long handle, long size) {
    if (size == 0) return null;
    long available = memory(handle);
    if (size > available) {
      throw invalid("the cl_mem " + OpenClDriver.hex(handle) + " has " + available
          + " bytes, but the array says that it has " + size);
    }
    return buffer(handle, size);
  }

  /** Returns a buffer over the memory of a {@code cl_mem}, or a buffer with a queued copy of that memory. */
  private DeviceBuffer buffer(long handle, long size) {
    long address = memory.address(handle);
    DeviceBuffer buffer = address != 0 ? inPlace(address, size) : copy(handle, size);
    if (address != 0) buffers.add(buffer);
    return buffer;
  }

  private DeviceBuffer inPlace(long address, long size) {
    DeviceArray holder = held.retain();
    try {
      return DeviceBuffer.wrap(device, address, size, holder::close);
    } catch (Throwable t) {
      holder.close();
      throw t;
    }
  }

  private DeviceBuffer copy(long handle, long size) {
    DeviceBuffer copy = device.allocate(size);
    buffers.add(copy);
    hasQueued = true;
    long target = driver.device().hasSvm() ? memory.over(copy.address(), size) : 0;
    if (target == 0) {
      memory.copyOut(queue, handle, copy.address(), size);
      return copy;
    }
    try {
      memory.copy(queue, handle, 0, target, 0, size);
    } finally {
      memory.release(target);
    }
    return copy;
  }

  /** Returns a buffer in place of a missing one. The buffers of an array without rows may be missing. */
  private DeviceBuffer nothing() {
    try (DeviceBuffer zero = Devices.cpu().allocate(Long.BYTES)) {
      zero.segment().fill((byte) 0);
      DeviceBuffer copy = zero.copyTo(device.memory());
      buffers.add(copy);
      return copy;
    }
  }

  private static DeviceException invalid(String message) {
    return new DeviceException(Errno.EINVAL, message);
  }
}
