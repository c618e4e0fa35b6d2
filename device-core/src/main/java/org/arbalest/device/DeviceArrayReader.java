// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.arbalest.device.internal.stream.DeviceArrayReaderImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A stream of arrays of one type and device type, pulled one at a time: taken in from C, or made of any source here and
 * handed to C.
 *
 * <p>Whoever has the reader closes it, or exports it; an array that was pulled belongs to whoever pulled it, and
 * outlives the reader (STR-05). May be used from any thread: calls of {@link #next} are taken in turn (STR-07).
 * {@link #close} does not wait for a pull that is under way; the stream is then released as soon as that pull returns.
 */
public sealed interface DeviceArrayReader extends AutoCloseable permits DeviceArrayReaderImpl {
  /** Where the arrays of a reader come from. Called by one thread at a time. */
  @FunctionalInterface
  interface Source extends AutoCloseable {
    /**
     * The next array, which passes to the caller, or null at the end. May block. What it throws ends the stream: C gets
     * an errno and the message.
     */
    @Nullable
    DeviceArray next() throws Exception;

    /**
     * Asks {@link #next} to give up waiting, since the reader was closed; it may return or throw anything. Called by
     * any thread, also more than once, also when {@code next} has just returned, but never once {@link #close} has
     * begun, which waits until this has returned; so this must not wait for the pull. By default nothing happens, and
     * closing takes effect when {@code next} returns by itself.
     */
    default void cancel() {}

    /** Frees what the source holds, arrays that nobody pulled included. Called once. */
    @Override
    default void close() {}
  }

  /**
   * A stream of what a source gives. Arrays that do not have this type and device type are an error (STR-08), and so is
   * one whose structs or unions have fields of other names or in another order, or that has nulls where this type has
   * none (STR-12): C reads it as this type. A nullable column under one that is not is asked for its null count in each
   * array; unless that is 0, the bitmap is looked at, which waits for the array's event, and on a device copies it.
   * Nulls that a null struct hides are no matter, nor are the array's own name, those of list items, map entries and
   * run-ends, and metadata.
   *
   * @param field the type of each array
   * @param deviceType the device type of each array
   * @param source the arrays; passes to the reader
   */
  static DeviceArrayReader of(Field field, DeviceType deviceType, Source source) {
    return DeviceArrayReaderImpl.of(field, deviceType, source);
  }

  /** A stream of record batches; see {@link #of(Field, DeviceType, Source)}. */
  static DeviceArrayReader of(Schema schema, DeviceType deviceType, Source source) {
    return DeviceArrayReaderImpl.of(schema, deviceType, source);
  }

  /** A stream of record batches in main memory; see {@link #of(Field, DeviceType, Source)}. */
  static DeviceArrayReader of(Schema schema, Source source) {
    return of(schema, DeviceType.CPU, source);
  }

  /**
   * A stream of the batches given, on the type of device that they are on: in main memory, if there are none. They pass
   * to the reader, also if this throws (OWN-16): {@link DeviceArray#retain} keeps one.
   *
   * @throws IllegalArgumentException if one is not of this schema, see {@link #of(Field, DeviceType, Source)}, or not
   *     on the same type of device as the first; names its index, the path and both fields
   * @throws IllegalStateException if one was closed, or is in the list twice; names its index
   */
  static DeviceArrayReader of(Schema schema, List<DeviceArray> batches) {
    return DeviceArrayReaderImpl.of(schema, batches);
  }

  /**
   * A stream of the batches given, which are on this type of device, also if there are none; see
   * {@link #of(Schema, List)}.
   */
  static DeviceArrayReader of(Schema schema, DeviceType deviceType, List<DeviceArray> batches) {
    return DeviceArrayReaderImpl.of(schema, deviceType, batches);
  }

  /**
   * A reader of the same arrays in the layout that another field asks for; each is converted when it is pulled, as
   * {@link DeviceArray#convertTo(Field)} does it. This reader passes to the result, which closes it, and is not to be
   * pulled from any more; on failure it is still the caller's.
   *
   * @param requested the field that is asked for
   * @throws IllegalArgumentException if arrays of this type cannot be converted to it: the path and both types; what is
   *     wrong with an array, {@link
   *     #next} throws
   */
  DeviceArrayReader convertTo(Field requested);

  /** A reader of the same batches in the layout that another schema asks for; see {@link #convertTo(Field)}. */
  default DeviceArrayReader convertTo(Schema requested) {
    return convertTo(requested.asField());
  }

  /**
   * A reader of the same batches with their null rows in their columns, for consumers that do not read the batch's own
   * bitmap, such as DuckDB: each batch is converted when it is pulled, as {@link DeviceArray#pushDownNulls} does it.
   * This reader passes to the result, which closes it, and is not to be pulled from any more; on failure it is still
   * the caller's.
   *
   * @throws IllegalArgumentException if the arrays are not structs
   */
  DeviceArrayReader pushDownNulls();

  /**
   * A reader of the same arrays in another memory: each is copied as {@link DeviceArray#copyTo(MemoryManager,
   * DeviceStream)} does it, in the order of the stream, and has an event of its own. This reader passes to the result,
   * which closes it, and is not to be pulled from any more; on failure it is still the caller's.
   *
   * <p>With {@code ahead} above 0 a thread of the result's pulls and copies ahead of whoever pulls, so that this reader
   * makes the next arrays while others are copied or worked on. It begins with the first pull. At most {@code ahead}
   * copies that nobody has pulled take the target's memory at a time, the one that is being made among them: then it
   * waits. What fails, comes behind the arrays that were copied before. With 0 there is no thread: {@code next} pulls
   * and copies.
   *
   * <p>Closing the result closes this reader, which cancels its pull, and what nobody has pulled. It waits for no pull
   * and no copy: one that the thread is in ends by itself, and is given back then; where the thread is in none, this
   * reader is closed here, which takes as long as its source's close. The target and the stream may be closed behind
   * it; best is a stream of its own, as the copies wait for what else the stream does.
   *
   * @param target where to
   * @param stream of either device, as the copies need it; stays the caller's, and open as long as the result is pulled
   * @param ahead how many copies may be there before they are asked for; 2 let query, copy and use overlap
   * @throws IllegalArgumentException if {@code ahead} is negative
   * @throws IllegalStateException if this reader was closed or exported
   */
  DeviceArrayReader copyTo(MemoryManager target, DeviceStream stream, int ahead);

  /** The type of each array. */
  Field field();

  /**
   * The schema of a stream of record batches.
   *
   * @throws IllegalArgumentException if the arrays are not structs
   */
  Schema schema();

  /** The device type of each array; device ids may vary. */
  DeviceType deviceType();

  /**
   * Pulls the next array, which passes to the caller. May block, for as long as the source does: an interrupt reaches a
   * source in Java, but not C, which only a {@link #close} on another thread may stop. After an error, all later calls
   * throw the same error (STR-09).
   *
   * @return the array, or null at the end of the stream
   * @throws DeviceException what the producer failed with: its errno and message; with the cause, if it is in this
   *     process and ours
   * @throws IllegalStateException if the reader was closed, also while the pull was under way
   */
  @Nullable
  DeviceArray next();

  /**
   * Pulls all that are left, and lends each to the action, in order: it is open while the action runs, and closed then;
   * {@link DeviceArray#retain} keeps it. The reader is still the caller's to close. Throws what {@link #next} throws,
   * and what the action throws.
   */
  default void forEach(Consumer<? super DeviceArray> action) {
    Objects.requireNonNull(action, "action");
    while (true) {
      try (DeviceArray array = next()) {
        if (array == null) return;
        action.accept(array);
      }
    }
  }

  /**
   * Releases the stream; at once, or when the pull that is under way in another thread returns. Closing twice does
   * nothing.
   */
  @Override
  void close();
}
