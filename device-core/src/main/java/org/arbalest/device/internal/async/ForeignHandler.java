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
 * A consumer's handler that the library calls. One thread at a time calls it (ASY-19). No call follows
 * {@link #release}, which frees the handler.
 */
final class ForeignHandler {
  private final long struct;

  /** The handler's {@code on_next_task}, after its first call. */
  private MemorySegment onNextTask = MemorySegment.NULL;

  ForeignHandler(long struct) {
    this.struct = struct;
  }

  /** Sets the producer, before any call (ASY-01). */
  void setProducer(ProducerBlock block) {
    RawArrowAsyncHandler.setProducer(struct, block.producer());
  }

  /** Returns the consumer's answer to {@code on_schema}. */
  int onSchema(long schema) {
    return Calls.get(RawArrowAsyncHandler.onSchema(struct), struct, schema);
  }

  /** Returns the consumer's answer to {@code on_next_task}. A call without a task ends the stream. */
  int onNextTask(long task, long metadata) {
    long function = RawArrowAsyncHandler.onNextTask(struct);
    if (onNextTask.address() != function) onNextTask = MemorySegment.ofAddress(function);
    return Calls.onNextTask(onNextTask, struct, task, metadata);
  }

  /** Calls {@code on_error} with a code, a message and metadata. Their memory is valid during the call (ASY-21). */
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
      // There is too little memory for the rest, so only the code is passed.
    }
    try {
      onError(Failures.errno(why), message, metadata, why);
    } finally {
      NativeHeap.free(message);
      NativeHeap.free(metadata);
    }
  }

  /**
   * Notifies the handler. A handler of this library is notified in Java, because a call through native code would lose
   * the exception and its type.
   */
  private void onError(int code, long message, long metadata, Throwable why) {
    long function = RawArrowAsyncHandler.onError(struct);
    if (function == AsyncCallbacks.HANDLER_ON_ERROR) {
      AsyncCallbacks.onError(struct, code, message, metadata, why);
    } else {
      Calls.onError(function, struct, code, message, metadata);
    }
  }

  /** Releases the handler. This is the last call. */
  void release() {
    Calls.release(RawArrowAsyncHandler.release(struct), struct);
  }

  /** Calls {@code on_error} and {@code release} on a handler that did not receive a schema (ASY-25). */
  void refuse(Throwable why) {
    RawArrowAsyncHandler.setProducer(struct, ProducerBlock.NOBODY); // ASY-01
    onError(why);
    release();
  }
}
