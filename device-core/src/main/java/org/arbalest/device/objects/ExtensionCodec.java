// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.build.ColumnBuilderImpl;
import org.arbalest.device.internal.read.Codecs;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * How values of an extension type are objects of Java: for types of one's own, and canonical ones that one wants as
 * something else, such as JSON as a tree.
 *
 * <pre>{@code
 * ExtensionCodec<Money> MONEY = ExtensionCodec.of("com.acme.money", Money.class, DataType.INT64,
 *     (cents, row) -> new Money(cents.getLong(row)), (cents, money) -> cents.append(money.cents()));
 *
 * ColumnBuilder price = batch.column(MONEY.field("price"));
 * MONEY.append(price, new Money(1299));
 * Money paid = MONEY.get(column, row);
 * }</pre>
 *
 * <p>Who has a codec reads and writes with it. One that is {@linkplain #register registered} is also what
 * {@link Column#get(long)} reads such a column by, wherever it is: in a struct, in a list, in a dictionary; and its
 * values are components of {@link Records}. Called by several threads at a time.
 *
 * @param <T> the values
 */
public interface ExtensionCodec<T> {
  /** The extension type's name, such as {@code com.acme.money}; those that begin with {@code arrow.} are Arrow's. */
  String name();

  /** The class of the values. */
  Class<T> valueClass();

  /** What values are stored as. */
  DataType storage();

  /** The parameters, as the metadata has them; empty for none. */
  default String parameters() {
    return "";
  }

  /**
   * Whether a field of this name is one that this codec reads; one that is not reads as its storage. This asks for the
   * {@link #storage()}; a codec with parameters, or of several storages, looks itself. Asked with whatever a peer sent;
   * what it throws reaches who calls {@link Column#get(long)} or {@link Field#valueClass}, and nobody else.
   */
  default boolean fits(Field field) {
    return field.type().equals(storage());
  }

  /**
   * Reads a value. What it throws reaches who asked for it; a table of rows shows a question mark.
   *
   * @param storage the column as what it is stored as
   * @param row a row that is not null
   */
  T fromStorage(Column storage, long row);

  /**
   * Appends a value: one, in whole, with all its parts. What it throws reaches who appends, and the builder is as
   * before (OWN-15).
   *
   * @param storage the builder of what it is stored as, to append to, and to its parts, and for nothing else
   */
  void toStorage(ColumnBuilder storage, T value);

  /**
   * Reads a value of a column of this type; the codec need not be registered.
   *
   * @throws java.util.NoSuchElementException if the row is null
   * @throws IllegalArgumentException if the column is not of this type, or stored otherwise; says both
   */
  default T get(Column column, long row) {
    return ColumnImpl.unwrap(Objects.requireNonNull(column, "column")).get(row, this);
  }

  /**
   * Appends a value to a column of this type, in whole, as what it is stored as; the codec need not be registered. For
   * users of a codec: {@link #toStorage}, which this calls, appends to the storage by the builder's own methods.
   *
   * @return the column
   * @throws IllegalArgumentException if the column is not of this type, or stored otherwise; says both
   * @throws IllegalStateException if the codec did not append one value with all its parts
   */
  default ColumnBuilder append(ColumnBuilder column, T value) {
    ColumnBuilderImpl.unwrap(Objects.requireNonNull(column, "column")).append(Objects.requireNonNull(value, "value"),
        this);
    return column;
  }

  /** A nullable field of this type. */
  default Field field(String name) {
    return Field.of(name, storage()).withExtension(name(), parameters());
  }

  /** A codec of one storage and without parameters. */
  static <T> ExtensionCodec<T> of(String name, Class<T> valueClass, DataType storage, Reader<T> reader,
      Writer<T> writer) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(valueClass, "valueClass");
    Objects.requireNonNull(storage, "storage");
    Objects.requireNonNull(reader, "reader");
    Objects.requireNonNull(writer, "writer");
    return new ExtensionCodec<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Class<T> valueClass() {
        return valueClass;
      }

      @Override
      public DataType storage() {
        return storage;
      }

      @Override
      public T fromStorage(Column column, long row) {
        return reader.read(column, row);
      }

      @Override
      public void toStorage(ColumnBuilder column, T value) {
        writer.append(column, value);
      }

      @Override
      public String toString() {
        return name + " as " + valueClass.getName();
      }
    };
  }

  /**
   * Makes {@link Column#get(long)} and {@link Field#valueClass} answer this codec's values for fields of its name that
   * it {@linkplain #fits fits}, for the whole program; columns that were made before go on as they were. Mostly said
   * once, when a program begins.
   *
   * @throws IllegalStateException if there is one of this name
   * @throws IllegalArgumentException if {@code get} has a class of its own for this name: {@code arrow.uuid},
   *     {@code arrow.bool8}
   */
  static void register(ExtensionCodec<?> codec) {
    Codecs.register(codec);
  }

  /** Takes a registration back, if there is one of this name. */
  static void unregister(String name) {
    Codecs.unregister(name);
  }

  /** The registered codec that reads a field, or null if there is none or it does not fit. */
  static @Nullable ExtensionCodec<?> registered(Field field) {
    return Codecs.registered(Objects.requireNonNull(field, "field"));
  }

  /**
   * Whether a registered codec's values are of a class, just this one: for an {@link ObjectProvider}, which is asked
   * again when that changes.
   */
  static boolean isRegistered(Class<?> valueClass) {
    return !Codecs.ofClass(Objects.requireNonNull(valueClass, "valueClass")).isEmpty();
  }

  /**
   * Reads a value of some storage; see {@link ExtensionCodec#fromStorage}.
   *
   * @param <T> the values
   */
  @FunctionalInterface
  interface Reader<T> {
    /** Reads the value of a row that is not null. */
    T read(Column storage, long row);
  }

  /**
   * Appends a value as some storage; see {@link ExtensionCodec#toStorage}.
   *
   * @param <T> the values
   */
  @FunctionalInterface
  interface Writer<T> {
    /** Appends one value, in whole. */
    void append(ColumnBuilder storage, T value);
  }
}
