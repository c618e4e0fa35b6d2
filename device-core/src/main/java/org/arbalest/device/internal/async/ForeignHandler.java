// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MetadataCodec;
import org.arbalest.device.internal.stream.Failures;

/**
 * A consumer's handler, which we drive. Called by one thread at a time (ASY-19), and not after {@link #release}, which
 * frees it.
 */
final class ForeignHandler {
  private final long struct;

  /** Its {@code on_next_task}, once it was called. */
  private MemorySegment onNextTask = MemorySegment.NULL;

  ForeignHandler(long struct) {
    this.struct = struct;
  }

  /** Before any call (ASY-01). */
  void setProducer(ProducerBlock block) {
    RawArrowAsyncHandler.setProducer(struct, block.producer());
  }

  /** The consumer's answer to {@code on_schema}. */
  int onSchema(long schema) {
    return Calls.get(RawArrowAsyncHandler.onSchema(struct), struct, schema);
  }

  /** The consumer's answer to {@code on_next_task}; without a task it is the end. */
  int onNextTask(long task, long metadata) {
    long function = RawArrowAsyncHandler.onNextTask(struct);
    if (onNextTask.address() != function) onNextTask = MemorySegment.ofAddress(function);
    return Calls.onNextTask(onNextTask, struct, task, metadata);
  }

  /** {@code on_error}, with code, message and metadata, whose memory lives for the call (ASY-21). */
  void onError(Throwable why) {
    long message = 0;
    long metadata = 0;
    try {
      byte[] text = Failures.utf8(Failures.messageWithCauses(why));
      message = NativeHeap.allocate(text.length + 1L);
      NativeHeap.putBytes(message, text);
      NativeHeap.putByte(message + text.length, (byte) 0);
      if (why instanceof DeviceException e && !e.metadata().isEmpty()) {
        metadata = NativeHeap.allocate(MetadataCodec.size(e.metadata()));
        MetadataCodec.write(e.metadata(), metadata);
      }
    } catch (OutOfMemoryError | DeviceException _) {
      // No memory for more: the code must do.
    }
    try {
      onError(Failures.errno(why), message, metadata, why);
    } finally {
      NativeHeap.free(message);
      NativeHeap.free(metadata);
    }
  }

  /** A handler of ours is told without going through C, where the failure would be lost, and its type with it. */
  private void onError(int code, long message, long metadata, Throwable why) {
    long function = RawArrowAsyncHandler.onError(struct);
    if (function == AsyncCallbacks.HANDLER_ON_ERROR) {
      AsyncCallbacks.onError(struct, code, message, metadata, why);
    } else {
      Calls.onError(function, struct, code, message, metadata);
    }
  }

  /** The last call. */
  void release() {
    Calls.release(RawArrowAsyncHandler.release(struct), struct);
  }

  /** {@code on_error} and {@code release}, on a handler that was not told a schema (ASY-25). */
  void refuse(Throwable why) {
    RawArrowAsyncHandler.setProducer(struct, ProducerBlock.NOBODY); // ASY-01
    onError(why);
    release();
  }
}
