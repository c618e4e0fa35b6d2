package org.arbalest.device;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.upcall.Faults;
import org.jspecify.annotations.Nullable;

/** An array made of our own buffers: the buffers, and its structs and lists in one block. */
final class BuiltArray extends Ownership {
  private static final long NODE = ArrowArrayStruct.SIZE;

  private final List<DeviceBuffer> buffers;
  private final long block;
  private final boolean isCpuAccessible;
  private final @Nullable RecordedEvent event;

  /** Takes over the buffers, the block and a holder of the event. */
  BuiltArray(List<DeviceBuffer> buffers, long block, Device device, @Nullable RecordedEvent event, boolean hasEmptyAtOffset) {
    super(hasEmptyAtOffset);
    this.buffers = buffers;
    this.block = block;
    this.isCpuAccessible = device.isCpuAccessible() || (!buffers.isEmpty() && allCpuAccessible(buffers));
    this.event = event;
  }

  /** Where the buffers are: on one device, or there are none. */
  static Device deviceOf(ArrayData data, Device without) {
    List<DeviceBuffer> buffers = data.allBuffers();
    return buffers.isEmpty() ? without : buffers.getFirst().device();
  }

  static void requireOn(Device device, ArrayData data) {
    for (DeviceBuffer buffer : data.allBuffers()) {
      if (!buffer.device().equals(device)) {
        throw DeviceException.invalid("the buffers of an array are on one device, but these are on " + device + " and " + buffer.device());
      }
    }
  }

  /**
   * The first handle of an array that takes over the buffers, whose sizes were checked, and a holder of the event. On failure they are still
   * the caller's.
   */
  static DeviceArray build(Device device, Field field, ArrayData data, @Nullable RecordedEvent event) {
    List<DeviceBuffer> buffers = data.allBuffers();
    List<DeviceBuffer> taken = new ArrayList<>(buffers.size());
    try {
      for (DeviceBuffer buffer : buffers) {
        if (!buffer.take()) throw new IllegalStateException("a buffer was closed, moved into another array, or given twice: " + buffer);
        taken.add(buffer);
      }
      return build(device, field, data, taken, event);
    } catch (Throwable t) {
      taken.forEach(DeviceBuffer::untake);
      throw t;
    }
  }

  private static DeviceArray build(Device device, Field field, ArrayData data, List<DeviceBuffer> buffers, @Nullable RecordedEvent event) {
    int nodes = 1 + field.layout.descendants;
    Writer writer = new Writer(NativeHeap.allocate(NODE * nodes + Long.BYTES * (nodes + listEntries(field.layout, data))), nodes);
    try {
      writer.write(field.layout, data);
      boolean hasEmptyAtOffset = Structure.validate(field, writer.block);
      DeviceArray handle = new DeviceArray(device, field, writer.block, data.offset(), data.length());
      return handle.holding(new BuiltArray(buffers, writer.block, device, event, hasEmptyAtOffset));
    } catch (Throwable t) {
      NativeHeap.free(writer.block);
      throw t;
    }
  }

  @Override
  long syncEvent() {
    return event == null || event.point.isKnownDone() ? 0 : event.point.cell;
  }

  @Override
  @Nullable EventPoint event() {
    return event == null ? null : event.point;
  }

  /** Behind the list of the buffers. */
  @Override
  long dataSize(long struct) {
    return NativeHeap.getLong(ArrowArrayStruct.buffers(struct) + Long.BYTES * ArrowArrayStruct.nBuffers(struct));
  }

  @Override
  boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  /** Not under what still writes to the buffers: a consumer may release an array for whose event nobody has waited. */
  @Override
  void freeArray() {
    RecordedEvent end = event;
    if (end != null && !end.point.isOver()) {
      try {
        Wait.on(end.point, end, Worker.RELEASES, _ -> freeNow());
        return;
      } catch (Throwable t) {
        Faults.report("waiting for the event of an array that was released before it was complete", t);
        synchronize(end.point);
      }
    }
    freeNow();
  }

  private static void synchronize(EventPoint point) {
    try {
      point.synchronize();
    } catch (Throwable t) {
      Faults.report("blocking until the event of an array is over", t);
    }
  }

