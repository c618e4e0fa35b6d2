// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A field with its {@link Layout}, which every import reads. See {@link Field}. */
public final class FieldImpl implements Field {
  /** The deepest nesting that can be imported or exported (SCH-18). */
  public static final int DEEPEST = 64;

  private static final long KNOWN_FLAGS =
      ArrowSchemaStruct.FLAG_NULLABLE | ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED
          | ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;

  private static final long serialVersionUID = 1;

  private final String name;
  private final DataType type;
  private final boolean nullable;
  private final Metadata metadata;
  private final long unknownFlags;
  private final transient @Nullable Extension extension;

  /** The layout of arrays of this type; read on every import. */
  public final transient Layout layout;

  /** This struct as a schema; set at first use, by any thread. */
  private transient volatile @Nullable Schema schema;

  /** The exported form of this field; set at the first export, by any thread. */
  private transient volatile @Nullable SchemaImage image;

  /** The positions of many children by name; set at the first search, by any thread. */
  private transient volatile @Nullable FieldPositions positions;

  private FieldImpl(String name, DataType type, boolean nullable, Metadata metadata, long unknownFlags) {
    this.name = Objects.requireNonNull(name, "name");
    this.type = Objects.requireNonNull(type, "type");
    this.nullable = nullable;
    this.metadata = Objects.requireNonNull(metadata, "metadata");
    this.unknownFlags = unknownFlags;
    TypeChecks.checkText("the name of a field", name);
    this.extension = metadata.isEmpty() ? null : Extensions.of(type, metadata); // so most programs need no Extensions
    this.layout = Layout.of(type);
    if (layout.depth > DEEPEST) {
      throw new IllegalArgumentException(
          "field " + name + " nests " + layout.depth + " levels deep; at most " + DEEPEST + " are supported");
    }
  }

  /** Returns the implementation; every {@link Field} has this class. */
  public static FieldImpl unwrap(Field field) {
    return (FieldImpl) field;
  }

  public static Field of(String name, DataType type) {
    return new FieldImpl(name, type, true, Metadata.empty(), 0);
  }

  /** Returns a field with the contents of a C struct. */
  static FieldImpl of(String name, DataType type, long flags, Metadata metadata) {
    return new FieldImpl(name, type, (flags & ArrowSchemaStruct.FLAG_NULLABLE) != 0, metadata, flags & ~KNOWN_FLAGS);
  }

  static Field of(SerializedField field) {
    return new FieldImpl(field.name(), field.type(), field.nullable(), field.metadata(), field.unknownFlags());
  }

  @Serial
  private Object writeReplace() {
    return new SerializedField(name, type, nullable, metadata, unknownFlags);
  }

