package org.arbalest.device.internal.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Field;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.device.Wait;
import org.arbalest.device.internal.device.Worker;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** An array made of our own buffers: the buffers, and its structs and lists in one block. */
public final class BuiltArray extends Ownership {
  private static final long NODE = ArrowArrayStruct.SIZE;

  private final List<DeviceBufferImpl> buffers;
  private final long block;
  private final boolean isCpuAccessible;
  private final @Nullable RecordedEvent event;

  /** Takes over the buffers, the block and a holder of the event. */
  public BuiltArray(List<DeviceBufferImpl> buffers, long block, Device device, @Nullable RecordedEvent event, boolean hasEmptyAtOffset) {
    super(hasEmptyAtOffset);
    this.buffers = buffers;
    this.block = block;
    this.isCpuAccessible = device.isCpuAccessible() || (!buffers.isEmpty() && allCpuAccessible(buffers));
    this.event = event;
  }

  /** The first handle of an array of buffers, which it takes over; see {@link DeviceArray#of(Field, ArrayData)}. */
  public static DeviceArray of(Field field, ArrayData data) {
    Objects.requireNonNull(field, "field");
    return of(field, data, deviceOf(data, DeviceRegistry.cpu()));
  }

  /** Likewise; see {@link DeviceArray#of(Field, ArrayData, Device)}. */
  public static DeviceArray of(Field field, ArrayData data, Device device) {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(device, "device");
    requireOn(device, data);
    BufferSizes.check(field, data);
    return build(device, field, data, null);
  }

  /** Likewise; see {@link DeviceArray#of(Field, ArrayData, DeviceStream)}. */
  public static DeviceArray of(Field field, ArrayData data, DeviceStream stream) {
    Objects.requireNonNull(field, "field");
    Device device = deviceOf(data, stream.device());
    requireOn(device, data);
    BufferSizes.checkUnwritten(field, data);
    RecordedEvent event = DeviceStreamImpl.unwrap(stream).recordEvent();
    try {
      return build(device, field, data, event);
    } catch (Throwable t) {
      event.release();
      throw t;
    }
  }

  /** All buffers of an array and those below it. */
  private static List<DeviceBuffer> allBuffers(ArrayData data) {
    List<DeviceBuffer> all = new ArrayList<>();
    collect(data, all);
    return all;
  }

  private static void collect(ArrayData data, List<DeviceBuffer> all) {
    for (DeviceBuffer buffer : data.buffers()) {
      if (buffer != null) all.add(buffer);
    }
    for (ArrayData child : data.children()) collect(child, all);
    ArrayData dictionary = data.dictionary();
    if (dictionary != null) collect(dictionary, all);
  }

  /** Where the buffers are: on one device, or there are none. */
  private static Device deviceOf(ArrayData data, Device without) {
    List<DeviceBuffer> buffers = allBuffers(data);
    return buffers.isEmpty() ? without : buffers.getFirst().device();
  }

  private static void requireOn(Device device, ArrayData data) {
    for (DeviceBuffer buffer : allBuffers(data)) {
      if (!buffer.device().equals(device)) {
        throw DeviceException.invalid("the buffers of an array are on one device, but these are on " + device + " and " + buffer.device());
      }
    }
  }

  /**
   * The first handle of an array that takes over the buffers, whose sizes were checked, and a holder of the event. On failure they are still
   * the caller's.
   */
  private static DeviceArray build(Device device, Field field, ArrayData data, @Nullable RecordedEvent event) {
    List<DeviceBuffer> buffers = allBuffers(data);
    List<DeviceBufferImpl> taken = new ArrayList<>(buffers.size());
    try {
      for (DeviceBuffer buffer : buffers) {
        DeviceBufferImpl own = DeviceBufferImpl.unwrap(buffer);
        if (!own.take()) throw new IllegalStateException("a buffer was closed, moved into another array, or given twice: " + buffer);
        taken.add(own);
      }
      return build(device, field, data, taken, event);
    } catch (Throwable t) {
      taken.forEach(DeviceBufferImpl::untake);
      throw t;
    }
  }

  private static DeviceArray build(Device device, Field field, ArrayData data, List<DeviceBufferImpl> buffers, @Nullable RecordedEvent event) {
    int nodes = 1 + Layout.of(field).descendants;
    Writer writer = new Writer(NativeHeap.allocate(NODE * nodes + Long.BYTES * (nodes + listEntries(Layout.of(field), data))), nodes);
    try {
      writer.write(Layout.of(field), data);
      boolean hasEmptyAtOffset = Structure.validate(field, writer.block);
      DeviceArrayImpl handle = new DeviceArrayImpl(device, field, writer.block, data.offset(), data.length());
      return handle.holding(new BuiltArray(buffers, writer.block, device, event, hasEmptyAtOffset));
    } catch (Throwable t) {
      NativeHeap.free(writer.block);
      throw t;
    }
  }

  @Override
  public long syncEvent() {
    return event == null || event.point.isKnownDone() ? 0 : event.point.cell;
  }

  @Override
  public @Nullable EventPoint event() {
    return event == null ? null : event.point;
  }

  /** Behind the list of the buffers. */
  @Override
  public long dataSize(long struct) {
    return NativeHeap.getLong(ArrowArrayStruct.buffers(struct) + Long.BYTES * ArrowArrayStruct.nBuffers(struct));
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  /** Not under what still writes to the buffers: a consumer may release an array for whose event nobody has waited. */
  @Override
  void freeArray() {
    RecordedEvent end = event;
    if (end != null && !end.point.isSeenDone()) {
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
    for (DeviceBufferImpl buffer : buffers) buffer.free();
    NativeHeap.free(block);
    if (event != null) event.release();
  }

  public boolean isOneAllocation() {
    return buffers.size() == 1;
  }

  private static boolean allCpuAccessible(List<DeviceBufferImpl> buffers) {
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
      ArrowArrayStruct.setDictionary(node, dictionary == null || values == null ? 0 : write(Layout.of(dictionary), values));
      ArrowArrayStruct.setPrivateData(node, 0);
      ArrowArrayStruct.setRelease(node, ArrayExport.RELEASE); // live, though never released through C
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
      return buffer == null ? 0 : DeviceBufferImpl.unwrap(buffer).pointer();
    }
  }
}
