// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import org.arbalest.device.DeviceType;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Quarantine;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.MetadataCodec;
import org.arbalest.device.types.Metadata;

/**
 * The native memory of a stream that the library produces: the {@code ArrowAsyncProducer}, and after it the stream's
 * handle, the announced task and schema, and the stream's metadata. One thread at a time uses it. It is freed once.
 *
 * <p>A call of the consumer finds the stream by the struct's address: the word after the longer of its two layouts is
 * the handle.
 */
final class ProducerBlock {
  private static final long HANDLE = RawArrowAsyncProducer.SIZE + Long.BYTES;
  private static final long TASK = HANDLE + Long.BYTES;
  private static final long SCHEMA = TASK + RawArrowAsyncTask.SIZE;
  private static final long STREAM_METADATA = SCHEMA + RawArrowSchema.SIZE;

  /** A producer without a stream, which lives as long as the process. Its handle leads to no object. */
  static final long NOBODY = nobody();

  private final long block;
  private final long handle;

  /** The address of the last task's metadata. The memory grows when necessary. */
  private long taskMetadata;

  private long taskMetadataBytes;

  /** Creates a struct whose calls lead to {@code holder}. */
  ProducerBlock(HeldByC holder, AsyncSchema schema, boolean hasRelease) {
    block = NativeHeap.allocate(STREAM_METADATA + MetadataCodec.size(schema.metadata()));
    try {
      handle = Slots.take(holder);
    } catch (Throwable t) {
      NativeHeap.free(block);
      throw t;
    }
    fill(block, STREAM_METADATA, schema.deviceType());
    NativeHeap.putLong(block + HANDLE, handle);
    if (!schema.metadata().isEmpty()) {
      MetadataCodec.write(schema.metadata(), block + STREAM_METADATA);
      RawArrowAsyncProducer.setAdditionalMetadata(hasRelease ? block + Long.BYTES : block, block + STREAM_METADATA);
    }
  }

  private static long nobody() {
    long block = NativeHeap.allocate(TASK);
    fill(block, TASK, DeviceType.CPU);
    return block;
  }

  private static void fill(long block, long bytes, DeviceType deviceType) {
    NativeHeap.fill(block, bytes, (byte) 0);
    RawArrowAsyncProducer.setDeviceType(block, deviceType.code());
    RawArrowAsyncProducer.setRequest(block, AsyncCallbacks.PRODUCER_REQUEST);
    RawArrowAsyncProducer.setCancel(block, AsyncCallbacks.PRODUCER_CANCEL);
  }

  /** Returns the handle of the producer that a consumer calls. */
  static long handle(long producer) {
    return NativeHeap.getLong(producer + HANDLE);
  }

  long producer() {
    return block;
  }

  long schema() {
    return block + SCHEMA;
  }

  long task() {
    return block + TASK;
  }

  /**
   * Writes a task's metadata, which is valid until the next task is announced. Returns its address, or 0 if it is
   * empty.
   */
  long writeTaskMetadata(Metadata metadata) {
    long size = MetadataCodec.size(metadata);
    if (size == 0) return 0;
    if (size > taskMetadataBytes) {
      NativeHeap.free(taskMetadata);
      taskMetadata = 0;
      taskMetadataBytes = 0;
      taskMetadata = NativeHeap.allocate(2 * size);
      taskMetadataBytes = 2 * size;
    }
    MetadataCodec.write(metadata, taskMetadata);
    return taskMetadata;
  }

  /** Frees the memory. The handle leads to no object from then on. */
  void free() {
    Slots.leave(handle);
    NativeHeap.free(taskMetadata);
    Quarantine.free(block);
  }
}