  @Serial
  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("a field is deserialized from its bytes only");
  }

  @Override
  public Field withName(String newName) {
    return new FieldImpl(newName, type, nullable, metadata, unknownFlags);
  }

  @Override
  public Field withType(DataType newType) {
    return new FieldImpl(name, newType, nullable, metadata, unknownFlags);
  }

  @Override
  public Field withNullable(boolean mayBeNull) {
    return new FieldImpl(name, type, mayBeNull, metadata, unknownFlags);
  }

  @Override
  public Field withMetadata(Metadata newMetadata) {
    return new FieldImpl(name, type, nullable, newMetadata, unknownFlags);
  }

  @Override
  public Field withExtension(String extensionName, String extensionMetadata) {
    return withMetadata(plain().with(Extensions.NAME, extensionName).with(Extensions.METADATA, extensionMetadata));
  }

  @Override
  public Field withExtension(String extensionName, byte[] extensionMetadata) {
    return withMetadata(
        plain().with(Extensions.NAME, extensionName).with(Extensions.METADATA.getBytes(UTF_8), extensionMetadata));
  }

  @Override
  public Field withExtension(Extension newExtension) {
    String mismatch = Storage.mismatch(Objects.requireNonNull(newExtension, "newExtension"), type);
    if (mismatch != null) throw new IllegalArgumentException("field \"" + name + "\": " + mismatch);
    Metadata named = plain().with(Extensions.NAME, newExtension.name());
    byte[] parameters = Extensions.metadata(newExtension);
    return withMetadata(parameters == null ? named : named.with(Extensions.METADATA.getBytes(UTF_8), parameters));
  }

  @Override
  public Field storage() {
    return extension == null ? this : withMetadata(plain());
  }

  /** Returns the metadata without the keys of the extension type. */
  private Metadata plain() {
    return Metadata.of(metadata.entries().stream()
        .filter(pair -> !Extensions.NAME.equals(pair.key()) && !Extensions.METADATA.equals(pair.key())).toList());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DataType type() {
    return type;
  }

  @Override
  public DataType valueType() {
    return ValueTypes.of(type);
  }

  @Override
  public Class<?> valueClass() {
    return ValueTypes.classOf(this);
  }

  @Override
  public boolean isNullable() {
    return nullable;
  }

  @Override
  public Metadata metadata() {
    return metadata;
  }

  @Override
  public @Nullable Extension extension() {
    return extension;
  }

  @Override
  public @Nullable String extensionName() {
    return metadata.get(Extensions.NAME);
  }

  @Override
  public byte @Nullable [] extensionMetadata() {
    return metadata.getBytes(Extensions.METADATA);
  }

  @Override
  public long flags() {
    long flags = unknownFlags;
    if (nullable) flags |= ArrowSchemaStruct.FLAG_NULLABLE;
    if (type instanceof FlatType || type instanceof StructType) return flags; // without a look at rare types
    if (type instanceof DictionaryType dictionary && dictionary.ordered())
      flags |= ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED;
    if (type instanceof MapType map && map.keysSorted()) flags |= ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;
    return flags;
  }

  /** Imports a schema. See {@link org.arbalest.device.c.CData#importSchema}. */
  public static Field importSchema(MemorySegment schema) {
    try {
      return SchemaImporter.importSchema(Structs.address(schema, "ArrowSchema", RawArrowSchema.SIZE));
    } finally {
      Reference.reachabilityFence(schema);
    }
  }

  /** Exports a schema. See {@link org.arbalest.device.c.CData#exportSchema}. */
  public static void exportSchema(Field field, MemorySegment out) {
    NativeAccess.require();
    try {
      SchemaExport.exportSchema(field, Structs.address(out, "ArrowSchema", RawArrowSchema.SIZE));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  /** Returns this struct as a schema. See {@link Schema#ofStruct}. */
  public Schema schema() {
    return Schema.ofStruct(this);
  }

  /** Returns the schema that was already created for this struct, or null. */
  public @Nullable Schema knownSchema() {
    return schema;
  }

  public void know(Schema made) {
    schema = made;
  }

  /**
   * Throws unless the children have these positions.
   *
   * @throws IndexOutOfBoundsException with the position, the number of children and their names
   */
  public void checkPositions(int... positions) {
    FieldImpl[] children = Layout.of(this).children;
    for (int position : positions) {
      if (position >= 0 && position < children.length) continue;
      throw new IndexOutOfBoundsException(
          "there is no field " + position + " in " + (name().isEmpty() ? "the batch" : this)
              + ": its " + children.length + " fields are " + Arrays.stream(children).map(Field::name).toList());
    }
  }

  /**
   * Returns the position of the child with this name, or −1; see {@link FieldNames#indexOf}.
   *
   * @param where this field, for the error
   */
  public int indexOf(String child, String where) {
    if (layout.children.length < FieldPositions.FEWEST) {
      return FieldNames.indexOf(type.children(), child, () -> where);
    }
    FieldPositions known = positions;
    if (known == null) positions = known = new FieldPositions(layout.children);
    return known.indexOf(child, where);
  }

  SchemaImage image() {
    SchemaImage known = image;
    if (known == null) image = known = SchemaImage.of(this);
    return known;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FieldImpl that
        && nullable == that.nullable
        && unknownFlags == that.unknownFlags
        && name.equals(that.name)
        && type.equals(that.type)
        && metadata.equals(that.metadata);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, type, nullable, metadata);
  }

  /** Returns a readable form: {@code price: float64 not null}. */
  @Override
  public String toString() {
    return (name.isEmpty() ? "" : name + ": ") + TypeNames.of(this) + (nullable ? "" : " not null");
  }
}
