// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.ExtensionTypeRegistry;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.arbalest.device.types.DataType;
import org.arbalest.device.DeviceException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between Arrow Java's schemas and fields and those of this library.
 *
 * <p>In Arrow Java's memory format, a field with a dictionary has the type of the indices, and a number; a {@link
 * DictionaryProvider} maps the number to the values. In this library, the field of the values is part of the type, so
 * schemas with dictionaries need a provider. In both libraries, an extension type is its storage type with two keys in
 * the metadata (SCH-16). If {@link ExtensionTypeRegistry} contains the name, the field for Arrow Java gets the
 * registered type. In Arrow Java's metadata, each key has one value, as text.
 *
 * <p>A schema or field that cannot be converted is a {@link DeviceException} with {@code EINVAL}, which names the path.
 * Any thread may call these methods.
 */
public final class ArrowSchemas {
  private ArrowSchemas() {}

  /** Returns the schema for an Arrow Java schema without dictionaries. */
  public static Schema toSchema(org.apache.arrow.vector.types.pojo.Schema schema) {
    return RootPlan.of(schema, null).schema;
  }

  /**
   * Returns the schema for an Arrow Java schema whose dictionaries are in the provider.
   *
   * @param dictionaries borrowed for this call
   */
  public static Schema toSchema(org.apache.arrow.vector.types.pojo.Schema schema, DictionaryProvider dictionaries) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    return RootPlan.of(schema, dictionaries).schema;
  }

  /** Returns the field for an Arrow Java field without dictionaries. */
  public static Field toField(org.apache.arrow.vector.types.pojo.Field field) {
    return plan(field, null).field;
  }

  /**
   * Returns the field for an Arrow Java field whose dictionaries are in the provider.
   *
   * @param dictionaries borrowed for this call
   */
  public static Field toField(org.apache.arrow.vector.types.pojo.Field field, DictionaryProvider dictionaries) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    return plan(field, dictionaries).field;
  }

  static VectorPlan plan(org.apache.arrow.vector.types.pojo.Field field, @Nullable DictionaryProvider dictionaries) {
    Objects.requireNonNull(field, "field");
    try {
      return VectorPlan.of(field, dictionaries);
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  /** Returns the Arrow Java schema for a schema without dictionaries. */
  public static org.apache.arrow.vector.types.pojo.Schema toArrowSchema(Schema schema) {
    return arrowSchema(schema, null, null);
  }

  /**
   * Returns the Arrow Java schema for a schema. For each dictionary, this method puts an empty vector into the
   * provider, under the first free number.
   *
   * @param dictionaries owns the new vectors
   * @param allocator allocates the memory of the dictionaries
   */
  public static org.apache.arrow.vector.types.pojo.Schema toArrowSchema(Schema schema,
      MapDictionaryProvider dictionaries, BufferAllocator allocator) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    Objects.requireNonNull(allocator, "allocator");
    return arrowSchema(schema, dictionaries, allocator);
  }

  /** Returns the Arrow Java field for a field without dictionaries. */
  public static org.apache.arrow.vector.types.pojo.Field toArrowField(Field field) {
    return arrowField(field, null, null);
  }

  /**
   * Returns the Arrow Java field for a field; see {@link #toArrowSchema(Schema, MapDictionaryProvider,
   * BufferAllocator)}.
   */
  public static org.apache.arrow.vector.types.pojo.Field toArrowField(Field field, MapDictionaryProvider dictionaries,
      BufferAllocator allocator) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    Objects.requireNonNull(allocator, "allocator");
    return arrowField(field, dictionaries, allocator);
  }

  static org.apache.arrow.vector.types.pojo.Schema arrowSchema(
      Schema schema, @Nullable MapDictionaryProvider dictionaries, @Nullable BufferAllocator allocator) {
    try {
      return new org.apache.arrow.vector.types.pojo.Schema(children(schema.fields(), dictionaries, allocator),
          map(schema.metadata()));
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  static org.apache.arrow.vector.types.pojo.Field arrowField(
      Field field, @Nullable MapDictionaryProvider dictionaries, @Nullable BufferAllocator allocator) {
    try {
      return field(field, dictionaries, allocator);
    } catch (Unfit e) {
      throw e.toDeviceException();
    }
  }

  private static org.apache.arrow.vector.types.pojo.Field field(
      Field field, @Nullable MapDictionaryProvider dictionaries, @Nullable BufferAllocator allocator) {
    DataType type = field.type();
    Map<String, String> metadata = map(field.metadata());
    DictionaryEncoding encoding = type instanceof DictionaryType encoded ? put(encoded, dictionaries, allocator) : null;
    ArrowType storage = ArrowTypes.toArrowType(type);
    // Arrow Java requires non-nullable entries
    List<Field> below = type instanceof MapType map ? List.of(map.entries().withNullable(false)) : type.children();
    List<org.apache.arrow.vector.types.pojo.Field> children = children(below, dictionaries, allocator);
    ArrowType whole = encoding == null ? extended(storage, metadata) : storage;
    return new org.apache.arrow.vector.types.pojo.Field(field.name(),
        new FieldType(field.isNullable(), whole, encoding, metadata), children);
  }

  private static List<org.apache.arrow.vector.types.pojo.Field> children(
      List<Field> fields, @Nullable MapDictionaryProvider dictionaries, @Nullable BufferAllocator allocator) {
    List<org.apache.arrow.vector.types.pojo.Field> children = new ArrayList<>(fields.size());
    for (Field child : fields) {
      try {
        children.add(field(child, dictionaries, allocator));
      } catch (Unfit e) {
        throw e.under(child.name());
      }
    }
    return children;
  }

  /** Returns the registered extension type for the keys in the metadata, or the storage type if none is registered. */
  private static ArrowType extended(ArrowType storage, Map<String, String> metadata) {
    String name = metadata.get(ArrowType.ExtensionType.EXTENSION_METADATA_KEY_NAME);
    ArrowType.ExtensionType known = name == null ? null : ExtensionTypeRegistry.lookup(name);
    if (known == null) return storage;
    try {
      return known.deserialize(storage,
          metadata.getOrDefault(ArrowType.ExtensionType.EXTENSION_METADATA_KEY_METADATA, ""));
    } catch (RuntimeException e) {
      throw Unfit.of(e);
    }
  }

  private static DictionaryEncoding put(DictionaryType encoded, @Nullable MapDictionaryProvider dictionaries,
      @Nullable BufferAllocator allocator) {
    if (dictionaries == null || allocator == null)
      throw new Unfit("is encoded by a dictionary: pass a provider, which takes its values");
    org.apache.arrow.vector.types.pojo.Field values;
    try {
      values = field(encoded.values(), dictionaries, allocator);
    } catch (Unfit e) {
      throw e.under(Unfit.DICTIONARY);
    }
    long id = 0;
    while (dictionaries.lookup(id) != null) id++;
    DictionaryEncoding encoding = new DictionaryEncoding(id, encoded.ordered(), ArrowTypes.toArrowInt(encoded.index()));
    FieldVector vector = vector(values, allocator);
    dictionaries.put(new Dictionary(vector, encoding));
    return encoding;
  }

  /** Returns empty vectors for a schema's fields. */
  static List<FieldVector> vectors(org.apache.arrow.vector.types.pojo.Schema schema, BufferAllocator allocator) {
    List<FieldVector> vectors = new ArrayList<>(schema.getFields().size());
    for (org.apache.arrow.vector.types.pojo.Field field : schema.getFields()) {
      try {
        vectors.add(vector(field, allocator));
      } catch (Unfit e) {
        throw e.under(field.getName());
      }
    }
    return vectors;
  }

  /** Returns an empty vector for a field, with all children of the field. */
  static FieldVector vector(org.apache.arrow.vector.types.pojo.Field field, BufferAllocator allocator) {
    FieldVector vector;
    try {
      vector = field.createVector(allocator);
    } catch (RuntimeException e) {
      throw Unfit.of(e);
    }
    requireChildren(field, vector);
    return vector;
  }

  /**
   * Rejects duplicate names: Arrow Java finds the children of structs and unions by name, and keeps only the last of
   * those with one name.
   */
  private static void requireChildren(org.apache.arrow.vector.types.pojo.Field field, FieldVector vector) {
    List<FieldVector> children = vector.getChildrenFromFields();
    List<org.apache.arrow.vector.types.pojo.Field> wanted = field.getChildren();
    if (wanted.size() != children.size()) {
      throw new Unfit("Arrow Java has a struct's or union's fields by name, of which " + wanted.size() + " here have "
          + children.size());
    }
    for (int i = 0; i < wanted.size(); i++) {
      try {
        requireChildren(wanted.get(i), children.get(i));
      } catch (Unfit e) {
        throw e.under(wanted.get(i).getName());
      }
    }
  }

  static Metadata metadata(@Nullable Map<String, String> map) {
    return map == null || map.isEmpty() ? Metadata.empty() : Metadata.of(map);
  }

  private static Map<String, String> map(Metadata metadata) {
    Map<String, String> map = new LinkedHashMap<>();
    for (Metadata.Entry entry : metadata.entries()) map.putIfAbsent(entry.key(), entry.value());
    return map;
  }
}
