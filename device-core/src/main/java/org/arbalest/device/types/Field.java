// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.schema.ExtensionChecks;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.NestedType.ListType;
import org.jspecify.annotations.Nullable;

/**
 * A name, a type, whether nulls may occur, and metadata: what an {@code ArrowSchema} says. Immutable.
 *
 * <p>A field made here is nullable and without metadata; the {@code with} methods return changed copies.
 */
public sealed interface Field extends Serializable permits FieldImpl {
  /**
   * A nullable field.
   *
   * @throws IllegalArgumentException if the name has a NUL character or half a surrogate pair, or the type is nested
   *     too deep
   */
  static Field of(String name, DataType type) {
    return FieldImpl.of(name, type);
  }

  /** A field of UUIDs, 16 bytes each: the extension type {@link Extension.Uuid}. */
  static Field uuid(String name) {
    return Field.of(name, DataType.fixedSizeBinary(16)).withExtension(new Extension.Uuid());
  }

  /** A field of booleans, 8 bits each: the extension type {@link Extension.Bool8}. */
  static Field bool8(String name) {
    return Field.of(name, DataType.INT8).withExtension(new Extension.Bool8());
  }

  /** A field of JSON texts, stored as utf8: the extension type {@link Extension.Json}. */
  static Field json(String name) {
    return Field.of(name, DataType.UTF8).withExtension(new Extension.Json());
  }

  /**
   * A field of another system's type that was not interpreted: the extension type {@link Extension.Opaque}.
   *
   * @param storage what was read of it; {@link DataType#NULL} if nothing was
   */
  static Field opaque(String name, DataType storage, String typeName, String vendorName) {
    return Field.of(name, Objects.requireNonNull(storage, "storage"))
        .withExtension(new Extension.Opaque(typeName, vendorName));
  }

  /** A field of points in time, each with its offset from UTC: {@link Extension.TimestampWithOffset}. */
  static Field timestampWithOffset(String name, ArrowTimeUnit unit) {
    Field timestamp = Field.of("timestamp", DataType.timestamp(unit, "UTC")).withNullable(false);
    Field offset = Field.of("offset_minutes", DataType.INT16).withNullable(false);
    return Field.of(name, DataType.struct(timestamp, offset)).withExtension(new Extension.TimestampWithOffset());
  }

  /** A field of tensors that all have this shape: {@link Extension.FixedShapeTensor}. */
  static Field fixedShapeTensor(String name, DataType element, int... shape) {
    Objects.requireNonNull(element, "element");
    Extension.FixedShapeTensor tensor =
        new Extension.FixedShapeTensor(Arrays.stream(shape).boxed().toList(), List.of(), List.of());
    DataType storage =
        DataType.fixedSizeList(Field.of("item", element), Math.toIntExact(ExtensionChecks.elements(tensor.shape())));
    return Field.of(name, storage).withExtension(tensor);
  }

  /** A field of tensors of this many dimensions, each with its own shape: {@link Extension.VariableShapeTensor}. */
  static Field variableShapeTensor(String name, DataType element, int dimensions) {
    Objects.requireNonNull(element, "element");
    Field data = Field.of("data", new ListType(Field.of("item", element))).withNullable(false);
    Field sizes = Field.of("item", DataType.INT32).withNullable(false);
    Field shape = Field.of("shape", DataType.fixedSizeList(sizes, dimensions)).withNullable(false);
    return Field.of(name, DataType.struct(data, shape))
        .withExtension(new Extension.VariableShapeTensor(List.of(), List.of(), List.of()));
  }

  /**
   * A field of Parquet's variants that are not shredded: {@link Extension.ParquetVariant}. Metadata and value are
   * binary, as Parquet encodes them.
   */
  static Field parquetVariant(String name) {
    Field metadata = Field.of("metadata", DataType.BINARY).withNullable(false);
    return Field.of(name, DataType.struct(metadata, Field.of("value", DataType.BINARY)))
        .withExtension(new Extension.ParquetVariant());
  }

  /** This field under another name. */
  Field withName(String newName);

  /** This field with another type. */
  Field withType(DataType newType);

  /** This field with the promise that no nulls occur, or without it. */
  Field withNullable(boolean mayBeNull);

  /** This field with other metadata. */
  Field withMetadata(Metadata newMetadata);

  /** The same with the parameters as text; see {@link #withExtension(String, byte[])}. */
  Field withExtension(String extensionName, String extensionMetadata);

  /**
   * This field as an extension type, whose storage type is this field's: with the keys of its name and its parameters
   * in the metadata (SCH-16), in place of those that it had. Other metadata stays; {@link #withMetadata} makes it a
   * plain field again.
   *
   * @param extensionName such as {@code arrow.uuid}
   * @param extensionMetadata the parameters as the extension type writes them; empty for none
   */
  Field withExtension(String extensionName, byte[] extensionMetadata);

  /**
   * This field as an extension type whose storage type is this field's, in place of the one that it was; with its
   * parameters as Arrow writes them.
   *
   * @throws IllegalArgumentException if values of the extension type are not stored as this type; says both
   */
  Field withExtension(Extension newExtension);

  /** This field as what its values are stored as: without the two keys of an extension type. Itself, if it is none. */
  Field storage();

  /** The name; empty for none. */
  String name();

  /** The type. */
  DataType type();

  /**
   * The type that a column's values are read as: of what is encoded by a dictionary or in run-ends, that of the values,
   * else {@link #type}.
   */
  DataType valueType();

  /**
   * What {@link org.arbalest.device.columns.Column#get} answers for a row that is not null: a table is in
   * {@code docs/types.md}. Void for a type of nulls, Object for a union; of an extension type for which an
   * {@link ExtensionCodec} was registered, the codec's.
   */
  Class<?> valueClass();

  /** Whether nulls may occur. */
  boolean isNullable();

  /** The metadata; empty for none. */
  Metadata metadata();

  /**
   * The extension type with its parameters, or null for a plain field. One that is not known, or does not fit its
   * storage, is {@link Extension.Other}.
   */
  @Nullable
  Extension extension();

  /** The name of the extension type, or null for a plain field. */
  @Nullable
  String extensionName();

  /** The parameters of the extension type as it wrote them, or null for none. */
  byte @Nullable [] extensionMetadata();

  /** The {@code ARROW_FLAG_} bits, unknown ones included (SCH-06). */
  long flags();

  @Override
  boolean equals(@Nullable Object other);

  @Override
  int hashCode();

  /** For people: {@code price: float64 not null}. */
  @Override
  String toString();
}
