// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.array.ArrayImport;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.schema.CommonField;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a native producer: its struct, moved to the library's own block. One thread at a time uses it. It is
 * closed once.
 */
public final class StreamSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  /** The out struct of each call, in the same block after the stream. */
  private final long out;

  private final long stream;
  private final boolean isDeviceStream;
  private final Validation level;
  private @Nullable Field field;

  private StreamSource(long stream, boolean isDeviceStream, Validation level) {
    this.stream = stream;
    this.out = stream + RawArrowDeviceArrayStream.SIZE;
    this.isDeviceStream = isDeviceStream;
    this.level = level;
  }

  /** See {@link org.arbalest.device.c.CData#importStream}. */
  public static RecordBatchReader importStream(MemorySegment stream, @Nullable Field expected,
      @Nullable MemorySegment schema, boolean isDevice, Validation level) {
    StreamSource<RecordBatch> source = open(stream, expected, schema, isDevice, level);
    try {
      Field field = source.type();
      if (field.type() instanceof StructType) return RecordBatchReaderImpl.of(field, source.deviceType(), source);
      throw DeviceException.invalid("a stream of record batches has arrays of structs, but this one has arrays of "
          + field + ": CData.importArrayStream imports it");
    } catch (Throwable t) {
      source.close();
      throw t;
    }
  }

  /** See {@link org.arbalest.device.c.CData#importArrayStream}. */
  public static DeviceArrayReader<DeviceArray> importArrayStream(MemorySegment stream, @Nullable Field expected,
      @Nullable MemorySegment schema, boolean isDevice, Validation level) {
    StreamSource<DeviceArray> source = open(stream, expected, schema, isDevice, level);
    try {
      return DeviceArrayReader.of(source.type(), source.deviceType(), source);
    } catch (Throwable t) {
      source.close();
      throw t;
    }
  }

  private static <A extends DeviceArray> StreamSource<A> open(MemorySegment stream, @Nullable Field expected,
      @Nullable MemorySegment schema, boolean isDevice, Validation level) {
    try {
      long schemaStruct = schema == null ? 0 : Structs.address(schema, "ArrowSchema", RawArrowSchema.SIZE);
      long struct = isDevice ? Structs.address(stream, "ArrowDeviceArrayStream", RawArrowDeviceArrayStream.SIZE)
          : Structs.address(stream, "ArrowArrayStream", RawArrowArrayStream.SIZE);
      return open(struct, schema == null ? expected : expected(schemaStruct, struct, isDevice), isDevice, level);
    } finally {
      Reference.reachabilityFence(stream);
      Reference.reachabilityFence(schema);
    }
  }

  /**
   * Returns the field of a C schema, and releases the schema. If the schema cannot be read, also releases the stream
   * (OWN-08).
   */
  private static Field expected(long schema, long stream, boolean isDeviceStream) {
    try {
      return SchemaImporter.importSchema(schema);
    } catch (Throwable t) {
      release(stream, isDeviceStream);
      throw t;
    }
  }

  /** Moves the struct and queries the schema. On failure, releases the stream. */
  private static <A extends DeviceArray> StreamSource<A> open(long struct, @Nullable Field expected,
      boolean isDeviceStream, Validation level) {
    long release = isDeviceStream ? RawArrowDeviceArrayStream.release(struct) : RawArrowArrayStream.release(struct);
    if (release == 0) throw DeviceException.invalid("the stream was released before it was imported");
    StreamSource<A> source = move(struct, isDeviceStream, level);
    try {
      Field field = source.schema();
      if (expected != null) CommonField.checkExpected(expected, field);
      source.field = field;
      return source;
    } catch (Throwable t) {
      source.close();
      throw t;
    }
  }

  private static <A extends DeviceArray> StreamSource<A> move(long struct, boolean isDeviceStream, Validation level) {
    long block = 0;
    try {
      block = NativeHeap.allocate(RawArrowDeviceArrayStream.SIZE + RawArrowDeviceArray.SIZE);
      StreamSource<A> source = new StreamSource<>(block, isDeviceStream, level);
      if (isDeviceStream) {
        RawArrowDeviceArrayStream.move(struct, block);
      } else {
        RawArrowArrayStream.move(struct, block);
      }
      return source;
    } catch (Throwable t) {
      NativeHeap.free(block);
      release(struct, isDeviceStream);
      throw t;
    }
  }

  private Field type() {
    if (field == null) throw new IllegalStateException("the stream has no schema yet");
    return field;
  }

  private DeviceType deviceType() {
    return isDeviceStream ? new DeviceType(RawArrowDeviceArrayStream.deviceType(stream)) : DeviceType.CPU;
  }

  private Field schema() {
    RawArrowSchema.setRelease(out, 0);
    long getSchema =
        isDeviceStream ? RawArrowDeviceArrayStream.getSchema(stream) : RawArrowArrayStream.getSchema(stream);
    if (getSchema == 0) throw DeviceException.invalid("the stream's get_schema is NULL");
    int code = Calls.get(getSchema, stream, out);
    if (code != 0) throw error("get_schema", code);
    return SchemaImporter.importSchema(out);
  }

  @Override
  @SuppressWarnings("unchecked") // a stream of batches has structs, see importStream; others have any arrays
  public @Nullable A next() {
    Field type = type();
    RawArrowArray.setRelease(out, 0); // some producers write nothing else at the end (STR-01, STR-10)
    long getNext = isDeviceStream ? RawArrowDeviceArrayStream.getNext(stream) : RawArrowArrayStream.getNext(stream);
    if (getNext == 0) throw DeviceException.invalid("the stream's get_next is NULL");
    int code = Calls.get(getNext, stream, out);
    if (code != 0) throw error("get_next", code);
    return RawArrowArray.release(out) == 0 ? null
        : (A) ArrayValidation.imported(ArrayImport.take(out, type, isDeviceStream, level), level);
  }

  /** Returns the stream's error. Its text is valid until the next call on the stream, and may be missing (STR-03). */
  private DeviceException error(String call, int code) {
    long getLastError =
        isDeviceStream ? RawArrowDeviceArrayStream.getLastError(stream) : RawArrowArrayStream.getLastError(stream);
    long text = getLastError == 0 ? 0 : Calls.getText(getLastError, stream);
    String message = text == 0 ? "" : NativeHeap.getString(text);
    return new DeviceException(code,
        message.isEmpty() ? call + " failed with " + Errno.name(code) + " and no message" : message,
        cause(getLastError));
  }

  /** Returns the failure of the call if the stream is the library's own. Native code passes only its text. */
  private @Nullable Throwable cause(long getLastError) {
    if (getLastError == StreamCallbacks.STREAM_GET_LAST_ERROR)
      return StreamExport.lastFailure(RawArrowArrayStream.privateData(stream));
    boolean isOurs = getLastError == StreamCallbacks.DEVICE_STREAM_GET_LAST_ERROR;
    return isOurs ? StreamExport.lastFailure(RawArrowDeviceArrayStream.privateData(stream)) : null;
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
    long release = isDeviceStream ? RawArrowDeviceArrayStream.release(stream) : RawArrowArrayStream.release(stream);
    if (release != 0) Calls.release(release, stream);
  }
}
