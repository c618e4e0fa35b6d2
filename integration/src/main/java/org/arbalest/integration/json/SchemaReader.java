// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionMode;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/** Reads schemas. */
final class SchemaReader {
  private SchemaReader() {}

  static JsonSchema schema(Json json) {
    json.allow(List.of("fields", "metadata"));
    return new JsonSchema(json.member("fields").map(SchemaReader::field), metadata(json.optional("metadata")));
  }

  private static JsonField field(Json json) {
    json.allow(List.of("name", "nullable", "type", "children", "dictionary", "metadata"));
    Json nested = json.optional("children");
    List<JsonField> children = nested == null ? List.of() : nested.map(SchemaReader::field);
    DataType type = type(json.member("type"), children);
    Json dictionary = json.optional("dictionary");
    if (dictionary != null) type = encoded(dictionary, type);
    Field field = checked(json, json.member("name").text(), type)
        .withNullable(json.member("nullable").bool()).withMetadata(metadata(json.optional("metadata")));
    return new JsonField(field, dictionary == null ? null : dictionary.member("id").integer(), children);
  }

  private static Field checked(Json json, String name, DataType type) {
    try {
      return Field.of(name, type);
    } catch (IllegalArgumentException e) {
      throw json.fault(String.valueOf(e.getMessage()));
    }
  }

  private static DataType encoded(Json json, DataType values) {
    json.allow(List.of("id", "indexType", "isOrdered"));
    Json index = json.member("indexType");
    if (!(type(index, List.of()) instanceof IntType ints)) throw index.fault("indices are integers");
    return new DictionaryType(ints, Field.of("", values), json.member("isOrdered").bool());
  }

  private static Metadata metadata(@Nullable Json json) {
    if (json == null) return Metadata.empty();
    Metadata metadata = Metadata.empty();
    for (int i = 0; i < json.size(); i++) {
      json.at(i).allow(List.of("key", "value"));
      metadata = metadata.with(json.at(i).member("key").text(), json.at(i).member("value").text());
    }
    return metadata;
  }

  private static DataType type(Json json, List<JsonField> children) {
    try {
      return type(json, json.member("name").text(), children.stream().map(JsonField::field).toList());
    } catch (JsonFormatException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw json.fault(String.valueOf(e.getMessage()));
    }
  }

  private static DataType type(Json json, String name, List<Field> children) {
    return switch (name) {
      case "struct" -> new StructType(children);
      case "union" -> union(json, children);
      case "list" -> DataType.list(only(json, children));
      case "largelist" -> DataType.largeList(only(json, children));
      case "listview" -> DataType.listView(only(json, children));
      case "largelistview" -> DataType.largeListView(only(json, children));
      case "fixedsizelist" -> DataType.fixedSizeList(only(json, children), json.member("listSize").count());
      case "map" -> new MapType(only(json, children), json.member("keysSorted").bool());
      case "runendencoded" -> {
        checkChildren(json, children, 2);
        yield new RunEndEncodedType(children.get(0), children.get(1));
      }
      default -> {
        checkChildren(json, children, 0);
        yield flat(json, name);
      }
    };
  }

  private static DataType flat(Json json, String name) {
    return switch (name) {
      case "null" -> DataType.NULL;
      case "bool" -> DataType.BOOL;
      case "int" -> new IntType(json.member("bitWidth").count(), json.member("isSigned").bool());
      case "floatingpoint" -> new FloatType(json.member("precision").constant(Precision.class).bits);
      case "decimal" -> {
        Json bits = json.optional("bitWidth");
        yield new DecimalType(bits == null ? 128 : bits.count(), json.member("precision").count(),
            (int) json.member("scale").integer(Integer.MIN_VALUE, Integer.MAX_VALUE));
      }
      case "utf8" -> DataType.UTF8;
      case "largeutf8" -> DataType.LARGE_UTF8;
      case "utf8view" -> DataType.UTF8_VIEW;
      case "binary" -> DataType.BINARY;
      case "largebinary" -> DataType.LARGE_BINARY;
      case "binaryview" -> DataType.BINARY_VIEW;
      case "fixedsizebinary" -> DataType.fixedSizeBinary(json.member("byteWidth").count());
      case "date" -> new DateType(json.member("unit").constant(DateUnit.class));
      case "time" -> time(json);
      case "timestamp" -> {
        Json zone = json.optional("timezone");
        yield DataType.timestamp(json.member("unit").constant(ArrowTimeUnit.class), zone == null ? null : zone.text());
      }
      case "duration" -> DataType.duration(json.member("unit").constant(ArrowTimeUnit.class));
      case "interval" -> new IntervalType(json.member("unit").constant(IntervalUnit.class));
      default -> throw json.fault("the type \"" + name + "\" is unknown");
    };
  }

  private static DataType time(Json json) {
    ArrowTimeUnit unit = json.member("unit").constant(ArrowTimeUnit.class);
    long bits = 8L * FixedWidth.bytes(DataType.time(unit));
    if (json.member("bitWidth").integer() != bits) {
      throw json.member("bitWidth").fault("a time in " + unit + " has " + bits + " bits");
    }
    return DataType.time(unit);
  }

  private static DataType union(Json json, List<Field> children) {
    List<Integer> typeIds = new ArrayList<>();
    for (Json id : json.member("typeIds").map(id -> id)) typeIds.add((int) id.integer(0, Byte.MAX_VALUE));
    return new UnionType(json.member("mode").constant(UnionMode.class), typeIds, children);
  }

  private static Field only(Json json, List<Field> children) {
    checkChildren(json, children, 1);
    return children.getFirst();
  }

  private static void checkChildren(Json json, List<Field> children, int expected) {
    if (children.size() != expected) {
      throw json.fault("the field has " + children.size() + " children, and its type has " + expected);
    }
  }

  /** The widths of floating-point numbers by their names in the format. */
  enum Precision {
    HALF(16),
    SINGLE(32),
    DOUBLE(64);

    final int bits;

    Precision(int bits) {
      this.bits = bits;
    }
  }
}
