// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
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
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.BinaryViewType;
import org.arbalest.device.FlatType.Utf8ViewType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.jspecify.annotations.Nullable;

/** Copies an array whose buffers are {@code cl_mem} handles into shared virtual memory. */
final class MemObjects {
  /** A kind of device that nobody serves: whoever takes an array on it in holds it, and looks at no buffer. */
  private static final int OPAQUE = Integer.MIN_VALUE;

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final Device device;
  private final OpenClDriver driver;
  private final DeviceStream stream;
  private final long queue;
  private final List<DeviceBuffer> buffers = new ArrayList<>();

  private MemObjects(DeviceStream stream) {
    this.device = stream.device();
    this.driver = OpenClProvider.driver(device);
    this.stream = stream;
    this.queue = stream.handle();
  }

  static DeviceArray importArray(MemorySegment array, Field field, DeviceStream stream) {
    long size = array.byteSize();
    if (!array.isNative() || array.address() == 0 || (array.address() & 7) != 0 || (size != 0 && size < ArrowDeviceArrayStruct.SIZE)) {
      throw new IllegalArgumentException("no ArrowDeviceArray of " + ArrowDeviceArrayStruct.SIZE + " aligned bytes is at " + array);
    }
    if (!array.scope().isAlive()) throw new IllegalStateException("the ArrowDeviceArray is in an arena that was closed");
    if (!array.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("the ArrowDeviceArray is in an arena that is confined to another thread");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment struct = arena.allocate(ArrowDeviceArrayStruct.LAYOUT);
      long source = struct.address();
      try {
        ArrowDeviceArrayStruct.move(array.address(), source);
      } finally {
        Reference.reachabilityFence(array);
      }
      DeviceType type = new DeviceType(ArrowDeviceArrayStruct.deviceType(source));
      long id = ArrowDeviceArrayStruct.deviceId(source);
      long event = ArrowDeviceArrayStruct.syncEvent(source);
      ArrowDeviceArrayStruct.setDeviceType(source, OPAQUE);
      ArrowDeviceArrayStruct.setSyncEvent(source, 0);
      try (DeviceArray held = DeviceArray.importDeviceArray(struct, field)) {
        MemObjects copy = new MemObjects(stream);
        if (!type.equals(DeviceType.OPENCL) || id != copy.device.id()) {
          throw invalid("the array is on " + type + ":" + id + ", but the stream is one of " + copy.device);
        }
        return copy.copy(held, source, field, event);
      }
    }
  }

  private DeviceArray copy(DeviceArray held, long source, Field field, long event) {
    try {
      if (event != 0) waitFor(ALL.get(JAVA_LONG, event));
      DeviceArray copy = DeviceArray.of(field, data(field, source), stream);
      try {
        stream.keepAlive(held);
        return copy;
      } catch (Throwable t) {
        copy.close();
        throw t;
      }
    } catch (Throwable t) {
      try {
        stream.synchronize(); // nothing is freed under a copy
      } finally {
        buffers.forEach(DeviceBuffer::close);
      }
      throw t;
    }
  }

  private void waitFor(long event) {
    if (event == 0) throw invalid("sync_event points to an event that is NULL");
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

  private ArrayData data(Field field, long source) {
    boolean isView = field.type() instanceof Utf8ViewType || field.type() instanceof BinaryViewType;
    long count = ArrowArrayStruct.nBuffers(source) - (isView ? 1 : 0); // the last are sizes, in main memory
    List<@Nullable DeviceBuffer> copies = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      long memory = ArrowArrayStruct.buffer(source, i);
      copies.add(memory == 0 ? null : copy(memory));
    }
    List<ArrayData> children = new ArrayList<>();
    List<Field> fields = field.type().children();
    for (int i = 0; i < fields.size(); i++) children.add(data(fields.get(i), ArrowArrayStruct.child(source, i)));
    ArrayData values = field.type() instanceof DictionaryType encoded ? data(encoded.values(), ArrowArrayStruct.dictionary(source)) : null;
    return new ArrayData(
        ArrowArrayStruct.length(source), ArrowArrayStruct.nullCount(source), ArrowArrayStruct.offset(source), copies, children, values);
  }

  /** A buffer into which the content of a {@code cl_mem} is being copied. */
  private DeviceBuffer copy(long memory) {
    if (ClObjects.canTell() && !ClObjects.isMemObject(memory, driver.context())) {
      throw invalid("the buffer " + OpenClDriver.hex(memory) + " is declared to be a cl_mem of " + device + ", but is none");
    }
    long context = info(memory, Cl.MEM_CONTEXT);
    if (context != driver.context()) {
      throw invalid("the cl_mem " + OpenClDriver.hex(memory) + " belongs to the context " + OpenClDriver.hex(context) + ", but " + device
          + " works in " + OpenClDriver.hex(driver.context()));
    }
    long size = info(memory, Cl.MEM_SIZE);
    DeviceBuffer copy = device.allocate(size);
    buffers.add(copy);
    MemorySegment scratch = Cl.scratch();
    long mapped = Cl.enqueueMapBuffer(queue, false, memory, Cl.MAP_READ, 0, size, scratch.address());
    int code = scratch.get(JAVA_INT, 0);
    if (code != 0) throw driver.error("clEnqueueMapBuffer", code, size + " bytes");
    try {
      driver.copy(queue, copy.address(), mapped, size);
    } finally {
      driver.check(Cl.enqueueUnmapMemObject(queue, memory, mapped), "clEnqueueUnmapMemObject");
    }
    driver.flush(queue);
    return copy;
  }

  private long info(long memory, int what) {
    MemorySegment scratch = Cl.scratch();
    driver.check(Cl.getMemObjectInfo(memory, what, Long.BYTES, scratch.address()), "clGetMemObjectInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  private static DeviceException invalid(String message) {
    return new DeviceException(Errno.EINVAL, message);
  }
}
