// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.array.ArrayImport;
import org.arbalest.device.internal.array.ArrayRelease;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Metadata;

/** A task of a native producer: a copy of its 16-byte struct (ASY-15). */
final class ImportedTask extends AsyncTaskImpl {
  private final AsyncHandler handler;
  private final AsyncSchema schema;
  private final MemorySegment extractData;
  private final long privateData;

  ImportedTask(AsyncHandler handler, AsyncSchema schema, MemorySegment extractData, long privateData,
      Metadata metadata) {
    super(metadata);
    this.handler = handler;
    this.schema = schema;
    this.extractData = extractData;
    this.privateData = privateData;
  }

  @Override
  public RecordBatch extract() {
    Recording.OfArray event = Recording.anExtraction();
    RecordBatch array = extractArray();
    if (event != null) RecordedArrays.describe(event, array);
    return array;
  }

  private RecordBatch extractArray() {
    long block = NativeHeap.allocate(RawArrowDeviceArray.SIZE + RawArrowAsyncTask.SIZE);
    if (!consume()) {
      NativeHeap.free(block);
      throw alreadyConsumed();
    }
    call(block);
    DeviceArray array = ArrayImport.adopt(block, schema.schema().asField(), handler.level);
    if (array.device().type().equals(schema.deviceType()))
      return RecordBatchImpl.unwrap(ArrayValidation.imported(array, handler.level));
    array.close();
    throw DeviceException.invalid("a stream of " + schema.deviceType() + " arrays returned one on " + array.device());
  }

  /** Fills the array at {@code block}. On failure, frees the block and throws. */
  private void call(long block) {
    int code = 0;
    try {
      RawArrowArray.setRelease(block, 0); // some producers write nothing if they fail (ASY-17)
      code = Calls.get(extractData, copyTo(block + RawArrowDeviceArray.SIZE), block);
      if (code == 0 && RawArrowArray.release(block) != 0) return;
    } catch (Throwable t) {
      NativeHeap.free(block);
      throw t;
    }
    NativeHeap.free(block);
    handler.extractFailed();
    throw code == 0
        ? new DeviceException(Errno.EIO, "extract_data returned 0, but no array")
        : new DeviceException(code,
            "extract_data failed with " + Errno.name(code) + "; the producer reports to the stream why");
  }

  private long copyTo(long task) {
    RawArrowAsyncTask.setExtractData(task, extractData.address());
    RawArrowAsyncTask.setPrivateData(task, privateData);
    return task;
  }

  @Override
  public AsyncTask move() {
    if (!consume()) throw alreadyConsumed();
    return new ImportedTask(handler, schema, extractData, privateData, metadata());
  }

  @Override
  public void close() {
    if (!isOpen()) return;
    long block = NativeHeap.allocate(RawArrowDeviceArray.SIZE + RawArrowAsyncTask.SIZE);
    try {
      if (!consume()) return;
      long task = copyTo(block + RawArrowDeviceArray.SIZE);
      if (handler.has(AsyncQuirk.NO_NULL_EXTRACT)) {
        RawArrowArray.setRelease(block, 0);
        if (Calls.get(extractData, task, block) == 0) ArrayRelease.release(block);
      } else {
        Calls.get(extractData, task, 0); // the producer reports a failure (ASY-18)
      }
    } finally {
      NativeHeap.free(block);
    }
  }
}
