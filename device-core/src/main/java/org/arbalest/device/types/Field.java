// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.objects.ExtensionCodec;
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
   * @throws IllegalArgumentException if the name has a NUL character or half a surrogate pair, or the type is nested too deep
   */
  static Field of(String name, DataType type) {
    return FieldImpl.of(name, type);
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
   * This field as an extension type, whose storage type is this field's: with the keys of its name and its parameters in the metadata (SCH-16), in
   * place of those that it had. Other metadata stays; {@link #withMetadata} makes it a plain field again.
   *
   * @param extensionName such as {@code arrow.uuid}
   * @param extensionMetadata the parameters as the extension type writes them; empty for none
   */
  Field withExtension(String extensionName, byte[] extensionMetadata);

  /**
   * This field as an extension type whose storage type is this field's, in place of the one that it was; with its parameters as Arrow writes them.
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

  /** The type that a column's values are read as: of what is encoded by a dictionary or in run-ends, that of the values, else {@link #type}. */
  DataType valueType();

  /**
   * What {@link org.arbalest.device.columns.Column#get} answers for a row that is not null: a table is in {@code docs/types.md}. Void for a type of nulls, Object for a union; of an
   * extension type for which an {@link ExtensionCodec} was registered, the codec's.
   */
  Class<?> valueClass();

  /** Whether nulls may occur. */
  boolean isNullable();

  /** The metadata; empty for none. */
  Metadata metadata();

  /** The extension type with its parameters, or null for a plain field. One that is not known, or does not fit its storage, is {@link Extension.Other}. */
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
