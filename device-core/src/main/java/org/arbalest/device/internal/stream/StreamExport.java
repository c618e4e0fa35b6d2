// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.SchemaExport;
import org.jspecify.annotations.Nullable;

/**
 * One stream that C holds. Calls from several threads are taken in turn (STR-07); an error is repeated by all later
 * calls of get_next, with its message (STR-09).
 */
public final class StreamExport implements HeldByC {
  private final DeviceArrayReader reader;
  private final ReentrantLock calls = new ReentrantLock();
  private long handle;
  private @Nullable Throwable failure;

  /** What the last call failed with; null after one that did not. */
  private @Nullable Throwable last;

  /** What the last call that failed said, as a C string; 0 after a call that did not (STR-03). */
  private long text;

  private boolean released;

  private StreamExport(DeviceArrayReader reader) {
    this.reader = reader;
  }

  /** A stream that C is to hold; then undone, or written. The reader is still the caller's. */
  static StreamExport register(DeviceArrayReader reader) {
    NativeAccess.require();
    StreamCallbacks.load(); // what could fail at first use
    StreamExport export = new StreamExport(reader);
    export.handle = Slots.take(export);
    return export;
  }

  /** Nobody was given it. */
  void undo() {
    Slots.leave(handle);
  }

  /** Hands it, and its reader, to C as an {@code ArrowArrayStream}. Cannot fail. */
  void writeStream(long out) {
    RawArrowArrayStream.setGetSchema(out, StreamCallbacks.STREAM_GET_SCHEMA);
    RawArrowArrayStream.setGetNext(out, StreamCallbacks.STREAM_GET_NEXT);
    RawArrowArrayStream.setGetLastError(out, StreamCallbacks.STREAM_GET_LAST_ERROR);
    RawArrowArrayStream.setPrivateData(out, handle);
    RawArrowArrayStream.setRelease(out, StreamCallbacks.STREAM_RELEASE);
  }

  /** Hands it, and its reader, to C as an {@code ArrowDeviceArrayStream}. Cannot fail. */
  void writeDeviceArrayStream(long out) {
    RawArrowDeviceArrayStream.setDeviceType(out, reader.deviceType().code());
    RawArrowDeviceArrayStream.setGetSchema(out, StreamCallbacks.DEVICE_STREAM_GET_SCHEMA);
    RawArrowDeviceArrayStream.setGetNext(out, StreamCallbacks.DEVICE_STREAM_GET_NEXT);
    RawArrowDeviceArrayStream.setGetLastError(out, StreamCallbacks.DEVICE_STREAM_GET_LAST_ERROR);
    RawArrowDeviceArrayStream.setPrivateData(out, handle);
    RawArrowDeviceArrayStream.setRelease(out, StreamCallbacks.DEVICE_STREAM_RELEASE);
  }

  private static @Nullable StreamExport find(long handle) {
    return Slots.find(handle) instanceof StreamExport export ? export : null;
  }

  /** {@code get_schema} of the stream with this {@code private_data}; EINVAL on a released one. */
  static int getSchema(long handle, long out) {
    StreamExport export = find(handle);
    return export == null ? Errno.EINVAL : export.getSchema(out);
  }

  /** {@code get_next} of the stream with this {@code private_data}; EINVAL on a released one. */
  static int getNext(long handle, long out, boolean isDeviceArray) {
    StreamExport export = find(handle);
    return export == null ? Errno.EINVAL : export.getNext(out, isDeviceArray);
  }

  /** {@code get_last_error} of the stream with this {@code private_data}; NULL on a released one. */
  static long getLastError(long handle) {
    StreamExport export = find(handle);
    return export == null ? 0 : export.getLastError();
  }

  /** {@code release} of the stream with this {@code private_data}. */
  static void release(long handle) {
    StreamExport export = find(handle);
    if (export != null) export.release();
  }

  /** {@code get_schema}: may be called at any time, any number of times (STR-06). */
  private int getSchema(long out) {
    calls.lock();
    try {
      if (released) return Errno.EINVAL;
      // some consumers look at the fields although get_schema failed
      NativeHeap.fill(out, RawArrowSchema.SIZE, (byte) 0);
      SchemaExport.exportSchema(reader.field(), out);
      return succeeded();
    } catch (Throwable t) {
      return failed(t);
    } finally {
      calls.unlock();
    }
  }

  /** {@code get_next}: 0 with a released {@code out} is the end (STR-01). */
  private int getNext(long out, boolean isDeviceArray) {
    calls.lock();
    try {
      RawArrowArray.setRelease(out, 0);
      if (released) return Errno.EINVAL;
      if (failure != null) return failed(failure);
      DeviceArray array = reader.next();
      if (array == null) return succeeded();
      try (array) {
        HandleExport.export(DeviceArrayImpl.unwrap(array), out, isDeviceArray);
      }
      return succeeded();
    } catch (Throwable t) {
      failure = t;
      return failed(t);
    } finally {
      calls.unlock();
    }
  }

  /** {@code get_last_error}: valid until the next call; NULL unless the last call failed. */
  private long getLastError() {
    calls.lock();
    try {
      return text;
    } finally {
      calls.unlock();
    }
  }

  /**
   * What the last call on the stream with this {@code private_data} failed with, for a consumer of ours; null if it did
   * not.
   */
  static @Nullable Throwable lastFailure(long handle) {
    StreamExport export = find(handle);
    if (export == null) return null;
    export.calls.lock();
    try {
      return export.last;
    } finally {
      export.calls.unlock();
    }
  }

  private int succeeded() {
    last = null;
    setText(0);
    return 0;
  }

  private int failed(Throwable t) {
    last = t;
    setText(0);
    try {
      byte[] bytes = Failures.utf8(Failures.message(t));
      long copy = NativeHeap.allocate(bytes.length + 1L);
      NativeHeap.putBytes(copy, bytes);
      NativeHeap.putByte(copy + bytes.length, (byte) 0);
      setText(copy);
    } catch (OutOfMemoryError | DeviceException _) {
      // No memory for a message: the code must do.
    }
    return Failures.errno(t);
  }

  private void setText(long newText) {
    if (text != 0) NativeHeap.free(text);
    text = newText;
  }

  private void release() {
    calls.lock();
    try {
      if (released) return;
      released = true;
      Slots.leave(handle);
      setText(0);
      reader.close();
    } finally {
      calls.unlock();
    }
  }

  @Override
  public Kind heldAs() {
    return Kind.STREAM;
  }
}
