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
 * A codec between the values of an extension type and Java objects. It is for the application's own types, and for
 * canonical types that the application needs in another form, such as JSON as a tree.
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
 * <p>The application reads and writes with the codec's own methods. {@link Column#get(long)} also uses a codec that is
 * {@linkplain #register registered}, wherever the column is: in a struct, in a list or in a dictionary. The values of a
 * registered codec can be components of {@link Records}.
 *
 * <p>Several threads may call a codec at a time.
 *
 * @param <T> the class of the values
 */
public interface ExtensionCodec<T> {
  /**
   * Returns the extension type's name, such as {@code com.acme.money}. Names that begin with {@code arrow.} are
   * reserved for Arrow.
   */
  String name();

  /** Returns the class of the values. */
  Class<T> valueClass();

  /** Returns the storage type of the values. */
  DataType storage();

  /** Returns the parameters, in the form of the metadata; empty without parameters. */
  default String parameters() {
    return "";
  }

  /**
   * Returns whether this codec reads a field with its name. If not, the field reads as its storage.
   *
   * <p>The default compares the field's type with {@link #storage()}. A codec with parameters, or with several storage
   * types, overrides it. The field may come from any peer. An exception reaches only the caller of
   * {@link Column#get(long)} or {@link Field#valueClass}.
   */
  default boolean fits(Field field) {
    return field.type().equals(storage());
  }

  /**
   * Reads a value. An exception reaches the caller that reads the value; a printed table of rows has a question mark
   * instead.
   *
   * @param storage the column, as its storage type
   * @param row a row that is not null
   */
  T fromStorage(Column storage, long row);

  /**
   * Appends one whole value, with all its parts. An exception reaches the caller that appends, and leaves the builder
   * unchanged (OWN-15).
   *
   * @param storage the builder of the storage; the codec may append to it and to its parts, and must not use it
   *     otherwise
   */
  void toStorage(ColumnBuilder storage, T value);

  /**
   * Reads a value of a column of this type; the codec need not be registered.
   *
   * @throws java.util.NoSuchElementException if the row is null
   * @throws IllegalArgumentException if the column has another type or another storage; the message names both
   */
  default T get(Column column, long row) {
    return ColumnImpl.unwrap(Objects.requireNonNull(column, "column")).get(row, this);
  }

  /**
   * Appends one whole value to a column of this type, in its storage form; the codec need not be registered. Users of a
   * codec call this method. It calls {@link #toStorage}, which appends with the builder's own methods.
   *
   * @return the column
   * @throws IllegalArgumentException if the column has another type or another storage; the message names both
   * @throws IllegalStateException if the codec did not append exactly one value with all its parts
   */
  default ColumnBuilder append(ColumnBuilder column, T value) {
    ColumnBuilderImpl.unwrap(Objects.requireNonNull(column, "column")).append(Objects.requireNonNull(value, "value"),
        this);
    return column;
  }

  /** Returns a nullable field of this type. */
  default Field field(String name) {
    return Field.of(name, storage()).withExtension(name(), parameters());
  }

  /** Creates a codec with one storage type and without parameters. */
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
   * Registers a codec for the whole process. {@link Column#get(long)} and {@link Field#valueClass} then use it for
   * fields with its name that it {@linkplain #fits fits}. Existing columns keep their behaviour. Applications usually
   * register a codec once, at their start.
   *
   * @throws IllegalStateException if a codec with this name is registered
   * @throws IllegalArgumentException if {@code get} has its own class for this name: {@code arrow.uuid},
   *     {@code arrow.bool8}
   */
  static void register(ExtensionCodec<?> codec) {
    Codecs.register(codec);
  }

  /** Removes the registration of a name; does nothing without one. */
  static void unregister(String name) {
    Codecs.unregister(name);
  }

  /** Returns the registered codec that reads a field, or null if no codec has its name or the codec does not fit. */
  static @Nullable ExtensionCodec<?> registered(Field field) {
    return Codecs.registered(Objects.requireNonNull(field, "field"));
  }

  /**
   * Returns whether a registered codec's values have exactly this class. It is for an {@link ObjectProvider}, which
   * core queries again when the answer changes.
   */
  static boolean isRegistered(Class<?> valueClass) {
    return !Codecs.ofClass(Objects.requireNonNull(valueClass, "valueClass")).isEmpty();
  }

  /**
   * A function that reads a value from its storage; see {@link ExtensionCodec#fromStorage}.
   *
   * @param <T> the class of the values
   */
  @FunctionalInterface
  interface Reader<T> {
    /** Reads the value of a row that is not null. */
    T read(Column storage, long row);
  }

  /**
   * A function that appends a value in its storage form; see {@link ExtensionCodec#toStorage}.
   *
   * @param <T> the class of the values
   */
  @FunctionalInterface
  interface Writer<T> {
    /** Appends one whole value. */
    void append(ColumnBuilder storage, T value);
  }
}
