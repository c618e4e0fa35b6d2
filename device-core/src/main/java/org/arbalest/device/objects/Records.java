// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Collection;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.records.RecordsImpl;
import org.arbalest.device.types.Schema;

/**
 * A mapping between rows and objects of one class: a Java record, or a class of an
 * {@link org.arbalest.device.objects.ObjectProvider}, such as a Kotlin data class. Immutable; all methods may be called
 * from any thread.
 *
 * <p>A component matches the column with its name, or with the name in {@link ColumnName}, in any order. A record
 * matches a struct; a {@code List}, a {@code Set} or an array matches a list; a {@code Map} matches a map.
 * {@code docs/types.md} lists the classes for each type.
 *
 * <pre>{@code
 * record Flight(String carrier, int delay, @Nullable Double distance) {}
 *
 * for (Flight flight : Records.of(Flight.class).rows(batch)) delays += flight.delay();
 * RecordBatch late = Records.of(Flight.class).build(Devices.cpu().memory(), flights);
 * }</pre>
 *
 * <p>No value loses information. A component is at least as wide as its column. In the other direction, a column must
 * be able to store each value exactly. A null stays a null; a component that cannot be null, such as a primitive,
 * produces an error with the row and the component. If components and columns do not match, one error lists all
 * differences.
 *
 * <p>The mapping analyses the class once. It keeps the match with each of the most recent schemas.
 */
@CheckReturnValue
public sealed interface Records<T> permits RecordsImpl {
  /**
   * Returns the mapping of a class.
   *
   * @throws IllegalArgumentException if the class is neither a record nor a provider's class; if it has type
   *     parameters, whose arguments are unknown; or if its package is not open to this module. The message has the
   *     solution
   */
  static <T> Records<T> of(Class<T> type) {
    return RecordsImpl.of(type);
  }

  /**
   * Returns the default columns of the class. They are nullable where the component is. Times have nanoseconds,
   * {@code BigDecimal} has 38 digits with 18 after the point, {@code ZonedDateTime} is in UTC, and enums use a
   * dictionary. {@link #build(MemoryManager, Schema, Collection)} accepts other columns.
   *
   * @throws IllegalArgumentException if a component has no such type, or the class contains itself; the message names
   *     it
   */
  Schema schema();

  /** Returns a mapping that rejects columns without a component. Other mappings ignore such columns. */
  Records<T> strict();

  /**
   * Returns the rows of a batch as a list. Each access reads its row anew.
   *
   * <p>The list is borrowed: it is valid while the handle is open. Several threads may use it, like the handle.
   *
   * <p>Its {@code get} throws {@link java.util.NoSuchElementException} for a null in a component that cannot be null.
   * It also throws the exceptions of the getters of {@link Column} and of the class's constructor. An
   * {@link IndexOutOfBoundsException} of the constructor becomes the cause of an {@link IllegalStateException}, because
   * iterators take it for the end of the list.
   *
   * @throws IllegalArgumentException if components and columns do not match: the message lists all differences; if the
   *     array is not a record batch; or if it has more rows than a list can have: use a slice
   */
  List<T> rows(RecordBatch batch);

  /** Reads all rows of a batch into a list, which the caller owns. The objects do not depend on the batch. */
  default List<T> toList(RecordBatch batch) {
    return List.copyOf(rows(batch));
  }

  /**
   * Creates a batch with the columns of {@link #schema}, except that a column of {@code BigDecimal} has the largest
   * scale of its values, and a column of {@code ZonedDateTime} their zone. To build several batches with the same
   * columns, give the schema. The caller closes the batch.
   *
   * @throws IllegalArgumentException if a column cannot store a value: the message has the column and the row; if the
   *     values of one column have different zones
   * @throws DeviceException with {@code ENOMEM} if memory is insufficient, {@code ENOSYS} if the device is opaque
   */
  RecordBatch build(MemoryManager memory, Collection<? extends T> rows);

  /**
   * Creates a batch with other columns, each of which has a component. Their order, units, widths and encodings may
   * differ; see {@link #build(MemoryManager, Collection)}. No value is rounded. A {@code ZonedDateTime} gets the zone
   * of its column.
   *
   * @throws IllegalArgumentException if components and columns do not match: the message lists all differences
   */
  RecordBatch build(MemoryManager memory, Schema schema, Collection<? extends T> rows);
}
