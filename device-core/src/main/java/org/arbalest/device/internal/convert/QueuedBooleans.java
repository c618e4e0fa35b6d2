// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.arbalest.device.internal.device.DeviceQueue;
import org.arbalest.device.spi.BooleanKernels;

/** The conversion of booleans by a queue, in memory that the CPU cannot read. */
final class QueuedBooleans {
  private final DeviceQueue queue;
  private final Supplier<BooleanKernels> kernels;

  QueuedBooleans(DeviceQueue queue, Supplier<BooleanKernels> kernels) {
    this.queue = queue;
    this.kernels = kernels;
  }

  /** Returns the call that queues the conversion of a range of a buffer. */
  LongConsumer writer(long from, Rows range, boolean areBits) {
    BooleanKernels device = kernels.get();
    long handle = queue.handle();
    if (areBits) return to -> device.toBytes(handle, from, range.start, range.count, to);
    return to -> device.toBits(handle, from, range.start, range.count, to);
  }
}
