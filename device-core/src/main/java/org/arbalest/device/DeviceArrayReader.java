// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.stream.DeviceArrayReaderImpl;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * A stream of arrays of one type and device type, pulled one at a time. It is imported from native code, or created
 * from a source, and can be exported to native code. The caller that gets a reader owns it, and closes or exports it.
 * Any thread may use it. One thread at a time pulls, and the others wait (STR-07).
 *
 * <p>A pulled array belongs to the caller that pulled it, and outlives the reader (STR-05). {@link #close} does not
 * wait for a pull in another thread. That pull then releases the stream as soon as it returns.
 *
 * <p><b>Consumed readers.</b> An export, and each method that returns a reader, consumes this one (STR-18). The rest of
 * the stream passes to the result, which closes the source. Later calls on this reader throw
 * {@link IllegalStateException} with the name of the call that consumed it, and {@link #close} does nothing. A call
 * that waits for a pull in another thread waits until the pull returns. If a call throws, the caller still owns this
 * reader.
 */
@CheckReturnValue
public sealed interface DeviceArrayReader<A extends DeviceArray> extends AutoCloseable
    permits DeviceArrayReaderImpl, RecordBatchReader {
  /**
   * A source of a reader's arrays. The application implements it, and the reader owns and closes it. One thread at a
   * time calls it, except for {@link #cancel}.
   */
  @FunctionalInterface
  @CheckReturnValue
  interface Source<A extends DeviceArray> extends AutoCloseable {
    /**
     * Returns the next array, which passes to the caller, or null at the end. May block. An exception ends the stream:
     * native code receives an errno and the message.
     */
    @Nullable
    A next() throws Exception;

    /**
     * Requests arrays that have only some columns. {@link RecordBatchReader#select(int...)} calls this before the first
     * {@link #next}. A second request counts positions in the columns of the first: after 4 and 7, position 1 is column
     * 7. A path to a field of a struct requests the struct.
     *
     * <p>An exception of this method reaches the caller of the reader's {@code select}, and the reader stays open. Any
     * thread may call {@link #cancel} meanwhile.
     *
     * @param columns the positions of at least one column, each once, in the order of the arrays to make
     * @return true if all arrays will have only these columns. False, the default, if nothing changes and they keep
     *     all: the reader then selects the columns of each array
     */
    default boolean select(int... columns) {
      return false;
    }

    /**
     * Requests that {@link #next} stop waiting, because the reader was closed. {@code next} may then return or throw
     * anything.
     *
     * <p>Any thread may call this method, also more than once, and also when {@code next} has just returned. It is not
     * called after {@link #close} has begun. {@code close} waits until this method has returned, so this method must
     * not wait for the pull. The default does nothing: the reader then closes when {@code next} returns by itself.
     */
    default void cancel() {}

    /** Frees the resources of the source, including arrays that were not pulled. Called once. */
    @Override
    default void close() {}
  }

  /**
   * Creates a stream of the arrays of a source. The reader takes the source over, unless this call throws.
   *
   * <p>An array of another type or device type is an error (STR-08). So is an array with other names of fields in
   * structs or unions, or with another order of them. So is an array with nulls where this type allows none (STR-12):
   * native code reads it as this type. Nulls that a null struct hides are ignored. The array's own name, the names of
   * list items, map entries and run-ends, and metadata may differ.
   *
   * <p>A column may be nullable in an array, but not in this type. The reader then checks the null count of each array.
   * Unless it is 0, the reader reads the bitmap: it waits for the array's event, and on a device copies the bitmap.
   *
   * @param field the type of each array
   * @param deviceType the device type of each array
   * @param source the source of the arrays
   */
  static DeviceArrayReader<DeviceArray> of(Field field, DeviceType deviceType, Source<DeviceArray> source) {
    return DeviceArrayReaderImpl.ofArrays(field, deviceType, source);
  }

  /**
   * Creates a reader of the same arrays in the layout of another field. Each array is converted when it is pulled, as
   * by {@link DeviceArray#convertTo(Field)}.
   *
   * <p>The call consumes this reader. ({@link DeviceArray#convertTo(Field)} leaves its handle open.)
   *
   * @param requested the requested field
   * @throws IllegalArgumentException if arrays of this type cannot be converted to the field; the message has the path
   *     and both types. {@link #next} throws the errors of a single array
   */
  DeviceArrayReader<A> convertTo(Field requested);

  /**
   * Creates a reader of the selected rows. Each array is filtered when it is pulled, as by {@link DeviceArray#filter}.
   * An array without a selected row is left out.
   *
   * <p>The call consumes this reader. ({@link DeviceArray#filter} leaves its handle open.)
   *
   * @param selection returns the rows of an array to keep, in the thread that pulls. The array is borrowed: it is
   *     closed after the call. An exception of the function ends the stream, as one of {@link Source#next} does
   * @throws IllegalStateException if this reader was closed or consumed
   */
  DeviceArrayReader<A> filter(Function<? super A, Selection> selection);

  /**
   * Creates a reader of the same rows in arrays of one length: small arrays are joined, and large ones cut. The last
   * array may be shorter. Arrays without rows are left out.
   *
   * <p>A cut is a {@link DeviceArray#slice}, without a copy. Arrays are joined as by
   * {@link DeviceArray#concat(java.util.List)}, so each row is copied once at most, unless the CPU cannot access the
   * arrays: joining these waits, and copies them by main memory and the default stream.
   *
   * <p>Rows that wait for the next array are copied before if they keep over four times the memory that they need, and
   * so are many small arrays. Rows in memory that the CPU cannot access wait as they are, and so do all if there is no
   * memory for a copy. A dictionary counts as needed unless it is unordered and the rows have few of its values; equal
   * ones that follow each other are kept once. An error of this reader follows the rows that were pulled before it.
   *
   * <p>The call consumes this reader.
   *
   * @param rows the number of rows of each array, at least 1
   * @throws IllegalArgumentException if the number of rows is less than 1
   * @throws IllegalStateException if this reader was closed or consumed
   */
  DeviceArrayReader<A> rebatch(long rows);

  /**
   * Creates a reader of the same arrays in another memory. Each array is copied as by
   * {@link DeviceArray#copyTo(MemoryManager, DeviceStream)}, in the order of the stream, and has its own event.
   *
   * <p>The call consumes this reader. ({@link DeviceArray#copyTo(Device)} leaves its handle open.)
   *
   * <p><b>Copies ahead.</b> With {@code ahead} above 0, a thread of the result pulls and copies before the consumer
   * pulls. This reader then makes the next arrays while others are copied or processed. The thread starts with the
   * first pull. At most {@code ahead} copies that the consumer has not pulled use the target's memory at a time,
   * including the copy in progress; then the thread waits. An error follows the arrays that were copied before it. With
   * 0 there is no thread: {@code next} pulls and copies.
   *
   * <p><b>Closing.</b> Closing the result cancels a pull of the source, closes the source, and the copies that were not
   * pulled. It waits for no pull or copy. If the thread is in one, the thread finishes it and releases the array.
   * Otherwise the closing thread closes the source, which takes as long as the source's close.
   *
   * <p>The target and the stream may be closed immediately after the result. Use a separate stream, as the copies wait
   * for other work in the stream.
   *
   * @param target the memory of the copies
   * @param stream a stream of either device, as the copies need it. The caller owns it, and keeps it open as long as
   *     the result is pulled
   * @param ahead the number of copies that may exist before they are pulled; with 2, query, copy and use overlap
   * @throws IllegalArgumentException if {@code ahead} is negative
   * @throws IllegalStateException if this reader was closed or consumed
   */
  DeviceArrayReader<A> copyTo(MemoryManager target, DeviceStream stream, int ahead);

  /**
   * Creates a reader of the same arrays, which are record batches. It is for streams of
   * {@link org.arbalest.device.c.CData#importArrayStream} whose type only the producer knows, and after a
   * {@link #convertTo(Field)} to a struct.
   *
   * <p>The call consumes this reader, also one of batches.
   *
   * @throws IllegalArgumentException if the arrays are not structs; the message has their field
   * @throws IllegalStateException if this reader was closed or consumed
   */
  RecordBatchReader asRecordBatchReader();

  /** Returns the type of each array. */
  Field field();

  /** Returns the device type of each array; device ids may vary. */
  DeviceType deviceType();

  /**
   * Pulls the next array, which passes to the caller.
   *
   * <p>May block as long as the source does. An interrupt reaches a Java source, but not native code, which only a
   * {@link #close} on another thread may stop. After an error, all later calls throw the same error (STR-09).
   *
   * @return the array, or null at the end of the stream
   * @throws DeviceException with the errno and the message of the producer's error; with its cause if the producer is
   *     this library, in this process
   * @throws IllegalStateException if the reader was consumed or closed, also during the pull
   */
  @Nullable
  A next();

  /**
   * Pulls all remaining arrays, and passes each to the action, in order. The array is borrowed: it is closed when the
   * action returns; {@link DeviceArray#retain} keeps it. The caller still closes the reader. Throws the errors of
   * {@link #next} and of the action.
   */
  default void forEach(Consumer<? super A> action) {
    Objects.requireNonNull(action, "action");
    while (true) {
      try (A array = next()) {
        if (array == null) return;
        action.accept(array);
      }
    }
  }

  /** Releases the stream: immediately, or when a pull in another thread returns. Closing twice does nothing. */
  @Override
  void close();
}
