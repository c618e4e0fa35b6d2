// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.async.AsyncProducer;
import org.arbalest.device.internal.array.ArrayImport;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.async.AsyncArrayStreamImpl;
import org.arbalest.device.internal.async.AsyncProducerImpl;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.stream.DeviceArrayReaderImpl;
import org.arbalest.device.internal.stream.StreamSource;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;

/**
 * Imports and exports schemas, arrays, streams and async streams through Arrow's C interfaces, without a copy of their
 * buffers.
 *
 * <p><b>Structs.</b> The caller passes either the struct's memory, which for example {@link ArrowArrayStruct#allocate}
 * returns, or a pointer from native code. Such a pointer is a segment of zero length, which the library treats as a
 * whole struct. {@link MemorySegment#ofAddress} makes such a segment from a number, such as a {@code memoryAddress()}
 * of Arrow Java. A number keeps no memory reachable, so the struct's memory must stay valid until the call returns.
 *
 * <p><b>Checks.</b> A segment cannot be a struct if it is NULL, too small or misaligned, or if it belongs to a closed
 * arena or to another thread. Each method rejects such a segment with an {@link IllegalArgumentException}, an
 * {@link IllegalStateException} or a {@link WrongThreadException}, before it changes anything. The library trusts the
 * pointers inside a struct: a wrong pointer ends the process.
 *
 * <p><b>Ownership of an imported struct.</b> An import moves the struct, as the C interface requires (OWN-08). After an
 * import that returns, or that throws a {@link DeviceException}, the struct is released. The import has rejected an
 * argument if it throws an {@link IllegalArgumentException}, an {@link IllegalStateException} or a
 * {@link WrongThreadException}. The struct is then unchanged, and still belongs to the caller. It is also unchanged
 * after an {@link IllegalCallerException}: the JVM denies native access to this library (DEV-20). The same rules hold
 * for the schema struct in {@link CImport#schema(MemorySegment)}.
 *
 * <p>There is one exception to these rules. From {@link org.arbalest.device.Validation#BOUNDS} on the import may copy
 * from a device. If other code captures the device's default stream meanwhile, the import throws an
 * {@link IllegalStateException}, and the struct is released (DEV-60).
 *
 * <p><b>Ownership of an exported handle.</b> An export consumes the handle; to keep a handle, the caller calls
 * {@code retain} first. If an export fails, the handle is unchanged and the export has written nothing (OWN-09).
 */
@CheckReturnValue
public final class CData {
  private CData() {}

  /**
   * Reads a C schema and releases it. To make a record batch's schema from the field, call
   * {@link org.arbalest.device.types.Schema#ofStruct}. If the schema is equal, byte by byte, to a recently imported
   * one, the method returns the same field (SCH-22).
   *
   * @param schema a live {@code ArrowSchema}
   * @throws DeviceException with {@code EINVAL} if the schema is malformed; the message has the path of the field and
   *     the reason
   */
  public static Field importSchema(MemorySegment schema) {
    return FieldImpl.importSchema(schema);
  }

  /**
   * Writes a C schema. The receiver must release it.
   *
   * @param field the type of an array; for a record batch, pass {@link org.arbalest.device.types.Schema#asField}
   * @param out memory for an {@code ArrowSchema}; its content is overwritten
   */
  public static void exportSchema(Field field, MemorySegment out) {
    FieldImpl.exportSchema(Objects.requireNonNull(field, "field"), out);
  }

  /**
   * Imports an array and validates it at the level that the options set. The buffers of a device array may be on any
   * device, including a device without a backend (DEV-09) and a device that is missing now; see
   * {@link org.arbalest.device.Device}.
   *
   * <p>With {@link org.arbalest.device.Validation#BOUNDS} and {@link org.arbalest.device.Validation#FULL} the method
   * waits for the array's event. At the other levels it does not wait.
   *
   * @param array a live {@code ArrowArray}, or with {@link CImport#DEVICE} a live {@code ArrowDeviceArray}
   * @param options the interface and the schema; the schema is mandatory
   * @return the array; the caller must close it
   * @throws IllegalArgumentException if the options have no schema
   * @throws DeviceException with {@code EINVAL} if the array is malformed; the message has the path, the reason and the
   *     numbers
   */
  public static DeviceArray importArray(MemorySegment array, CImport options) {
    options.requireNoQuirks();
    DeviceArray imported;
    Field field = options.field;
    MemorySegment schema = options.struct;
    if (field != null) {
      imported = ArrayImport.importArray(array, field, options.isDevice, options.validation);
    } else if (schema != null) {
      imported = ArrayImport.importArray(array, schema, options.isDevice, options.validation);
    } else {
      throw new IllegalArgumentException("an array does not contain its type: pass it with CImport.schema(…)");
    }
    return ArrayValidation.imported(imported, options.validation);
  }

