// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import java.util.function.Function;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.stream.RecordBatchReaderImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;

/**
 * A stream of record batches of one schema and device type, pulled one at a time: a {@link DeviceArrayReader} whose
 * arrays are batches.
 *
 * <p>The caller that gets a reader owns it, and closes or exports it. A pulled batch belongs to the caller that pulled
 * it, and outlives the reader. Any thread may use a reader; one thread at a time pulls, and the others wait. An export,
 * and each method that returns a reader, consumes this one: the result owns the source from then on.
 */
@CheckReturnValue
public sealed interface RecordBatchReader extends DeviceArrayReader<RecordBatch> permits RecordBatchReaderImpl {
  /** Creates a stream of record batches; see {@link DeviceArrayReader#of(Field, DeviceType, Source)}. */
  static RecordBatchReader of(Schema schema, DeviceType deviceType, Source<RecordBatch> source) {
    return RecordBatchReaderImpl.of(schema, deviceType, source);
  }

  /** Creates a stream of record batches in main memory; see {@link DeviceArrayReader#of(Field, DeviceType, Source)}. */
  static RecordBatchReader of(Schema schema, Source<RecordBatch> source) {
    return of(schema, DeviceType.CPU, source);
  }

  /**
   * Creates a stream of the given batches, on their type of device; without batches, in main memory. The batches pass
   * to the reader, also if this call throws (OWN-16). {@link RecordBatch#retain} keeps one.
   *
   * @throws IllegalArgumentException if a batch does not have this schema, see
   *     {@link DeviceArrayReader#of(Field, DeviceType, Source)}, or is not on the same type of device as the first; the
   *     message has its index, the path and both fields
   * @throws IllegalStateException if a batch was closed, or is in the list twice; the message has its index
   */
  static RecordBatchReader of(Schema schema, List<RecordBatch> batches) {
    return RecordBatchReaderImpl.of(schema, batches);
  }

  /**
   * Creates a stream of the given batches on this type of device, also without batches; see {@link #of(Schema, List)}.
   */
  static RecordBatchReader of(Schema schema, DeviceType deviceType, List<RecordBatch> batches) {
    return RecordBatchReaderImpl.of(schema, deviceType, batches);
  }

  /** Returns the schema of each batch. */
  Schema schema();

  /** Creates a reader of the same batches in the layout of another schema; see {@link #convertTo(Field)}. */
  default RecordBatchReader convertTo(Schema requested) {
    return convertTo(requested.asField());
  }

  /**
   * Creates a reader of the same batches with their null rows in their columns. It is for consumers that do not read
   * the batch's own bitmap, such as DuckDB. Each batch is converted when it is pulled, as by
   * {@link RecordBatch#pushDownNulls}.
   *
   * <p>The call consumes this reader. ({@link RecordBatch#pushDownNulls} leaves its handle open.)
   */
  RecordBatchReader pushDownNulls();

  /**
   * Creates a reader of the same batches with only some columns, in the given order.
   *
   * <p>Before the first pull, this method calls the source's {@link Source#select}. {@code copyTo} and {@link #rebatch}
   * pass the request on, and then copy only these columns; the other methods do not, so call this one first. If the
   * source makes all columns nevertheless, columns are
   * selected when a batch is pulled, without a copy, as by {@link RecordBatch#select(String...)}. The batch then keeps
   * the memory of all.
   *
   * <p>The call consumes this reader. ({@link RecordBatch#select(String...)} leaves its handle open.)
   *
   * @throws IllegalArgumentException if no field or several fields have a path, or if a
   *     struct is selected as well as some of its fields; the message lists the candidates
   * @throws IllegalStateException if this reader was closed or consumed
   */
  RecordBatchReader select(String... paths);

  /**
   * Creates a reader of the same batches with only the columns at these positions; see {@link #select(String...)}.
   *
   * @throws IndexOutOfBoundsException if the batches have no column at a position
   * @throws IllegalStateException if this reader was closed or consumed
   */
  RecordBatchReader select(int... indices);

  @Override
  RecordBatchReader convertTo(Field requested);

  @Override
  RecordBatchReader filter(Function<? super RecordBatch, Selection> selection);

  @Override
  RecordBatchReader rebatch(long rows);

  @Override
  RecordBatchReader copyTo(MemoryManager target, DeviceStream stream, int ahead);
}
