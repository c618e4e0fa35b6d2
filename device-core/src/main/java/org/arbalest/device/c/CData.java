// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
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
 * The door to C: imports and exports schemas, arrays, streams and async streams, without a copy of their buffers.
 *
 * <p><b>Structs.</b> Each is given as its memory, such as {@link ArrowArrayStruct#allocate}, or as the pointer that C
 * gave: a segment of zero length, which is taken to be a whole struct. {@link MemorySegment#ofAddress} makes one of a
 * number, such as a {@code memoryAddress()} of Arrow Java; a number keeps nothing reachable, so the struct's memory
 * must stay until the call returns. A segment that can be no struct, since it is NULL, too small, misaligned, of a
 * closed arena or not this thread's, is refused with an {@link IllegalArgumentException}, an
 * {@link IllegalStateException} or a {@link WrongThreadException} before anything is touched. What the struct points to
 * is believed: a wrong pointer ends the process.
 *
 * <p><b>Who owns what.</b> An import moves the struct, as the interface says: it is released afterwards, whether or not
 * the import succeeds (OWN-08). An export takes the handle: it is consumed, and {@code retain} before keeps one. If an
 * export fails, the handle is as it was and nothing is written (OWN-09).
 */
public final class CData {
  private CData() {}

  /**
   * Reads a C schema and releases it. {@link org.arbalest.device.types.Schema#ofStruct} makes a record batch's schema
   * of the field. If it says what one of the last said, to the byte, it is that one (SCH-22).
   *
   * @param schema a live {@code ArrowSchema}
   * @throws DeviceException with {@code EINVAL}, the path of the field and what is wrong with it
   */
  public static Field importSchema(MemorySegment schema) {
    return FieldImpl.importSchema(schema);
  }

  /**
   * Writes a C schema, which the receiver must release.
   *
   * @param field the type of an array; of a record batch, {@link org.arbalest.device.types.Schema#asField}
   * @param out memory for an {@code ArrowSchema}; what is in it is overwritten
   */
  public static void exportSchema(Field field, MemorySegment out) {
    FieldImpl.exportSchema(Objects.requireNonNull(field, "field"), out);
  }

  /**
   * Imports an array, and looks at it as closely as the options say. The buffers of a device array may be on any
   * device, also on one that no backend serves (DEV-09), or that is missing now: see
   * {@link org.arbalest.device.Device}. With {@link org.arbalest.device.Validation#FULL} this waits for the array's
   * event; otherwise for nothing.
   *
   * @param array a live {@code ArrowArray}, or with {@link CImport#DEVICE} a live {@code ArrowDeviceArray}
   * @param options the interface and the schema, which is needed
   * @return the array, to be closed by the caller
   * @throws IllegalArgumentException if the options have no schema; then nothing was touched
   * @throws DeviceException with {@code EINVAL} if the array is malformed: the path, what is wrong, the numbers
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
      throw new IllegalArgumentException("an array does not say its type: CImport.schema(…) does");
    }
    return ArrayValidation.imported(imported, options.validation);
  }

  /**
   * Exports an array. As an {@code ArrowArray} it is waited for, since such a struct has no event. As an
   * {@code ArrowDeviceArray} it goes with its event if it is not ready yet, for the consumer to wait for, unless it is
   * on the CPU (DEV-02) or the options name the consumer's queue. An export that throws may have waited before.
   *
   * @param array is consumed
   * @param out memory for an {@code ArrowArray}, or with {@link CExport#DEVICE} for an {@code ArrowDeviceArray}; what
   *     is in it is overwritten
   * @param options the interface, and what the consumer asked for
   * @throws IllegalArgumentException if no array of this type can be converted to what was requested, or a consumer's
   *     stream is given for an {@code ArrowArray}
   * @throws DeviceException with {@code ENOSYS} if an {@code ArrowArray} is wanted of buffers that are not in main
   *     memory, {@code ENOMEM} if memory runs out, or the event is of a device that no backend knows; and what
   *     {@link DeviceArray#convertTo(Field)} and {@link org.arbalest.device.DeviceStream#waitFor(DeviceArray)} throw
   * @throws IllegalStateException if the handle was consumed
   */
  public static void exportArray(DeviceArray array, MemorySegment out, CExport options) {
    options.requireNoQuirks();
    DeviceArrayImpl handle = DeviceArrayImpl.unwrap(array);
    if (options.stream != null && !options.isDevice) {
      throw new IllegalArgumentException(
          "an ArrowArray has no event that a stream could wait for: it is waited for before it is exported");
    }
    if (options.requested == null) {
      HandleExport.export(handle, out, options.schemaOut, options.stream, options.isDevice);
    } else {
      ArrayConversion.export(handle, out, options.schemaOut, options.requested, options.stream, options.isDevice);
    }
  }

  /**
   * Imports a stream: moves the struct and asks for the schema.
   *
   * @param stream a live {@code ArrowArrayStream}, or with {@link CImport#DEVICE} a live {@code ArrowDeviceArrayStream}
   * @param options the interface; how closely {@link DeviceArrayReader#next} looks at each array, of which one that is
   *     refused is an error of the stream; and the schema that is expected, if any. {@link DeviceArrayReader#field} is
   *     the producer's all the same, with its metadata
   * @return the stream, to be closed by the caller
   * @throws DeviceException with the producer's errno and message if it has no schema for us; {@code EINVAL} if its
   *     schema is not the expected one
   */
  public static DeviceArrayReader importStream(MemorySegment stream, CImport options) {
    options.requireNoQuirks();
    return StreamSource.importStream(stream, options.field, options.struct, options.isDevice, options.validation);
  }

  /**
   * Exports a stream. Of an export and a {@link DeviceArrayReader#close} at the same time one wins (STR-11): C has the
   * whole stream, and the close does nothing, or this throws.
   *
   * @param reader is consumed
   * @param out memory for an {@code ArrowArrayStream}, or with {@link CExport#DEVICE} for an
   *     {@code ArrowDeviceArrayStream}; what is in it is overwritten
   * @param options the interface, and no more: {@link DeviceArrayReader#convertTo} makes a stream of what was requested
   * @throws IllegalArgumentException if the options say more
   * @throws DeviceException with {@code ENOSYS} if an {@code ArrowArrayStream} is wanted of arrays that are not in main
   *     memory
   * @throws IllegalStateException if the reader was closed or exported
   */
  public static void exportStream(DeviceArrayReader reader, MemorySegment out, CExport options) {
    Objects.requireNonNull(reader, "reader");
    options.requireNoQuirks();
    if (options.schemaOut != null)
      throw new IllegalArgumentException("a stream says its schema itself: schemaTo is for arrays");
    if (options.stream != null)
      throw new IllegalArgumentException("each array of a stream has its own event: consumerStream is for arrays");
    if (options.requested != null)
      throw new IllegalArgumentException("export reader.convertTo(…), which is a stream of what was requested");
    DeviceArrayReaderImpl.export(reader, out, options.isDevice);
  }

  /**
   * Imports an async stream: makes a handler and hands it to a producer.
   *
   * @param options the schema that is expected, if any, which another one ends the stream with {@code EINVAL}; how
   *     closely each {@link org.arbalest.device.async.AsyncTask#extract} looks at its array, of which
   *     {@link org.arbalest.device.Validation#FULL} waits for the array's event, on the thread that extracts; and what
   *     the producer is known to do
   * @param start gives the {@code ArrowAsyncDeviceStreamHandler} to the producer, which owns it from then on, and may
   *     call it before {@code start} returns (ASY-26). It must return before the stream has ended: a producer that
   *     works on the thread that starts it, as Arrow C++'s {@code ExportAsyncRecordBatchReader} does, waits in it for
   *     demand that nobody can have yet, so start that on a thread of its own. If it throws, the producer must not have
   *     kept the handler; the stream is then undone, and the exception goes to the caller
   * @return the stream, to be subscribed to or closed
   * @throws IllegalArgumentException if the options are of {@link CImport#DATA}: async streams are of the device
   *     interface
   */
  public static AsyncArrayStream importAsyncStream(CImport options, Consumer<MemorySegment> start) {
    Objects.requireNonNull(start, "start");
    if (!options.isDevice) throw onlyDevice("CImport");
    Field expected = options.struct == null ? options.field : FieldImpl.importSchema(options.struct);
    return AsyncArrayStreamImpl.connect(start, expected, options.validation, options.quirks);
  }

  /**
   * Exports an async stream: drives a consumer's handler. The handler is released in the end, whatever happens, and an
   * array that the consumer did not extract is closed.
   *
   * <p>The schema goes first; then no more is asked for than the consumer asks for. An array is exported on the thread
   * on which the consumer extracts it. The consumer's calls ({@code request}, {@code cancel}, {@code extract_data}) may
   * come on any thread; the callbacks of one stream are made one after the other (ASY-19). An {@link AsyncArrayStream}
   * of this process gets the failure itself as well, as the cause.
   *
   * @param producer what the stream is made of, for one export; passes to the stream, unless this throws
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler} that was told nothing yet, whose memory stays until it
   *     is released; a segment of an automatic arena is kept until then (OWN-14)
   * @param executor runs the callbacks, where they are not made on the publisher's thread; not inside the consumer's
   *     calls, even if it is one that runs in the caller
   * @param options what the consumer is known to do, and no more
   * @return completes when the handler was released: normally at the end, or if the consumer cancelled; with the
   *     producer's error; or with a {@link DeviceException} if the consumer answered with an error
   * @throws IllegalArgumentException if {@code handler} is not a handler, which is then not released; or if the options
   *     say more
   * @throws IllegalStateException if the producer was exported before
   */
  public static CompletionStage<Void> exportAsyncStream(AsyncProducer producer, MemorySegment handler,
      Executor executor, CExport options) {
    Objects.requireNonNull(producer, "producer");
    Objects.requireNonNull(handler, "handler");
    Objects.requireNonNull(executor, "executor");
    if (!options.isDevice) throw onlyDevice("CExport");
    if (options.schemaOut != null || options.requested != null || options.stream != null) {
      throw new IllegalArgumentException("of the options only quirks are for async streams");
    }
    return AsyncProducerImpl.export(producer, handler, executor, options.quirks);
  }

  private static IllegalArgumentException onlyDevice(String options) {
    return new IllegalArgumentException("async streams are of the C device interface: " + options + ".DEVICE");
  }
}
