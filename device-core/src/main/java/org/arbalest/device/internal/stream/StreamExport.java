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
 * A stream that native code holds. A lock serialises calls from several threads (STR-07). After an error, all later
 * calls of get_next repeat it with its message (STR-09).
 */
public final class StreamExport implements HeldByC {
  private final DeviceArrayReader<?> reader;
  private final ReentrantLock calls = new ReentrantLock();
  private long handle;
  private @Nullable Throwable failure;

  /** The failure of the last call, or null if it succeeded. */
  private @Nullable Throwable last;

  /** The message of the last call's failure, as a C string, or 0 if the last call succeeded (STR-03). */
  private long text;

  private boolean released;

  private StreamExport(DeviceArrayReader<?> reader) {
    this.reader = reader;
  }

  /**
   * Creates a stream for native code. The caller must then call {@link #undo} or write the stream. Until it is written,
   * the caller owns the reader.
   */
  static StreamExport register(DeviceArrayReader<?> reader) {
    NativeAccess.require();
    StreamCallbacks.load(); // a first use may fail, so it is here
    StreamExport export = new StreamExport(reader);
    export.handle = Slots.take(export);
    return export;
  }

  /** Removes the stream, which no consumer received. */
  void undo() {
    Slots.leave(handle);
  }

  /** Passes the stream and its reader to native code as an {@code ArrowArrayStream}. Cannot fail. */
  void writeStream(long out) {
    RawArrowArrayStream.setGetSchema(out, StreamCallbacks.STREAM_GET_SCHEMA);
    RawArrowArrayStream.setGetNext(out, StreamCallbacks.STREAM_GET_NEXT);
    RawArrowArrayStream.setGetLastError(out, StreamCallbacks.STREAM_GET_LAST_ERROR);
    RawArrowArrayStream.setPrivateData(out, handle);
    RawArrowArrayStream.setRelease(out, StreamCallbacks.STREAM_RELEASE);
  }

  /** Passes the stream and its reader to native code as an {@code ArrowDeviceArrayStream}. Cannot fail. */
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

  /** Implements {@code get_schema} of the stream with this {@code private_data}. Returns EINVAL if it is released. */
  static int getSchema(long handle, long out) {
    StreamExport export = find(handle);
    return export == null ? Errno.EINVAL : export.getSchema(out);
  }

  /** Implements {@code get_next} of the stream with this {@code private_data}. Returns EINVAL if it is released. */
  static int getNext(long handle, long out, boolean isDeviceArray) {
    StreamExport export = find(handle);
    return export == null ? Errno.EINVAL : export.getNext(out, isDeviceArray);
  }

  /** Implements {@code get_last_error} of the stream with this {@code private_data}. Returns NULL if it is released. */
  static long getLastError(long handle) {
    StreamExport export = find(handle);
    return export == null ? 0 : export.getLastError();
  }

  /** Implements {@code release} of the stream with this {@code private_data}. */
  static void release(long handle) {
    StreamExport export = find(handle);
    if (export != null) export.release();
  }

  /** Implements {@code get_schema}, which may be called at any time and any number of times (STR-06). */
  private int getSchema(long out) {
    calls.lock();
    try {
      if (released) return Errno.EINVAL;
      // some consumers read the fields even if get_schema fails
      NativeHeap.fill(out, RawArrowSchema.SIZE, (byte) 0);
      SchemaExport.exportSchema(reader.field(), out);
      return succeeded();
    } catch (Throwable t) {
      return failed(t);
    } finally {
      calls.unlock();
    }
  }

  /** Implements {@code get_next}. The result 0 with a released {@code out} is the end of the stream (STR-01). */
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

  /**
   * Implements {@code get_last_error}. The text is valid until the next call. It is NULL unless the last call failed.
   */
  private long getLastError() {
    calls.lock();
    try {
      return text;
    } finally {
      calls.unlock();
    }
  }

  /**
   * Returns the failure of the last call on the stream with this {@code private_data}, for a consumer of this library.
   * Returns null if the call succeeded.
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
      // There is too little memory for a message, so only the code is passed.
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
