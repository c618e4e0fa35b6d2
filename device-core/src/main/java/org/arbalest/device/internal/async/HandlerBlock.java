// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Quarantine;
import org.arbalest.device.internal.memory.Slots;

/**
 * The native memory of a stream that we consume: the {@code ArrowAsyncHandler}, whose {@code private_data} is a slot's
 * handle. Freed once.
 */
final class HandlerBlock {
  private final long struct;
  private final long handle;

  /** The struct of {@code holder}, which its callbacks lead to. */
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

  /** The handle of the handler that a producer calls. */
  static long handle(long handler) {
    return RawArrowAsyncHandler.privateData(handler);
  }

  long struct() {
    return struct;
  }

  /** The producer's struct; 0 as long as it has not said. */
  long producer() {
    return RawArrowAsyncHandler.producer(struct);
  }

  /** Nothing is found by it any more. */
  void free() {
    Slots.leave(handle);
    RawArrowAsyncHandler.setRelease(struct, 0); // ASY-24
    Quarantine.free(struct);
  }
}