  /**
   * Imports a record batch: an array of structs. The rest is as in {@link #importArray}.
   *
   * @throws DeviceException with {@code EINVAL} also if the array is not one of structs; it is then released
   */
  public static RecordBatch importBatch(MemorySegment array, CImport options) {
    DeviceArray imported = importArray(array, options);
    if (imported instanceof RecordBatch batch) return batch;
    try (imported) {
      throw DeviceException.invalid("a record batch is an array of structs, but this is an array of " + imported.field()
          + ": CData.importArray imports it");
    }
  }

  /**
   * Exports an array.
   *
   * <p>An {@code ArrowArray} has no event, so this method waits until the array is ready. An {@code ArrowDeviceArray}
   * that is not ready carries its event, and the consumer waits for it. There are two exceptions. An array on the CPU
   * has no event, so this method waits (DEV-02). If the options name the consumer's queue, that queue waits, and the
   * struct has no event. The method may wait even if it then throws.
   *
   * @param array the handle to export; it is consumed
   * @param out memory for an {@code ArrowArray}, or with {@link CExport#DEVICE} for an {@code ArrowDeviceArray}; its
   *     content is overwritten
   * @param options the interface and the consumer's requests
   * @throws IllegalArgumentException if no array of this type can be converted to the requested type, or if the options
   *     name a consumer's stream for an {@code ArrowArray}
   * @throws DeviceException with {@code ENOSYS} if an {@code ArrowArray} is requested but the buffers are not in main
   *     memory; with {@code ENOMEM} if memory runs out; if the event belongs to a device without a backend; and in the
   *     cases of {@link DeviceArray#convertTo(Field)} and {@link org.arbalest.device.DeviceStream#waitFor(DeviceArray)}
   * @throws IllegalStateException if the handle was consumed, or if the consumer's stream is closed
   */
  public static void exportArray(DeviceArray array, MemorySegment out, CExport options) {
    options.requireNoQuirks();
    DeviceArrayImpl handle = DeviceArrayImpl.unwrap(array);
    if (options.stream != null && !options.isDevice) {
      throw new IllegalArgumentException(
          "consumerStream needs CExport.DEVICE: an ArrowArray has no event, and its export waits for the array");
    }
    if (options.counting != null) {
      exportCounted(array, out, options, options.counting);
    } else if (options.requested == null) {
      HandleExport.export(handle, out, options.schemaOut, options.stream, options.isDevice);
    } else {
      ArrayConversion.export(handle, out, options.schemaOut, options.requested, options.stream, options.isDevice);
    }
  }

  private static void exportCounted(DeviceArray array, MemorySegment out, CExport options, DeviceStream counting) {
    HandleExport.check(out, options.schemaOut, options.isDevice);
    Field requested = options.requested;
    try (DeviceArray converted = requested == null ? array.retain() : array.convertTo(requested);
        DeviceArray counted = converted.countNulls(counting)) {
      HandleExport.export(DeviceArrayImpl.unwrap(counted), out, options.schemaOut, options.stream, options.isDevice);
      array.close();
    }
  }

  /**
   * Imports a stream of record batches: moves the struct and queries the producer for the schema.
   *
   * @param stream a live {@code ArrowArrayStream}, or with {@link CImport#DEVICE} a live {@code ArrowDeviceArrayStream}
   * @param options the interface, the validation level of each array that {@link DeviceArrayReader#next} returns, and
   *     optionally the expected schema. An array that fails validation is an error of the stream.
   *     {@link RecordBatchReader#schema} has the producer's metadata, even if the options have a schema
   * @return the stream; the caller must close it
   * @throws DeviceException with the producer's errno and message if the producer returns no schema; with
   *     {@code EINVAL} if its schema is not the expected one, or its arrays are not structs: the stream is released
   */
  public static RecordBatchReader importStream(MemorySegment stream, CImport options) {
    options.requireNoQuirks();
    return StreamSource.importStream(stream, options.field, options.struct, options.isDevice, options.validation);
  }

  /**
   * Imports a stream of arrays of any type, such as a chunked array of pyarrow. The rest is as in
   * {@link #importStream}, which is for record batches. {@link DeviceArrayReader#asRecordBatchReader} makes a reader of
   * batches if the type turns out to be a struct.
   */
  public static DeviceArrayReader<DeviceArray> importArrayStream(MemorySegment stream, CImport options) {
    options.requireNoQuirks();
    return StreamSource.importArrayStream(stream, options.field, options.struct, options.isDevice, options.validation);
  }

