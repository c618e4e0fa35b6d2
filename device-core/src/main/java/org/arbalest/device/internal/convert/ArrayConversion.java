// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.ConvertedArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.array.StructBlock;
import org.arbalest.device.internal.array.Structure;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Creates arrays from others: in another layout, or compact. See {@link DeviceArray#convertTo(Field)},
 * {@link DeviceArray#compact} and {@link RecordBatch#pushDownNulls}.
 */
public final class ArrayConversion {
  private ArrayConversion() {}

  /** Returns the converted array, which the caller closes. See {@link DeviceArray#convertTo(Field)}. */
  public static DeviceArray convert(DeviceArrayImpl array, Field requested) {
    Objects.requireNonNull(requested, "requested");
    return convert(array, array.field(), requested, false);
  }

  /**
   * Returns the converted array, with {@code from} in place of the array's field. The two may differ only in names,
   * metadata and nullability.
   */
  public static DeviceArray convert(DeviceArrayImpl array, Field from, Field requested) {
    return convert(array, from, requested, false);
  }

  /** Throws the exception of a conversion between two fields, if it would fail for any array. */
  public static void check(Field from, Field requested) {
    Objects.requireNonNull(requested, "requested");
    try {
      Compatible.check(from, requested);
    } catch (MalformedException e) {
      throw e.toException();
    }
  }

  /** Returns a compact array. See {@link DeviceArray#compact}. */
  public static DeviceArray compact(DeviceArrayImpl array) {
    return convert(array, array.field(), array.field(), true);
  }

  /**
   * Exports with a requested schema. See {@link org.arbalest.device.c.CExport#requested(Field)}. If two threads consume
   * the handle at the same time, one of them succeeds.
   */
  public static void export(
      DeviceArrayImpl array,
      MemorySegment out,
      @Nullable MemorySegment schemaOut,
      Field requested,
      @Nullable DeviceStream consumer,
      boolean isDeviceArray) {
    HandleExport.check(out, schemaOut, isDeviceArray);
    Ownership held = array.share();
    try (DeviceArray result = convert(array, held, array.field(), requested, false)) {
      Ownership borrowed = array.borrow();
      try {
        HandleExport.export(DeviceArrayImpl.unwrap(result), out, schemaOut, consumer, isDeviceArray);
      } catch (Throwable t) {
        array.takeBack(borrowed);
        throw t;
      }
      array.keep();
      borrowed.release(); // the result has a reference of its own
    } finally {
      held.release();
    }
  }

  private static DeviceArray convert(DeviceArrayImpl array, Field from, Field to, boolean isCompact) {
    Ownership owner = array.share();
    try {
      return convert(array, owner, from, to, isCompact);
    } finally {
      owner.release();
    }
  }

  private static DeviceArray convert(DeviceArrayImpl array, Ownership owner, Field from, Field to, boolean isCompact) {
    return made(array, owner, to, isCompact, plan -> {
      if (!isCompact) Compatible.check(from, to);
      return plan.measure(from, array.struct(owner), rows(array), to);
    });
  }

  /** Returns a batch with nulls only in its columns. See {@link RecordBatch#pushDownNulls}. */
  public static RecordBatch pushDownNulls(RecordBatchImpl array) {
    Ownership owner = array.share();
    try {
      Field batch = array.schema().asField();
      if (RawArrowArray.buffer(array.struct(owner), 0) == 0) return array.retain();
      return RecordBatchImpl.unwrap(
          made(array, owner, batch, false, plan -> plan.pushDown(batch, array.struct(owner), rows(array))));
    } finally {
      owner.release();
    }
  }

  /** Returns the visible rows of an array. */
  static Rows rows(DeviceArrayImpl array) {
    return Rows.range(array.offset(), array.length());
  }

  /** Returns an array of some rows of another. Waits for the array, which the CPU can read. */
  static DeviceArray taken(DeviceArrayImpl array, Ownership owner, Function<ConversionPlan, Node> measured) {
    return made(array, owner, array.field(), false, plan -> {
      plan.look();
      return measured.apply(plan);
    }, true);
  }

  private static DeviceArray made(DeviceArrayImpl array, Ownership owner, Field to, boolean isCompact,
      Function<ConversionPlan, Node> measured) {
    return made(array, owner, to, isCompact, measured, false);
  }

  /** @param mayLeave whether the result does not keep the source's memory if it uses none of it */
  private static DeviceArray made(DeviceArrayImpl array, Ownership owner, Field to, boolean isCompact,
      Function<ConversionPlan, Node> measured, boolean mayLeave) {
    ConversionPlan plan = new ConversionPlan(owner, array.device(), isCompact, null);
    return made(plan, measured,
        node -> make(plan, node, array.device(), to, mayLeave && plan.isAllNew() ? null : owner));
  }

  /** Measures an array and makes it, with a plan that this closes. */
  static DeviceArray made(ConversionPlan plan, Function<ConversionPlan, Node> measured,
      Function<Node, DeviceArray> make) {
    try (plan) {
      return make.apply(measured.apply(plan));
    } catch (MalformedException e) {
      RuntimeException why = e.toException();
      throw plan.isUnreachable() ? new DeviceException(Errno.ENOSYS, String.valueOf(why.getMessage())) : why;
    } catch (ArithmeticException e) {
      throw DeviceException.invalid("the array's buffers add up to more bytes than a long holds: " + e.getMessage());
    }
  }

  private static DeviceArray make(ConversionPlan plan, Node node, Device device, Field to,
      @Nullable Ownership source) {
    if (plan.total() == 0) return make(plan, node, device, to, source, null, null);
    MemoryManager own = device.memory();
    MemoryManager near = own.isCpuAccessible() ? own : device.hostMemory().orElseThrow(() -> unreachable(device));
    DeviceBuffer memory = near.allocate(plan.total());
    try {
      node.writeBuffers(memory.address());
      return make(plan, node, device, to, source, DeviceBufferImpl.unwrap(memory), null);
    } finally {
      memory.close(); // does nothing if the memory was taken
    }
  }

  private static DeviceException unreachable(Device device) {
    return new DeviceException(Errno.ENOSYS,
        "the CPU cannot write buffers on " + device + "; copy the array to the CPU first, with copyTo");
  }

  /**
   * Makes an array of measured parts. Takes over the memory, and a reference to the event behind its writing. On
   * failure, the caller still has both.
   */
  static DeviceArray make(
      ConversionPlan plan, Node node, Device device, Field to, @Nullable Ownership source,
      @Nullable DeviceBufferImpl memory, @Nullable RecordedEvent event) {
    StructBlock block = new StructBlock(node.structs(), node.entries() + 1);
    try {
      long nothing = 0;
      if (plan.owner.isCpuAccessible()) {
        nothing = block.list(1);
        NativeHeap.putLong(nothing, 0);
      }
      node.writeStructs(block, memory == null ? 0 : memory.address(), nothing);
      boolean hasEmpty = Structure.validate(to, block.address);
      DeviceArrayImpl handle = DeviceArrayImpl.of(device, to, block.address, node.offset, node.length);
      ConvertedArray converted = new ConvertedArray(source, memory, block.address, plan.conversion(), event, hasEmpty);
      if (source != null) source.retain(); // for converted; nothing below can fail
      if (memory != null) memory.take();
      return handle.holding(converted);
    } catch (Throwable t) {
      NativeHeap.free(block.address);
      throw t;
    }
  }
}
