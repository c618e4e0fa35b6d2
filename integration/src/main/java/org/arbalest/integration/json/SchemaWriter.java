// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
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

/** Writes schemas. */
final class SchemaWriter {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private SchemaWriter() {}

  static ObjectNode schema(JsonSchema schema) {
    ObjectNode json = NODES.objectNode();
    ArrayNode fields = json.putArray("fields");
    for (JsonField field : schema.fields()) fields.add(field(field));
    putMetadata(json, schema.metadata());
    return json;
  }

  private static ObjectNode field(JsonField source) {
    Field field = source.field();
    ObjectNode json = NODES.objectNode();
    json.put("name", field.name());
    json.set("type", type(source.storedType()));
    json.put("nullable", field.isNullable());
    ArrayNode children = json.putArray("children");
    for (JsonField child : source.children()) children.add(field(child));
    if (field.type() instanceof DictionaryType dictionary) {
      ObjectNode encoding = json.putObject("dictionary");
      encoding.put("id", source.dictionaryId());
      encoding.set("indexType", type(dictionary.index()));
      encoding.put("isOrdered", dictionary.ordered());
    }
    putMetadata(json, field.metadata());
    return json;
  }

  private static void putMetadata(ObjectNode json, Metadata metadata) {
    if (metadata.isEmpty()) return;
    ArrayNode pairs = json.putArray("metadata");
    for (Metadata.Entry entry : metadata.entries()) {
      pairs.addObject().put("key", entry.key()).put("value", entry.value());
    }
  }

  private static ObjectNode type(DataType type) {
    return switch (type) {
      case FlatType flat -> flat(flat);
      case NestedType nested -> nested(nested);
    };
  }

  private static ObjectNode flat(FlatType type) {
    return switch (type) {
      case NullType _ -> named("null");
      case BoolType _ -> named("bool");
      case IntType(int bits, boolean isSigned) -> named("int").put("isSigned", isSigned).put("bitWidth", bits);
      case FloatType(int bits) -> named("floatingpoint").put("precision",
          bits == 16 ? "HALF" : bits == 32 ? "SINGLE" : "DOUBLE");
      case DecimalType(int bits, int precision, int scale) ->
          named("decimal").put("precision", precision).put("scale", scale).put("bitWidth", bits);
      case Utf8Type _ -> named("utf8");
      case LargeUtf8Type _ -> named("largeutf8");
      case Utf8ViewType _ -> named("utf8view");
      case BinaryType _ -> named("binary");
      case LargeBinaryType _ -> named("largebinary");
      case BinaryViewType _ -> named("binaryview");
      case FixedSizeBinaryType(int width) -> named("fixedsizebinary").put("byteWidth", width);
      case DateType(DateUnit unit) -> named("date").put("unit", unit.name());
      case TimeType time ->
          named("time").put("unit", time.unit().name()).put("bitWidth", 8 * FixedWidth.bytes(time));
      case TimestampType timestamp -> {
        ObjectNode json = named("timestamp").put("unit", timestamp.unit().name());
        yield timestamp.timezone() == null ? json : json.put("timezone", timestamp.timezone());
      }
      case DurationType duration -> named("duration").put("unit", duration.unit().name());
      case IntervalType(IntervalUnit unit) -> named("interval").put("unit", unit.name());
    };
  }

  private static ObjectNode nested(NestedType type) {
    return switch (type) {
      case ListType _ -> named("list");
      case LargeListType _ -> named("largelist");
      case ListViewType _ -> named("listview");
      case LargeListViewType _ -> named("largelistview");
      case FixedSizeListType list -> named("fixedsizelist").put("listSize", list.size());
      case StructType _ -> named("struct");
      case MapType map -> named("map").put("keysSorted", map.keysSorted());
      case UnionType union -> {
        ObjectNode json = named("union").put("mode", union.mode().name());
        union.typeIds().forEach(json.putArray("typeIds")::add);
        yield json;
      }
      case RunEndEncodedType _ -> named("runendencoded");
      case DictionaryType _ -> throw new IllegalArgumentException("the format has no dictionaries of dictionaries");
    };
  }

  private static ObjectNode named(String name) {
    return NODES.objectNode().put("name", name);
  }
}
