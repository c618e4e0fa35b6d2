// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Makes arrays of buffers. Takes over the buffers when they are known to form one array. On failure, leaves them to the
 * caller.
 */
public final class ArrayAssembly {
  private ArrayAssembly() {}

  /**
   * Creates the first handle of an array of buffers, and takes over the buffers; see
   * {@link DeviceArray#of(Field, ArrayData)}.
   */
  public static DeviceArray of(Field field, ArrayData data) {
    Objects.requireNonNull(field, "field");
    return of(field, data, deviceOf(data, CpuDevice.get()));
  }

  /** Creates the first handle of an array on this device, even if it has no buffers. */
  public static DeviceArray of(Field field, ArrayData data, Device device) {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(device, "device");
    requireOn(device, data);
    BufferSizes.check(field, data);
    return build(device, field, data, null, null);
  }

  /**
   * Creates the first handle of an array whose buffers a stream still writes; see
   * {@link DeviceArray#of(Field, ArrayData, DeviceStream)}.
   */
  public static DeviceArray of(Field field, ArrayData data, DeviceStream stream) {
    Objects.requireNonNull(field, "field");
    Device device = deviceOf(data, stream.device());
    requireOn(device, data);
    BufferSizes.checkUnwritten(field, data);
    RecordedEvent event = DeviceStreamImpl.unwrap(stream).recordEvent();
    try {
      return build(device, field, data, event, null);
    } catch (Throwable t) {
      event.release();
      throw t;
    }
  }

  /**
   * Creates the first handle of an array of buffers whose sizes another component has checked. The structs are checked
   * here.
   *
   * <p>Takes over the buffers and a reference to the event. On failure, the caller still has both.
   */
  public static DeviceArray ofLaidOut(Field field, ArrayData data, Device device, @Nullable RecordedEvent event) {
    return build(device, field, data, event, null);
  }

  /** Does the same for written buffers with the parts of another array. */
  public static DeviceArray ofCopied(Field field, ArrayData data, Device device, @Nullable Conversion conversion) {
    return build(device, field, data, null, conversion);
  }

  /** Returns all buffers of an array and the arrays below it. */
  public static List<DeviceBuffer> allBuffers(ArrayData data) {
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

  /**
   * Returns the device of the buffers, which must all be on one device. Returns {@code without} if no buffers exist.
   */
  private static Device deviceOf(ArrayData data, Device without) {
    List<DeviceBuffer> buffers = allBuffers(data);
    return buffers.isEmpty() ? without : buffers.getFirst().device();
  }

  private static void requireOn(Device device, ArrayData data) {
    for (DeviceBuffer buffer : allBuffers(data)) {
      if (!buffer.device().equals(device)) {
        throw new IllegalArgumentException(
            "the buffers of an array are on one device, but these are on " + device + " and " + buffer.device());
      }
    }
  }

  /**
   * Creates the first handle of an array. Takes over the buffers, whose sizes were checked, and a reference to the
   * event. On failure, the caller still has both.
   */
  private static DeviceArray build(Device device, Field field, ArrayData data, @Nullable RecordedEvent event,
      @Nullable Conversion conversion) {
    List<DeviceBuffer> buffers = allBuffers(data);
    List<DeviceBufferImpl> taken = new ArrayList<>(buffers.size());
    try {
      for (DeviceBuffer buffer : buffers) {
        DeviceBufferImpl own = DeviceBufferImpl.unwrap(buffer);
        if (!own.take())
          throw new IllegalStateException("a buffer was closed, moved into another array, or given twice: " + buffer);
        taken.add(own);
      }
      return build(device, field, data, taken, event, conversion);
    } catch (Throwable t) {
      taken.forEach(DeviceBufferImpl::untake);
      throw t;
    }
  }

  private static DeviceArray build(Device device, Field field, ArrayData data, List<DeviceBufferImpl> buffers,
      @Nullable RecordedEvent event, @Nullable Conversion conversion) {
    StructWriter writer = StructWriter.of(field, data);
    long block = writer.block();
    try {
      writer.write(field, data);
      boolean hasEmpty = Structure.validate(field, block);
      DeviceArrayImpl handle = DeviceArrayImpl.of(device, field, block, data.offset(), data.length());
      return handle.holding(new BuiltArray(buffers, block, device, event, hasEmpty, conversion));
    } catch (Throwable t) {
      NativeHeap.free(block);
      throw t;
    }
  }
}
