// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.types.Field;
import org.arbalest.device.Validation;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.array.ArrayImport;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.jspecify.annotations.Nullable;

/** A stream that a C producer made: its struct, moved to a block of ours. Used by one thread at a time, closed once. */
public final class StreamSource implements DeviceArrayReader.Source {
  /** The out struct of every call, in the block behind the stream. */
  private final long out;

  private final long stream;
  private final boolean isDeviceStream;
  private final Validation level;
  private @Nullable Field field;

  private StreamSource(long stream, boolean isDeviceStream, Validation level) {
    this.stream = stream;
    this.out = stream + ArrowDeviceArrayStreamStruct.SIZE;
    this.isDeviceStream = isDeviceStream;
    this.level = level;
  }

  /** See {@link DeviceArrayReader#importStream(MemorySegment, Validation)}. */
  public static DeviceArrayReader importStream(MemorySegment stream, Validation level) {
    Objects.requireNonNull(level, "level");
    try {
      return open(Structs.address(stream, ArrowArrayStreamStruct.LAYOUT), false, level);
    } finally {
      Reference.reachabilityFence(stream);
    }
  }

  /** See {@link DeviceArrayReader#importDeviceArrayStream(MemorySegment, Validation)}. */
  public static DeviceArrayReader importDeviceArrayStream(MemorySegment stream, Validation level) {
    Objects.requireNonNull(level, "level");
    try {
      return open(Structs.address(stream, ArrowDeviceArrayStreamStruct.LAYOUT), true, level);
    } finally {
      Reference.reachabilityFence(stream);
    }
  }

  /** Moves the struct and asks for the schema; on failure the stream is released. */
  private static DeviceArrayReader open(long struct, boolean isDeviceStream, Validation level) {
    long release = isDeviceStream ? ArrowDeviceArrayStreamStruct.release(struct) : ArrowArrayStreamStruct.release(struct);
    if (release == 0) throw DeviceException.invalid("the stream was released before it was imported");
    StreamSource source = move(struct, isDeviceStream, level);
    try {
      Field field = source.schema();
      source.field = field;
      return DeviceArrayReader.of(field, source.deviceType(), source);
    } catch (Throwable t) {
      source.close();
      throw t;
    }
  }

  private static StreamSource move(long struct, boolean isDeviceStream, Validation level) {
    long block = 0;
    try {
      block = NativeHeap.allocate(ArrowDeviceArrayStreamStruct.SIZE + ArrowDeviceArrayStruct.SIZE);
      StreamSource source = new StreamSource(block, isDeviceStream, level);
      if (isDeviceStream) {
        ArrowDeviceArrayStreamStruct.move(struct, block);
      } else {
        ArrowArrayStreamStruct.move(struct, block);
      }
      return source;
    } catch (Throwable t) {
      NativeHeap.free(block);
      release(struct, isDeviceStream);
      throw t;
    }
  }

  private DeviceType deviceType() {
    return isDeviceStream ? new DeviceType(ArrowDeviceArrayStreamStruct.deviceType(stream)) : DeviceType.CPU;
  }

  private Field schema() {
    ArrowSchemaStruct.setRelease(out, 0);
    long getSchema = isDeviceStream ? ArrowDeviceArrayStreamStruct.getSchema(stream) : ArrowArrayStreamStruct.getSchema(stream);
    if (getSchema == 0) throw DeviceException.invalid("the stream's get_schema is NULL");
    int code = Calls.get(getSchema, stream, out);
    if (code != 0) throw error("get_schema", code);
    return SchemaImporter.importSchema(out);
  }

  @Override
  public @Nullable DeviceArray next() {
    Field type = field;
    if (type == null) throw new IllegalStateException("the stream has no schema yet");
    ArrowArrayStruct.setRelease(out, 0); // some producers write nothing else at the end (STR-01, STR-10)
    long getNext = isDeviceStream ? ArrowDeviceArrayStreamStruct.getNext(stream) : ArrowArrayStreamStruct.getNext(stream);
    if (getNext == 0) throw DeviceException.invalid("the stream's get_next is NULL");
    int code = Calls.get(getNext, stream, out);
    if (code != 0) throw error("get_next", code);
    return ArrowArrayStruct.release(out) == 0 ? null : ArrayValidation.imported(ArrayImport.take(out, type, isDeviceStream, level), level);
  }

  /** The text lives until the next call on the stream, and may be missing (STR-03). */
  private DeviceException error(String call, int code) {
    long getLastError = isDeviceStream ? ArrowDeviceArrayStreamStruct.getLastError(stream) : ArrowArrayStreamStruct.getLastError(stream);
    long text = getLastError == 0 ? 0 : Calls.getText(getLastError, stream);
    String message = text == 0 ? "" : NativeHeap.getString(text);
    return new DeviceException(code, message.isEmpty() ? call + " failed with " + Errno.name(code) + " and no message" : message, cause(getLastError));
  }

  /** What the call failed with, if the stream is one of ours; C tells of it in words only. */
  private @Nullable Throwable cause(long getLastError) {
    if (getLastError == StreamCallbacks.STREAM_GET_LAST_ERROR) return StreamExport.lastFailure(ArrowArrayStreamStruct.privateData(stream));
    boolean isOurs = getLastError == StreamCallbacks.DEVICE_STREAM_GET_LAST_ERROR;
    return isOurs ? StreamExport.lastFailure(ArrowDeviceArrayStreamStruct.privateData(stream)) : null;
  }

  @Override
  public void close() {
    try {
      release(stream, isDeviceStream);
    } finally {
      NativeHeap.free(stream);
    }
  }

  private static void release(long stream, boolean isDeviceStream) {
    long release = isDeviceStream ? ArrowDeviceArrayStreamStruct.release(stream) : ArrowArrayStreamStruct.release(stream);
    if (release != 0) Calls.release(release, stream);
  }
}
