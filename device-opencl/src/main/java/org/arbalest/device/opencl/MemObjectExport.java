// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.c.ArrowDeviceArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.opencl.SvmBlocks.Block;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * The export of an array with {@code cl_mem} handles as buffers. The export creates another array, whose addresses are
 * the handles, and which keeps the memory.
 *
 * <p>A {@code cl_mem} over shared virtual memory covers a whole allocation, or a part that begins at an alignment of
 * the device. A buffer that begins elsewhere, or that is memory of another kind, is copied.
 */
final class MemObjectExport {
  private final DeviceArray array;
  private final Device device;
  private final OpenClDriver driver;
  private final DeviceStream stream;
  private final ClMem memory;

  /** The {@code cl_mem} of each whole allocation with parts; released at the end, when the parts keep it. */
  private final Map<Block, Long> wholes = new HashMap<>();

  /** The buffers of handles; closed on failure. */
  private final List<DeviceBuffer> handles = new ArrayList<>();

  /** The buffers of the array, which handles may keep already; closed on failure. */
  private final List<DeviceBuffer> memories = new ArrayList<>();

  /** Buffers that a copy or an empty buffer replaces; closed at the end, since the stream keeps the array. */
  private final List<DeviceBuffer> unused = new ArrayList<>();

  private boolean hasQueued;

  private MemObjectExport(DeviceArray array, DeviceStream stream) {
    this.array = array;
    this.device = array.device();
    this.driver = OpenClProvider.driver(device);
    this.stream = stream;
    this.memory = new ClMem(driver);
  }

