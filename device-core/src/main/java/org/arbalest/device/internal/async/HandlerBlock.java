// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Quarantine;
import org.arbalest.device.internal.memory.Slots;

/**
 * The native memory of a stream that the library consumes: the {@code ArrowAsyncHandler}, whose {@code private_data} is
 * a slot's handle. It is freed once.
 */
final class HandlerBlock {
  private final long struct;
  private final long handle;

  /** Creates a struct whose callbacks lead to {@code holder}. */
  HandlerBlock(HeldByC holder) {
    struct = NativeHeap.allocate(RawArrowAsyncHandler.SIZE);
    try {
      handle = Slots.take(holder);
    } catch (Throwable t) {
      NativeHeap.free(struct);
      throw t;
    }
    RawArrowAsyncHandler.setOnSchema(struct, AsyncCallbacks.HANDLER_ON_SCHEMA);
    RawArrowAsyncHandler.setOnNextTask(struct, AsyncCallbacks.HANDLER_ON_NEXT_TASK);
    RawArrowAsyncHandler.setOnError(struct, AsyncCallbacks.HANDLER_ON_ERROR);
    RawArrowAsyncHandler.setRelease(struct, AsyncCallbacks.HANDLER_RELEASE);
    RawArrowAsyncHandler.setProducer(struct, 0);
    RawArrowAsyncHandler.setPrivateData(struct, handle);
  }

  /** Returns the handle of the handler that a producer calls. */
  static long handle(long handler) {
    return RawArrowAsyncHandler.privateData(handler);
  }

  long struct() {
    return struct;
  }

  /** Returns the address of the producer's struct, or 0 until the producer sets it. */
  long producer() {
    return RawArrowAsyncHandler.producer(struct);
  }

  /** Frees the memory. The handle leads to no object from then on. */
  void free() {
    Slots.leave(handle);
    RawArrowAsyncHandler.setRelease(struct, 0); // ASY-24
    Quarantine.free(struct);
  }
}
