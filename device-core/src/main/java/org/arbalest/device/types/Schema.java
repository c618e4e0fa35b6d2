// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Projection;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The fields and the metadata of a record batch. Immutable, and {@link Serializable} by Java, as are fields, types and
 * metadata.
 *
 * <p>In the C interface a schema is a struct, whose metadata is the batch's metadata (SCH-17); see {@link #asField()}.
 */
public final class Schema implements Serializable {
  private static final long serialVersionUID = 1;

  private final Field struct;

  @SuppressWarnings("serial") // the fields of a record, which are copies
  private final List<Field> fields;

  private Schema(Field struct, List<Field> fields) {
    this.struct = struct;
    this.fields = fields;
  }

  /** Creates a schema without metadata. */
  public static Schema of(List<Field> fields) {
    return of(fields, Metadata.empty());
  }

  /** Creates a schema without metadata. */
  public static Schema of(Field... fields) {
    return of(List.of(fields));
  }

  /** Creates a schema with metadata. */
  public static Schema of(List<Field> fields, Metadata metadata) {
    return ofStruct(Field.of("", new StructType(fields)).withNullable(false).withMetadata(metadata));
  }

  /**
   * Returns the schema that a struct field represents.
   *
   * @throws IllegalArgumentException if the field's type is not a struct
   */
  public static Schema ofStruct(Field struct) {
    FieldImpl field = FieldImpl.unwrap(Objects.requireNonNull(struct, "struct"));
    Schema known = field.knownSchema();
    if (known != null) return known;
    if (!(struct.type() instanceof StructType(List<Field> fields))) {
      throw new IllegalArgumentException("a record batch's schema is a struct, not " + struct.type());
    }
    Schema made = new Schema(struct, fields);
    field.know(made);
    return made;
  }

  /**
   * Returns a schema of some of the fields in the given order, with this schema's metadata. A field that is given twice
   * occurs twice. A path such as {@code "a.b"} selects a field of a struct, as in
   * {@link org.arbalest.device.RecordBatch#select(String...)}.
   *
   * @throws IllegalArgumentException if no field or several fields have a path, or if a struct is selected as well as
   *     some of its fields; the message lists the candidates
   */
  public Schema select(String... paths) {
    return ofStruct(Projection.of(struct, "the schema", paths).result);
  }

  /** Returns a schema of the same fields with other metadata. */
  public Schema withMetadata(Metadata metadata) {
    return ofStruct(struct.withMetadata(Objects.requireNonNull(metadata, "metadata")));
  }

  /** Returns the fields in order. */
  public List<Field> fields() {
    return fields;
  }

  /**
   * Returns the field with this name; null if no field has it.
   *
   * @throws IllegalArgumentException if several fields have it; the message has their positions
   */
  public @Nullable Field field(String name) {
    int index = indexOf(name);
    return index < 0 ? null : fields.get(index);
  }

  /**
   * Returns the position of the field with this name; −1 if no field has it.
   *
   * @throws IllegalArgumentException if several fields have it; the message has their positions
   */
  public int indexOf(String name) {
    return FieldNames.indexOf(fields, name, () -> "the schema");
  }

  /** Returns whether one or more fields have this name. */
  public boolean contains(String name) {
    Objects.requireNonNull(name, "name");
    return fields.stream().anyMatch(field -> field.name().equals(name));
  }

  /** Returns the batch's metadata; empty for none. */
  public Metadata metadata() {
    return struct.metadata();
  }

  /** Returns the schema as a struct field, the form that it has in the C interface. */
  public Field asField() {
    return struct;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Schema that && struct.equals(that.struct);
  }

  @Override
  public int hashCode() {
    return struct.hashCode();
  }

  /** Returns one line for each field, such as {@code price: float64 not null}. */
  @Override
  public String toString() {
    return fields.stream().map(Field::toString).collect(Collectors.joining("\n"));
  }
}
