// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.ExtensionChecks;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.NestedType.ListType;
import org.jspecify.annotations.Nullable;

/**
 * A field: a name, a type, whether nulls may occur, and metadata. It corresponds to an {@code ArrowSchema}. Immutable.
 *
 * <p>A field that this interface creates is nullable and has no metadata. The {@code with} methods return changed
 * copies.
 */
public sealed interface Field extends Serializable permits FieldImpl {
  /**
   * Creates a nullable field.
   *
   * @throws IllegalArgumentException if the name contains a NUL character or an unpaired surrogate, or the type is
   *     nested too deep
   */
  static Field of(String name, DataType type) {
    return FieldImpl.of(name, type);
  }

  /** Creates a field of UUIDs of 16 bytes each, with the extension type {@link Extension.Uuid}. */
  static Field uuid(String name) {
    return Field.of(name, DataType.fixedSizeBinary(16)).withExtension(new Extension.Uuid());
  }

  /** Creates a field of booleans of 8 bits each, with the extension type {@link Extension.Bool8}. */
  static Field bool8(String name) {
    return Field.of(name, DataType.INT8).withExtension(new Extension.Bool8());
  }

  /** Creates a field of JSON texts, stored as utf8, with the extension type {@link Extension.Json}. */
  static Field json(String name) {
    return Field.of(name, DataType.UTF8).withExtension(new Extension.Json());
  }

  /**
   * Creates a field of another system's type that was not interpreted, with the extension type
   * {@link Extension.Opaque}.
   *
   * @param storage the type of the values that were read; {@link DataType#NULL} if no values were read
   */
  static Field opaque(String name, DataType storage, String typeName, String vendorName) {
    return Field.of(name, Objects.requireNonNull(storage, "storage"))
        .withExtension(new Extension.Opaque(typeName, vendorName));
  }

  /** Creates a field of points in time with an offset from UTC each; see {@link Extension.TimestampWithOffset}. */
  static Field timestampWithOffset(String name, ArrowTimeUnit unit) {
    Field timestamp = Field.of("timestamp", DataType.timestamp(unit, "UTC")).withNullable(false);
    Field offset = Field.of("offset_minutes", DataType.INT16).withNullable(false);
    return Field.of(name, DataType.struct(timestamp, offset)).withExtension(new Extension.TimestampWithOffset());
  }

  /** Creates a field of tensors that all have this shape; see {@link Extension.FixedShapeTensor}. */
  static Field fixedShapeTensor(String name, DataType element, int... shape) {
    Objects.requireNonNull(element, "element");
    Extension.FixedShapeTensor tensor =
        new Extension.FixedShapeTensor(Arrays.stream(shape).boxed().toList(), List.of(), List.of());
    DataType storage =
        DataType.fixedSizeList(Field.of("item", element), Math.toIntExact(ExtensionChecks.elements(tensor.shape())));
    return Field.of(name, storage).withExtension(tensor);
  }

  /**
   * Creates a field of tensors with this number of dimensions, each with its own shape; see
   * {@link Extension.VariableShapeTensor}.
   */
  static Field variableShapeTensor(String name, DataType element, int dimensions) {
    Objects.requireNonNull(element, "element");
    Field data = Field.of("data", new ListType(Field.of("item", element))).withNullable(false);
    Field sizes = Field.of("item", DataType.INT32).withNullable(false);
    Field shape = Field.of("shape", DataType.fixedSizeList(sizes, dimensions)).withNullable(false);
    return Field.of(name, DataType.struct(data, shape))
        .withExtension(new Extension.VariableShapeTensor(List.of(), List.of(), List.of()));
  }

  /**
   * Creates a field of Parquet variants that are not shredded; see {@link Extension.ParquetVariant}. The metadata and
   * the value are binary, in Parquet's encoding.
   */
  static Field parquetVariant(String name) {
    Field metadata = Field.of("metadata", DataType.BINARY).withNullable(false);
    return Field.of(name, DataType.struct(metadata, Field.of("value", DataType.BINARY)))
        .withExtension(new Extension.ParquetVariant());
  }

  /** Returns this field with another name. */
  Field withName(String newName);

  /** Returns this field with another type. */
  Field withType(DataType newType);

  /**
   * Returns this field with another nullability.
   *
   * @param mayBeNull whether nulls may occur
   */
  Field withNullable(boolean mayBeNull);

  /** Returns this field with other metadata. */
  Field withMetadata(Metadata newMetadata);

  /**
   * Returns this field as an extension type, with the parameters as text; see {@link #withExtension(String, byte[])}.
   */
  Field withExtension(String extensionName, String extensionMetadata);

  /**
   * Returns this field as an extension type, whose storage type is this field's type.
   *
   * <p>The metadata receives the keys of the extension's name and parameters (SCH-16). They replace the previous values
   * of these keys; other metadata is unchanged. {@link #withMetadata} makes the field a plain field again.
   *
   * @param extensionName the name, such as {@code arrow.uuid}
   * @param extensionMetadata the parameters in the encoding of the extension type; empty for none
   */
  Field withExtension(String extensionName, byte[] extensionMetadata);

  /**
   * Returns this field as an extension type, whose storage type is this field's type. It replaces a previous extension
   * type. The parameters are written in Arrow's encoding.
   *
   * @throws IllegalArgumentException if the extension type cannot have this storage type; the message has both
   */
  Field withExtension(Extension newExtension);

  /**
   * Returns this field as its storage type, without the two keys of an extension type. Returns this field itself if it
   * is a plain field.
   */
  Field storage();

  /** Returns the name; empty for a field without a name. */
  String name();

  /** Returns the type. */
  DataType type();

  /**
   * Returns the type as which a column's values are read. For a dictionary-encoded or run-end-encoded type, it is the
   * type of the values; for any other type, it is {@link #type}.
   */
  DataType valueType();

  /**
   * Returns the class of the object that {@link org.arbalest.device.columns.Column#get} returns for a row that is not
   * null; {@code docs/types.md} has a table. The class is Void for the null type and Object for a union. For an
   * extension type with a registered {@link ExtensionCodec}, it is the codec's class.
   */
  Class<?> valueClass();

  /** Returns whether nulls may occur. */
  boolean isNullable();

  /** Returns the metadata; empty for none. */
  Metadata metadata();

  /**
   * Returns the extension type with its parameters; null for a plain field. An extension type that the library does not
   * know, or that does not fit its storage, is {@link Extension.Other}.
   */
  @Nullable
  Extension extension();

  /** Returns the name of the extension type; null for a plain field. */
  @Nullable
  String extensionName();

  /** Returns the parameters of the extension type as the producer wrote them; null for none. */
  byte @Nullable [] extensionMetadata();

  /** Returns the {@code ARROW_FLAG_} bits, including unknown ones (SCH-06). */
  long flags();

  @Override
  boolean equals(@Nullable Object other);

  @Override
  int hashCode();

  /** Returns a text for people, such as {@code price: float64 not null}. */
  @Override
  String toString();
}
