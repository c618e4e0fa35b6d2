package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import org.arbalest.device.DataType.DictionaryType;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.jspecify.annotations.Nullable;

/**
 * A name, a type, whether nulls may occur, and metadata: what an {@code ArrowSchema} says. Immutable.
 *
 * <p>A field made here is nullable and without metadata; the {@code with} methods return changed copies.
 */
public final class Field {
  /** The deepest nesting that is read or written (SCH-18). */
  static final int DEEPEST = 64;

  private static final long KNOWN_FLAGS =
      ArrowSchemaStruct.FLAG_NULLABLE | ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED | ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;

  private final String name;
  private final DataType type;
  private final boolean nullable;
  private final Metadata metadata;
  private final long unknownFlags;

  /** What an array of this type looks like; read on every import. */
  final Layout layout;

  /** This struct seen as a schema; made at first use, by whoever is first. */
  private volatile @Nullable Schema schema;

  private Field(String name, DataType type, boolean nullable, Metadata metadata, long unknownFlags) {
    this.name = Objects.requireNonNull(name, "name");
    this.type = Objects.requireNonNull(type, "type");
    this.nullable = nullable;
    this.metadata = Objects.requireNonNull(metadata, "metadata");
    this.unknownFlags = unknownFlags;
    DataTypes.checkText("the name of a field", name);
    this.layout = Layout.of(type);
    if (layout.depth > DEEPEST) {
      throw new IllegalArgumentException("field " + name + " nests " + layout.depth + " levels deep; at most " + DEEPEST + " are supported");
    }
  }

  /**
   * A nullable field.
   *
   * @throws IllegalArgumentException if the name has a NUL character or half a surrogate pair, or the type is nested too deep
   */
  public static Field of(String name, DataType type) {
    return new Field(name, type, true, Metadata.empty(), 0);
  }

  /** A field as a C struct had it. */
  static Field of(String name, DataType type, long flags, Metadata metadata) {
    return new Field(name, type, (flags & ArrowSchemaStruct.FLAG_NULLABLE) != 0, metadata, flags & ~KNOWN_FLAGS);
  }

  /** This field under another name. */
  public Field withName(String newName) {
    return new Field(newName, type, nullable, metadata, unknownFlags);
  }

  /** This field with another type. */
  public Field withType(DataType newType) {
    return new Field(name, newType, nullable, metadata, unknownFlags);
  }

  /** This field with the promise that no nulls occur, or without it. */
  public Field withNullable(boolean mayBeNull) {
    return new Field(name, type, mayBeNull, metadata, unknownFlags);
  }

  /** This field with other metadata. */
  public Field withMetadata(Metadata newMetadata) {
    return new Field(name, type, nullable, newMetadata, unknownFlags);
  }

  /** The name; empty for none. */
  public String name() {
    return name;
  }

  /** The type. */
  public DataType type() {
    return type;
  }

  /** Whether nulls may occur. */
  public boolean isNullable() {
    return nullable;
  }

  /** The metadata; empty for none. */
  public Metadata metadata() {
    return metadata;
  }

  /** The name of the extension type, or null for a plain field. */
  public @Nullable String extensionName() {
    return metadata.get("ARROW:extension:name");
  }

  /** The parameters of the extension type as it wrote them, or null for none. */
  public byte @Nullable [] extensionMetadata() {
    return metadata.getBytes("ARROW:extension:metadata");
  }

  /** The {@code ARROW_FLAG_} bits, unknown ones included (SCH-06). */
  public long flags() {
    long flags = unknownFlags;
    if (nullable) flags |= ArrowSchemaStruct.FLAG_NULLABLE;
    if (type instanceof DictionaryType dictionary && dictionary.ordered()) flags |= ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED;
    if (type instanceof DataType.MapType map && map.keysSorted()) flags |= ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;
    return flags;
  }

  /**
   * Reads a C schema and releases it, exactly once, whether or not it could be read (SCH-19).
   *
   * @param schema a live {@code ArrowSchema}
   * @throws DeviceException with {@code EINVAL}, the path of the field and what is wrong with it
   */
  public static Field importSchema(MemorySegment schema) {
    try {
      return SchemaImporter.importSchema(Structs.address(schema, ArrowSchemaStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(schema);
    }
  }

  /**
   * Writes this field as a C schema, which the receiver must release. On failure {@code out} is a released struct.
   *
   * @param out memory for an {@code ArrowSchema}; what is in it is overwritten
   */
  public void exportSchema(MemorySegment out) {
    try {
      SchemaExport.exportSchema(this, Structs.address(out, ArrowSchemaStruct.LAYOUT));
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  /** See {@link Schema#ofStruct}. */
  Schema schema() {
    Schema known = schema;
    if (known == null) schema = known = Schema.ofStruct(this);
    return known;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Field that
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

  /** For people: {@code price: float64 not null}. */
  @Override
  public String toString() {
    return (name.isEmpty() ? "" : name + ": ") + TypeNames.of(type) + (nullable ? "" : " not null");
  }
}