  static void export(DeviceArray array, DeviceStream stream, MemorySegment out, @Nullable MemorySegment schemaOut) {
    try {
      CStructs.address(out, ArrowDeviceArrayStruct.LAYOUT); // before any other work
      if (schemaOut != null) CStructs.address(schemaOut, ArrowSchemaStruct.LAYOUT);
      if (!stream.device().equals(array.device())) {
        throw new DeviceException(Errno.EINVAL,
            "the array is on " + array.device() + ", but the stream is one of " + stream.device());
      }
      DeviceArray handles = new MemObjectExport(array, stream).make();
      try {
        if (schemaOut == null) {
          CData.exportArray(handles, out, CExport.DEVICE);
        } else {
          CData.exportArray(handles, out, CExport.DEVICE.schemaTo(schemaOut));
        }
      } catch (Throwable t) {
        handles.close();
        throw t;
      }
      array.close();
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  /** Creates the array of handles. */
  private DeviceArray make() {
    try {
      ArrayData data = ArrayData.of(array);
      collect(data);
      if (!array.isReady()) {
        hasQueued = true;
        stream.waitFor(array);
      }
      ArrayData converted = data(array.field(), data);
      DeviceArray result = hasQueued || !converted.hasBuffers()
          ? DeviceArray.of(array.field(), converted, stream)
          : DeviceArray.of(array.field(), converted);
      try {
        if (hasQueued) stream.keepAlive(array);
      } catch (Throwable t) {
        result.close();
        throw t;
      }
      return result;
    } catch (Throwable t) {
      try {
        if (hasQueued) stream.synchronize(); // no memory is freed during a copy
      } finally {
        handles.forEach(DeviceBuffer::close);
        memories.forEach(DeviceBuffer::close);
      }
      throw t;
    } finally {
      wholes.values().forEach(memory::release);
      unused.forEach(DeviceBuffer::close);
    }
  }

  private void collect(ArrayData data) {
    for (DeviceBuffer buffer : data.buffers()) {
      if (buffer != null) memories.add(buffer);
    }
    data.children().forEach(this::collect);
    ArrayData values = data.dictionary();
    if (values != null) collect(values);
  }

  private ArrayData data(Field field, ArrayData data) {
    boolean isView = field.type() instanceof Utf8ViewType || field.type() instanceof BinaryViewType;
    boolean isUnion = field.type() instanceof UnionType;
    List<@Nullable DeviceBuffer> list = new ArrayList<>();
    for (int i = 0; i < data.buffers().size(); i++) {
      DeviceBuffer buffer = data.buffers().get(i);
      boolean isEmpty = buffer == null || buffer.size() == 0;
      boolean mayMiss = (isView && i >= 2) || (buffer == null && i == 0 && !isUnion); // data of views, and the bitmap
      if (isEmpty && buffer != null) unused.add(buffer);
      list.add(!isEmpty ? handle(buffer) : mayMiss ? null : nothing());
    }
    List<ArrayData> children = new ArrayList<>();
    List<Field> fields = field.type().children();
    for (int i = 0; i < fields.size(); i++) children.add(data(fields.get(i), data.children().get(i)));
    ArrayData values = data.dictionary();
    ArrayData dictionary =
        field.type() instanceof DictionaryType encoded && values != null ? data(encoded.values(), values) : null;
    return new ArrayData(data.length(), data.nullCount(), data.offset(), list, children, dictionary);
  }

  /** Returns a {@code cl_mem} with a buffer's bytes: over its memory if possible, otherwise a copy. */
  private DeviceBuffer handle(DeviceBuffer buffer) {
    Block block = driver.blocks().of(buffer.address());
    long shared = shared(block, buffer.address(), buffer.size());
    if (shared != 0) return wrap(shared, buffer.size(), buffer);
    unused.add(buffer);
    long copy = memory.create(buffer.size());
    DeviceBuffer result = wrap(copy, buffer.size(), null);
    hasQueued = true;
    copy(block, buffer, copy);
    return result;
  }

  private void copy(@Nullable Block block, DeviceBuffer from, long to) {
    long whole = block == null ? 0 : whole(block);
    if (block != null && whole != 0) {
      memory.copy(stream.handle(), whole, from.address() - block.base(), to, 0, from.size());
    } else {
      memory.copyIn(stream.handle(), from.address(), to, from.size());
    }
  }

  /**
   * Returns a {@code cl_mem} over the memory itself; 0 if that is not possible. A buffer that is alone in its
   * allocation becomes no part, because parts of a part cannot be created.
   */
  private long shared(@Nullable Block block, long address, long size) {
    // memory of other code: only the platform knows it
    if (block == null) return driver.mayBeSvm(address) ? memory.over(address, size) : 0;
    long origin = address - block.base();
    if (origin == 0 && isAlone(block)) return memory.over(address, size);
    if (origin % driver.device().baseAlignment() != 0) return 0;
    long whole = whole(block);
    return whole == 0 ? 0 : memory.part(whole, origin, size);
  }

  private boolean isAlone(Block block) {
    return memories.stream()
        .filter(other -> other.address() - block.base() >= 0 && other.address() - block.base() < block.bytes())
        .count() == 1;
  }

  private long whole(Block block) {
    Long known = wholes.get(block);
    if (known != null) return known;
    long whole = memory.over(block.base(), block.bytes());
    if (whole != 0) wholes.put(block, whole);
    return whole;
  }

  /**
   * Returns a handle in place of a buffer without bytes, and of offsets without elements: an exporter must not send
   * NULL.
   */
  private DeviceBuffer nothing() {
    return wrap(memory.zeroes(), ClMem.ZEROES, null);
  }

  /** Wraps a handle as a buffer, which keeps the memory of the handle. */
  private DeviceBuffer wrap(long handle, long size, @Nullable DeviceBuffer of) {
    Runnable onFree = () -> {
      try {
        memory.release(handle);
      } finally {
        if (of != null) of.close();
      }
    };
    DeviceBuffer buffer;
    try {
      buffer = DeviceBuffer.wrap(device, handle, size, onFree);
    } catch (Throwable t) {
      memory.release(handle);
      throw t;
    }
    handles.add(buffer);
    return buffer;
  }
}
