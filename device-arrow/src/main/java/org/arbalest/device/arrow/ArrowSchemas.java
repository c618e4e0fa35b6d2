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
 * Arrow Java's schemas and fields as ours, and back.
 *
 * <p>In Arrow Java's memory a field with a dictionary has the type of the indices and a number by which a
 * {@link DictionaryProvider} knows the values; here their field is part of the type, so that schemas with dictionaries
 * need a provider. Extension types are their storage with the two keys in the metadata, which both sides have (SCH-16);
 * what {@link ExtensionTypeRegistry} knows becomes one of its types again. Of metadata Arrow Java has one value for
 * each key, as text.
 *
 * <p>What does not fit is a {@link DeviceException} with {@code EINVAL}, which names the path. Any thread may call
 * these.
 */
public final class ArrowSchemas {
  private ArrowSchemas() {}

  /** A schema without dictionaries. */
  public static Schema toSchema(org.apache.arrow.vector.types.pojo.Schema schema) {
    return RootPlan.of(schema, null).schema;
  }

  /** A schema whose dictionaries the provider has; borrowed. */
  public static Schema toSchema(org.apache.arrow.vector.types.pojo.Schema schema, DictionaryProvider dictionaries) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    return RootPlan.of(schema, dictionaries).schema;
  }

  /** A field without dictionaries. */
  public static Field toField(org.apache.arrow.vector.types.pojo.Field field) {
    return plan(field, null).field;
  }

  /** A field whose dictionaries the provider has; borrowed. */
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

  /** A schema without dictionaries, for Arrow Java. */
  public static org.apache.arrow.vector.types.pojo.Schema toArrowSchema(Schema schema) {
    return arrowSchema(schema, null, null);
  }

  /**
   * A schema for Arrow Java; of each dictionary an empty vector is put into the provider, which owns it, under the
   * first number that is free there.
   *
   * @param allocator whose the memory of the dictionaries is to be
   */
  public static org.apache.arrow.vector.types.pojo.Schema toArrowSchema(Schema schema,
      MapDictionaryProvider dictionaries, BufferAllocator allocator) {
    Objects.requireNonNull(dictionaries, "dictionaries");
    Objects.requireNonNull(allocator, "allocator");
    return arrowSchema(schema, dictionaries, allocator);
  }

  /** A field without dictionaries, for Arrow Java. */
  public static org.apache.arrow.vector.types.pojo.Field toArrowField(Field field) {
    return arrowField(field, null, null);
  }

  /** A field for Arrow Java; see {@link #toArrowSchema(Schema, MapDictionaryProvider, BufferAllocator)}. */
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
    // which Arrow Java insists on
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

  /** The type that the registry has for the keys in the metadata; the storage, if it has none. */
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
      throw new Unfit("is encoded by a dictionary: give a provider, which takes its values");
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

  /** Empty vectors of a schema's fields. */
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

  /** An empty vector of a field, which has all children that the field has. */
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

  /** Arrow Java keeps the children of structs and unions by name, and the last of those with one name. */
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
