// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.Collection;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.records.RecordsImpl;
import org.arbalest.device.types.Schema;

/**
 * Rows as objects of one class, and back: of a Java record, or of what an
 * {@link org.arbalest.device.objects.ObjectProvider} knows, such as Kotlin's data classes. Components and columns are
 * matched by their names, in any order, or by {@link ColumnName}; a record is a struct, a {@code List}, a {@code Set}
 * or an array a list, a {@code Map} a map. Which class goes with which type is in {@code docs/types.md}.
 *
 * <pre>{@code
 * record Flight(String carrier, int delay, @Nullable Double distance) {}
 *
 * for (Flight flight : Records.of(Flight.class).rows(batch)) delays += flight.delay();
 * DeviceArray late = Records.of(Flight.class).build(Devices.cpu().memory(), flights);
 * }</pre>
 *
 * <p>Nothing is lost on the way: a component is at least as wide as its column, and the other way round each value is
 * one that the column has. A null is a null; where the component is a primitive, or cannot be null for another reason,
 * it is an error that names row and component. What does not match at all is an error that names everything that does
 * not.
 *
 * <p>What a class has is found out once, and how it is matched with a schema once for each of the last schemas.
 * Immutable, for any thread.
 */
public sealed interface Records<T> permits RecordsImpl {
  /**
   * The mapping of a class.
   *
   * @throws IllegalArgumentException if it is no record, nor known to a provider; if it has type parameters, whose
   *     arguments nobody knows here; or if its package is not open to this module: says what to do
   */
  static <T> Records<T> of(Class<T> type) {
    return RecordsImpl.of(type);
  }

  /**
   * The columns that objects are built as: with nulls where a component may be null, times in nanoseconds,
   * {@code BigDecimal} with 38 digits, 18 of them after the point, enums in a dictionary.
   * {@link #build(MemoryManager, Schema, Collection)} takes others.
   *
   * @throws IllegalArgumentException if a component has no such type, or the class is a part of itself; says which
   */
  Schema schema();

  /** The same, with columns that have no component refused; otherwise they are left aside. */
  Records<T> strict();

  /**
   * The rows of a batch as a list, each of which is read when it is asked for, each time anew. Borrowed: it can be used
   * while the handle is open. For several threads, as the handle is.
   *
   * <p>Its {@code get} throws {@link java.util.NoSuchElementException} for a null that the component cannot have, and
   * what the getters of {@link Column} throw, and the class's constructor. An {@link IndexOutOfBoundsException} of that
   * is the cause of an {@link IllegalStateException}, since lists take it for their end.
   *
   * @throws IllegalArgumentException if components and columns do not match, all of which it says; if the array is no
   *     record batch, or has more rows than a list, of which a slice helps
   */
  List<T> rows(DeviceArray batch);

  /** The rows of a batch, all read now: a list of its own. */
  default List<T> toList(DeviceArray batch) {
    return List.copyOf(rows(batch));
  }

  /**
   * Makes a batch of {@link #schema}'s columns; to be closed by the caller.
   *
   * @throws IllegalArgumentException if a value is one that its column does not have: says which, and in which row
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code ENOSYS} if the device is opaque
   */
  DeviceArray build(MemoryManager memory, Collection<? extends T> rows);

  /**
   * Makes a batch of other columns, each of which has a component: in another order, with other units, widths,
   * encodings; see {@link #build(MemoryManager, Collection)}. Nothing is rounded.
   *
   * @throws IllegalArgumentException if components and columns do not match, all of which it says
   */
  DeviceArray build(MemoryManager memory, Schema schema, Collection<? extends T> rows);
}