  /**
   * Exports a stream.
   *
   * <p>If another thread calls {@link DeviceArrayReader#close} at the same time, one of the two calls wins (STR-11).
   * Either the consumer receives the whole stream and the close does nothing, or this method throws.
   *
   * @param reader the reader to export; it is consumed
   * @param out memory for an {@code ArrowArrayStream}, or with {@link CExport#DEVICE} for an
   *     {@code ArrowDeviceArrayStream}; its content is overwritten
   * @param options the interface only. To export a requested type, export the stream that
   *     {@link DeviceArrayReader#convertTo} returns
   * @throws IllegalArgumentException if the options contain more than the interface
   * @throws DeviceException with {@code ENOSYS} if an {@code ArrowArrayStream} is requested but the arrays are not in
   *     main memory
   * @throws IllegalStateException if the reader was closed or consumed
   */
  public static void exportStream(DeviceArrayReader<?> reader, MemorySegment out, CExport options) {
    Objects.requireNonNull(reader, "reader");
    options.requireNoQuirks();
    if (options.schemaOut != null)
      throw new IllegalArgumentException("schemaTo is for arrays: a stream returns its schema itself");
    if (options.stream != null)
      throw new IllegalArgumentException("consumerStream is for arrays: each array of a stream has its own event");
    if (options.requested != null)
      throw new IllegalArgumentException("a requested schema is for arrays: export reader.convertTo(…) instead");
    if (options.counting != null)
      throw new IllegalArgumentException("countNulls is for arrays: a stream's arrays may have unknown null counts");
    DeviceArrayReaderImpl.export(reader, out, options.isDevice);
  }

  /**
   * Imports an async stream: makes a handler and passes it to a producer.
   *
   * @param options the expected schema, the validation level and the producer's quirks. If the producer's schema
   *     differs from the expected one, or its arrays are not structs, the stream ends with {@code EINVAL}. Each
   *     {@link org.arbalest.device.async.AsyncTask#extract} validates its array; with
   *     {@link org.arbalest.device.Validation#BOUNDS} and above, the extracting thread waits for the array's event
   * @param start passes the {@code ArrowAsyncDeviceStreamHandler} to the producer, which owns it from then on. The
   *     producer may call the handler before {@code start} returns (ASY-26). {@code start} must return before the
   *     stream ends. Some producers work on the thread that starts them, such as {@code ExportAsyncRecordBatchReader}
   *     of Arrow C++. Start such a producer on a separate thread: it waits inside {@code start} for demand that no
   *     subscriber can send yet. If {@code start} throws, the producer must not have kept the handler; the library then
   *     undoes the stream and rethrows the exception
   * @return the stream; the caller must subscribe to it or close it
   * @throws IllegalArgumentException if the options are {@link CImport#DATA} options: async streams exist only in the
   *     device interface
   */
  public static AsyncArrayStream importAsyncStream(CImport options, Consumer<MemorySegment> start) {
    Objects.requireNonNull(start, "start");
    if (!options.isDevice) throw onlyDevice("CImport");
    Field expected = options.struct == null ? options.field : FieldImpl.importSchema(options.struct);
    return AsyncArrayStreamImpl.connect(start, expected, options.validation, options.quirks);
  }

  /**
   * Exports an async stream: drives a consumer's handler.
   *
   * <p>The schema goes first. After it, the export requests no more arrays from the source than the consumer requests.
   * Each array is exported on the thread on which the consumer extracts it.
   *
   * <p><b>Ownership.</b> The export always releases the handler at the end, also after a failure. It closes each array
   * that the consumer did not extract.
   *
   * <p><b>Threads.</b> The consumer may call {@code request}, {@code cancel} and {@code extract_data} on any thread.
   * The callbacks of one stream are made one after the other (ASY-19).
   *
   * <p><b>Errors.</b> If the consumer is an {@link AsyncArrayStream} of the same process, it receives the original
   * failure as the cause.
   *
   * @param producer the source of the stream, for one export. The stream owns it, unless this method throws
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler} that has received no callback yet. Its memory must stay
   *     valid until it is released. The library keeps a segment of an automatic arena reachable until then (OWN-14)
   * @param executor runs the callbacks that are not made on the publisher's thread. The callbacks never run inside the
   *     consumer's calls, even with an executor that runs a task in the calling thread
   * @param options the interface and the consumer's quirks only
   * @return a stage that completes when the handler is released. It completes normally at the end of the stream and
   *     after a cancellation by the consumer. It fails with the producer's error, or with a {@link DeviceException} if
   *     a callback of the consumer returned an error
   * @throws IllegalArgumentException if {@code handler} is not a handler, which is then not released; or if the options
   *     contain more than the interface and quirks
   * @throws IllegalStateException if the producer was exported before
   */
  public static CompletionStage<Void> exportAsyncStream(AsyncProducer producer, MemorySegment handler,
      Executor executor, CExport options) {
    Objects.requireNonNull(producer, "producer");
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(executor, "executor");
    if (!options.isDevice) throw onlyDevice("CExport");
    if (options.schemaOut != null || options.requested != null || options.stream != null
        || options.counting != null) {
      throw new IllegalArgumentException("an async stream accepts no options except quirks");
    }
    return AsyncProducerImpl.export(producer, handler, executor, options.quirks);
  }

  private static IllegalArgumentException onlyDevice(String options) {
    return new IllegalArgumentException("async streams belong to the C device interface: use " + options + ".DEVICE");
  }
}
