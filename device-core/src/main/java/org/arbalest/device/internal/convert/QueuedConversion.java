// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceQueue;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.spi.BooleanKernels;
import org.arbalest.device.types.Field;

/**
 * A conversion of an array that the CPU cannot read. A stream writes the new buffers, which have only booleans. See
 * {@link org.arbalest.device.spi.ArrayBridge#convertTo}.
 */
public final class QueuedConversion {
  private final DeviceArrayImpl array;
  private final Ownership owner;
  private final Field requested;
  private final DeviceStreamImpl stream;
  private final DeviceQueue queue;

  private QueuedConversion(DeviceArrayImpl array, Ownership owner, Field requested, DeviceStreamImpl stream,
      DeviceQueue queue) {
    this.array = array;
    this.owner = owner;
    this.requested = requested;
    this.stream = stream;
    this.queue = queue;
  }

  /** Returns the converted array, which the caller closes. The CPU converts what it can read. */
  public static DeviceArray convert(DeviceArrayImpl array, Field requested, DeviceStreamImpl stream,
      Supplier<BooleanKernels> kernels) {
    Objects.requireNonNull(requested, "requested");
    Ownership owner = array.share();
    try {
      if (owner.isCpuAccessible()) return ArrayConversion.convert(array, requested);
      DeviceQueue queue = stream.hold();
      try {
        return new QueuedConversion(array, owner, requested, stream, queue).convert(kernels);
      } finally {
        queue.release();
      }
    } finally {
      owner.release();
    }
  }

  private DeviceArray convert(Supplier<BooleanKernels> kernels) {
    ConversionPlan plan = new ConversionPlan(owner, array.device(), false, new QueuedBooleans(queue, kernels));
    return ArrayConversion.made(plan, measuring -> {
      Compatible.check(array.field(), requested);
      return measuring.measure(array.field(), array.struct(owner), ArrayConversion.rows(array), requested);
    }, node -> make(plan, node));
  }

  private DeviceArray make(ConversionPlan plan, Node node) {
    if (plan.total() == 0) return ArrayConversion.make(plan, node, array.device(), requested, owner, null, null);
    EventPoint ready = owner.event();
    if (ready != null) {
      stream.waitFor(ready, owner);
    } else if (owner.syncEvent() != 0) {
      DeviceImpl.unwrap(array.device()).driver(); // throws, because the device is unknown and nothing can wait
    }
    DeviceBufferImpl memory = DeviceBufferImpl.unwrap(array.device().memory().allocate(plan.total()));
    try {
      return queued(plan, node, memory);
    } finally {
      memory.close(); // does nothing if the memory was taken
    }
  }

  /** Queues the writing of the buffers, and makes the array. The stream keeps the memory until all is written. */
  private DeviceArray queued(ConversionPlan plan, Node node, DeviceBufferImpl memory) {
    Shared target = memory.allocation();
    RecordedEvent end = queue.queue(() -> node.queueBuffers(memory.pointer()), owner, target);
    try {
      DeviceStreamImpl.keepUntil(end, owner, target);
      return ArrayConversion.make(plan, node, array.device(), requested, owner, memory, end);
    } catch (Throwable t) {
      end.release();
      throw t;
    }
  }
}
