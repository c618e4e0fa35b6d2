// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The fields and the metadata of a record batch. Immutable, and {@link Serializable} by Java, as are fields, types and
 * metadata.
 *
 * <p>In the C interface it is a struct, whose metadata is the batch's (SCH-17): {@link #asField()}.
 */
public final class Schema implements Serializable {
  private static final long serialVersionUID = 1;

  private final Field struct;

  @SuppressWarnings("serial") // a record's, which are copies
  private final List<Field> fields;

  private Schema(Field struct, List<Field> fields) {
    this.struct = struct;
    this.fields = fields;
  }

  /** A schema without metadata. */
  public static Schema of(List<Field> fields) {
    return of(fields, Metadata.empty());
  }

  /** A schema without metadata. */
  public static Schema of(Field... fields) {
    return of(List.of(fields));
  }

  /** A schema with metadata. */
  public static Schema of(List<Field> fields, Metadata metadata) {
    return ofStruct(Field.of("", new StructType(fields)).withNullable(false).withMetadata(metadata));
  }

  /**
   * The struct field seen as a schema.
   *
   * @throws IllegalArgumentException if it is of another type
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
   * Some of the fields, in the order asked for, each as it is here; with this schema's metadata. One that is asked for
   * twice is there twice.
   *
   * @throws IllegalArgumentException if there is no field of a name, or several: says which there are
   */
  public Schema select(String... names) {
    List<Field> selected =
        Arrays.stream(names).map(name -> fields.get(FieldNames.find(fields, name, () -> "the schema"))).toList();
    return ofStruct(struct.withType(new StructType(selected)));
  }

  /** The same fields with other metadata, in place of the batch's. */
  public Schema withMetadata(Metadata metadata) {
    return ofStruct(struct.withMetadata(Objects.requireNonNull(metadata, "metadata")));
  }

  /** The fields in order. */
  public List<Field> fields() {
    return fields;
  }

  /**
   * The field of this name, or null.
   *
   * @throws IllegalArgumentException if several have it; says which
   */
  public @Nullable Field field(String name) {
    int index = indexOf(name);
    return index < 0 ? null : fields.get(index);
  }

  /**
   * The position of the field of this name, or −1.
   *
   * @throws IllegalArgumentException if several have it; says which
   */
  public int indexOf(String name) {
    return FieldNames.indexOf(fields, name, () -> "the schema");
  }

  /** Whether there is a field of this name, or several. */
  public boolean contains(String name) {
    Objects.requireNonNull(name, "name");
    return fields.stream().anyMatch(field -> field.name().equals(name));
  }

  /** The batch's metadata; empty for none. */
  public Metadata metadata() {
    return struct.metadata();
  }

  /** The schema as the struct field that it is in the C interface. */
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

  /** A line for each field: {@code price: float64 not null}. */
  @Override
  public String toString() {
    return fields.stream().map(Field::toString).collect(Collectors.joining("\n"));
  }
}
