// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.arbalest.device.types.Schema;
import org.arbalest.integration.json.JsonField;
import org.arbalest.integration.json.JsonSchema;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of schemas: names, nullability, types with all parameters, children, dictionaries and metadata.
 *
 * <p>The order of metadata does not count, nor do the names within maps, which other implementations replace. The JSON
 * format has no name and no nullability of a dictionary's values, and no name of the batch.
 */
public final class SchemaComparison {
  private SchemaComparison() {}

  /**
   * Returns the first difference, or null without one. A text such as
   * {@code schema, a.b: expected int32, found int64} has the path and both sides.
   */
  public static @Nullable String difference(Schema expected, Schema found) {
    String difference = metadata("schema", expected.metadata(), found.metadata());
    return difference != null ? difference : fields("schema", expected.fields(), found.fields());
  }

  /** Returns the first difference, or null without one; also compares the ids of dictionaries. */
  public static @Nullable String difference(JsonSchema expected, JsonSchema found) {
    String difference = difference(expected.schema(), found.schema());
    return difference != null ? difference : ids("schema", expected.fields(), found.fields());
  }

  private static @Nullable String fields(String path, List<Field> expected, List<Field> found) {
    if (expected.size() != found.size()) {
      return differ(path, count(expected), count(found));
    }
    for (int i = 0; i < expected.size(); i++) {
      Field a = expected.get(i);
      Field b = found.get(i);
      String place = below(path, a.name());
      if (!a.name().equals(b.name())) return differ(place, "the name \"" + a.name() + "\"", "\"" + b.name() + "\"");
      String difference = content(place, a, b);
      if (difference != null) return difference;
    }
    return null;
  }

  private static String count(List<Field> fields) {
    return fields.size() + (fields.size() == 1 ? " field " : " fields ") + fields.stream().map(Field::name).toList();
  }

  /** Compares fields without their names. */
  private static @Nullable String content(String path, Field expected, Field found) {
    if (expected.isNullable() != found.isNullable()) {
      return differ(path, nullability(expected), nullability(found));
    }
    String difference = type(path, expected.type(), found.type());
    return difference != null ? difference : metadata(path, expected.metadata(), found.metadata());
  }

  private static @Nullable String type(String path, DataType expected, DataType found) {
    if (expected instanceof DictionaryType a && found instanceof DictionaryType b) {
      if (!a.index().equals(b.index())) return differ(path, "indices of " + a.index(), "of " + b.index());
      if (a.ordered() != b.ordered()) return differ(path, order(a), order(b));
      String difference = type(path, a.values().type(), b.values().type());
      if (difference != null) return difference;
      return metadata(path + ", dictionary", a.values().metadata(), b.values().metadata());
    }
    if (!own(expected).equals(own(found))) return differ(path, own(expected), own(found));
    if (expected instanceof MapType) return entries(path, expected.children().getFirst(), found.children().getFirst());
    return fields(path, expected.children(), found.children());
  }

  private static @Nullable String entries(String path, Field expected, Field found) {
    String place = below(path, expected.name());
    String difference = content(place, expected.withType(DataType.NULL), found.withType(DataType.NULL));
    for (int i = 0; difference == null && i < 2; i++) {
      Field a = expected.type().children().get(i);
      difference = content(below(place, a.name()), a, found.type().children().get(i));
    }
    return difference;
  }

  /** Returns the type with its parameters, and without its children. */
  private static String own(DataType type) {
    return switch (type) {
      case FlatType flat -> flat.toString();
      case NestedType nested -> switch (nested) {
        case ListType _ -> "list";
        case LargeListType _ -> "large_list";
        case ListViewType _ -> "list_view";
        case LargeListViewType _ -> "large_list_view";
        case FixedSizeListType list -> "fixed_size_list of " + list.size();
        case StructType _ -> "struct";
        case MapType map -> map.keysSorted() ? "map with sorted keys" : "map with keys in any order";
        case UnionType union -> union.mode() + " union with type ids " + union.typeIds();
        case RunEndEncodedType _ -> "run_end_encoded";
        case DictionaryType dictionary -> "dictionary of " + dictionary.values().type();
      };
    };
  }

  private static String nullability(Field field) {
    return field.isNullable() ? "nullable" : "not nullable";
  }

  private static String order(DictionaryType type) {
    return type.ordered() ? "an ordered dictionary" : "a dictionary without order";
  }

  private static @Nullable String metadata(String path, Metadata expected, Metadata found) {
    Map<String, List<String>> wanted = byKey(expected);
    Map<String, List<String>> given = byKey(found);
    Map<String, List<String>> all = new TreeMap<>(wanted);
    all.putAll(given);
    for (String key : all.keySet()) {
      List<String> a = wanted.get(key);
      List<String> b = given.get(key);
      if (!Objects.equals(a, b)) return differ(path + ", metadata \"" + key + "\"", values(a), values(b));
    }
    return null;
  }

  private static Map<String, List<String>> byKey(Metadata metadata) {
    Map<String, List<String>> byKey = new TreeMap<>();
    for (Metadata.Entry entry : metadata.entries()) {
      byKey.merge(entry.key(), List.of(entry.value()), SchemaComparison::joined);
    }
    return byKey;
  }

  private static List<String> joined(List<String> first, List<String> second) {
    return Stream.concat(first.stream(), second.stream()).sorted().toList();
  }

  private static String values(@Nullable List<String> values) {
    return values == null ? "none" : "\"" + String.join("\", \"", values) + "\"";
  }

  private static @Nullable String ids(String path, List<JsonField> expected, List<JsonField> found) {
    for (int i = 0; i < expected.size(); i++) {
      JsonField a = expected.get(i);
      JsonField b = found.get(i);
      String place = below(path, a.field().name());
      if (!Objects.equals(a.dictionaryId(), b.dictionaryId())) {
        return differ(place, "dictionary " + a.dictionaryId(), "dictionary " + b.dictionaryId());
      }
      String difference = ids(place, a.children(), b.children());
      if (difference != null) return difference;
    }
    return null;
  }

  private static String below(String path, String name) {
    return path.equals("schema") ? "schema, " + name : path + "." + name;
  }

  private static String differ(String path, String expected, String found) {
    return path + ": expected " + expected + ", found " + found;
  }
}
