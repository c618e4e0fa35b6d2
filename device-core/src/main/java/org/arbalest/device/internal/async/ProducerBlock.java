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
 * The native memory of a stream that we produce: the {@code ArrowAsyncProducer}, and behind it our handle, the task and
 * the schema that are being announced, and the stream's metadata. Used by one thread at a time, freed once.
 *
 * <p>What the consumer calls finds us by the struct's address: the word behind the longer of its two layouts is the
 * handle.
 */
final class ProducerBlock {
  private static final long HANDLE = RawArrowAsyncProducer.SIZE + Long.BYTES;
  private static final long TASK = HANDLE + Long.BYTES;
  private static final long SCHEMA = TASK + RawArrowAsyncTask.SIZE;
  private static final long STREAM_METADATA = SCHEMA + RawArrowSchema.SIZE;

  /** A producer of nothing, for the life of the process: its handle is nobody's. */
  static final long NOBODY = nobody();

  private final long block;
  private final long handle;

  /** The last task's metadata; grows. */
  private long taskMetadata;

  private long taskMetadataBytes;

  /** The struct of {@code holder}, which its calls lead to. */
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

  /** The handle of the producer that a consumer calls. */
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

  /** What is said about a task, until the next is announced; 0 for nothing. */
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

  /** Nothing is found by it any more. */
  void free() {
    Slots.leave(handle);
    NativeHeap.free(taskMetadata);
    Quarantine.free(block);
  }
}