  private void freeNow() {
    for (DeviceBuffer buffer : buffers) buffer.free();
    NativeHeap.free(block);
    if (event != null) event.release();
  }

  boolean isOneAllocation() {
    return buffers.size() == 1;
  }

  private static boolean allCpuAccessible(List<DeviceBuffer> buffers) {
    for (DeviceBuffer buffer : buffers) {
      if (!buffer.isCpuAccessible()) return false;
    }
    return true;
  }

  private static long listEntries(Layout layout, ArrayData data) {
    long entries = data.buffers().size();
    if (layout.shape == Layout.Shape.VIEW) entries += 1 + variadic(data);
    if (layout.shape == Layout.Shape.VARIABLE) entries++;
    for (int i = 0; i < layout.children.length; i++) entries += listEntries(layout.children[i].layout, data.children().get(i));
    ArrayData values = data.dictionary();
    return layout.dictionary == null || values == null ? entries : entries + listEntries(layout.dictionary.layout, values);
  }

  private static int variadic(ArrayData data) {
    return Math.max(0, data.buffers().size() - 2);
  }

  private static final class Writer {
    final long block;
    private long nextNode;
    private long nextList;

    Writer(long block, int nodes) {
      this.block = block;
      this.nextNode = block;
      this.nextList = block + NODE * nodes;
    }

    long write(Layout layout, ArrayData data) {
      long node = nextNode;
      nextNode += NODE;
      ArrowArrayStruct.setLength(node, data.length());
      ArrowArrayStruct.setNullCount(node, data.nullCount());
      ArrowArrayStruct.setOffset(node, data.offset());
      writeBuffers(layout, data, node);
      int children = data.children().size();
      ArrowArrayStruct.setNChildren(node, children);
      ArrowArrayStruct.setChildren(node, children == 0 ? 0 : list(children));
      for (int i = 0; i < children; i++) {
        ArrowArrayStruct.setChild(node, i, write(layout.children[i].layout, data.children().get(i)));
      }
      Field dictionary = layout.dictionary;
      ArrayData values = data.dictionary();
      ArrowArrayStruct.setDictionary(node, dictionary == null || values == null ? 0 : write(dictionary.layout, values));
      ArrowArrayStruct.setPrivateData(node, 0);
      ArrowArrayStruct.setRelease(node, Callbacks.RELEASE_ARRAY); // live, though never released through C
      return node;
    }

    private void writeBuffers(Layout layout, ArrayData data, long node) {
      boolean view = layout.shape == Layout.Shape.VIEW;
      int count = data.buffers().size() + (view ? 1 : 0);
      ArrowArrayStruct.setNBuffers(node, count);
      ArrowArrayStruct.setBuffers(node, count == 0 ? 0 : list(count));
      for (int i = 0; i < data.buffers().size(); i++) {
        ArrowArrayStruct.setBuffer(node, i, pointer(data.buffers().get(i)));
      }
      if (view) writeVariadic(data, node);
      DeviceBuffer last = count == 0 ? null : data.buffers().getLast();
      if (layout.shape == Layout.Shape.VARIABLE) NativeHeap.putLong(list(1), last == null ? 0 : last.size());
    }

    /** The sizes of the data buffers, and for one that there is not, which has no bytes, an address that is not NULL (ARR-08). */
    private void writeVariadic(ArrayData data, long node) {
      for (int i = 2; i < data.buffers().size(); i++) {
        if (data.buffers().get(i) == null) ArrowArrayStruct.setBuffer(node, i, ArrowArrayStruct.buffer(node, 1));
      }
      ArrowArrayStruct.setBuffer(node, data.buffers().size(), sizes(data));
    }

    private long sizes(ArrayData data) {
      long sizes = list(variadic(data));
      for (int i = 0; i < variadic(data); i++) {
        DeviceBuffer buffer = data.buffers().get(2 + i);
        NativeHeap.putLong(sizes + (long) Long.BYTES * i, buffer == null ? 0 : buffer.size());
      }
      return sizes;
    }

    private long list(int entries) {
      long list = nextList;
      nextList += (long) Long.BYTES * entries;
      return list;
    }

    private static long pointer(@Nullable DeviceBuffer buffer) {
      return buffer == null ? 0 : buffer.pointer();
    }
  }
}
