// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Quarantine;
import org.arbalest.device.internal.memory.Slots;

/** The native memory of a stream that we consume: the {@code ArrowAsyncHandler}, whose {@code private_data} is a slot's tag. Freed once. */
final class HandlerBlock {
  private final long struct;
  private final long tag;

  /** The struct of {@code holder}, which its callbacks lead to. */
  HandlerBlock(HeldByC holder) {
    struct = NativeHeap.allocate(ArrowAsyncHandlerStruct.SIZE);
    try {
      tag = Slots.take(holder);
    } catch (Throwable t) {
      NativeHeap.free(struct);
      throw t;
    }
    ArrowAsyncHandlerStruct.setOnSchema(struct, AsyncCallbacks.HANDLER_ON_SCHEMA);
    ArrowAsyncHandlerStruct.setOnNextTask(struct, AsyncCallbacks.HANDLER_ON_NEXT_TASK);
    ArrowAsyncHandlerStruct.setOnError(struct, AsyncCallbacks.HANDLER_ON_ERROR);
    ArrowAsyncHandlerStruct.setRelease(struct, AsyncCallbacks.HANDLER_RELEASE);
    ArrowAsyncHandlerStruct.setProducer(struct, 0);
    ArrowAsyncHandlerStruct.setPrivateData(struct, tag);
  }

  /** The tag of the handler that a producer calls. */
  static long tag(long handler) {
    return ArrowAsyncHandlerStruct.privateData(handler);
  }

  long struct() {
    return struct;
  }

  /** The producer's struct; 0 as long as it has not said. */
  long producer() {
    return ArrowAsyncHandlerStruct.producer(struct);
  }

  /** Nothing is found by it any more. */
  void free() {
    Slots.leave(tag);
    ArrowAsyncHandlerStruct.setRelease(struct, 0); // ASY-24
    Quarantine.free(struct);
  }
}
