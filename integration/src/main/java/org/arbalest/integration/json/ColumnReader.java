// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
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
import org.arbalest.device.types.NestedType.UnionMode;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/** Reads columns into buffers. */
final class ColumnReader {
  private static final int VIEW_BYTES = 16;
  private static final int MOST_INLINED = 12;

  private final Map<Long, Json> dictionaries;
  private final Buffers buffers;

  /**
   * Creates a reader.
   *
   * @param dictionaries the column of each dictionary by its id
   * @param buffers the owner of the buffers
   */
  ColumnReader(Map<Long, Json> dictionaries, Buffers buffers) {
    this.dictionaries = dictionaries;
    this.buffers = buffers;
  }

  /** Reads a record batch. */
  ArrayData batch(JsonSchema schema, Json json) {
    json.allow(List.of("count", "columns"));
    return new ArrayData(json.member("count").count(), 0, 0, noBitmap(),
        columns(schema.fields(), json.member("columns"), json.member("count").count()), null);
  }

  private List<ArrayData> columns(List<JsonField> fields, Json json, long count) {
    List<ArrayData> columns = children(fields, json);
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).length() != count) {
        throw json.at(i).fault("it has " + columns.get(i).length() + " elements instead of " + count);
      }
    }
    return columns;
  }

  private List<ArrayData> children(List<JsonField> fields, Json json) {
    json.sized(fields.size());
    List<ArrayData> children = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      Json child = json.at(i);
      String name = fields.get(i).field().name();
      if (!child.member("name").text().equals(name)) {
        throw child.fault("its name is \"" + child.member("name").text() + "\", but the schema's is \"" + name + "\"");
      }
      children.add(array(fields.get(i), child));
    }
    return children;
  }

  private ArrayData array(JsonField field, Json json) {
    Long id = field.dictionaryId();
    if (id == null || !(field.field().type() instanceof DictionaryType type)) return stored(field, json);
    Json values = dictionaries.get(id);
    if (values == null) throw json.fault("dictionary " + id + " is missing");
    ArrayData indices = fixedWidth(type.index(), json);
    return new ArrayData(indices.length(), indices.nullCount(), 0, indices.buffers(), List.of(),
        array(field.values(), values));
  }

  private ArrayData stored(JsonField field, Json json) {
    return switch (field.storedType()) {
      case FlatType flat -> flat(flat, json);
      case NestedType nested -> nested(nested, field, json);
    };
  }

  private ArrayData flat(FlatType type, Json json) {
    return switch (type) {
      case NullType _ -> {
        allow(json);
        yield ArrayData.of(count(json), count(json), List.of());
      }
      case BoolType _ -> {
        allow(json, "VALIDITY", "DATA");
        Bits validity = validity(json);
        Bits values = Bits.read(json.member("DATA").sized(count(json)), buffers);
        yield ArrayData.of(count(json), validity.unset(), list(validity.buffer(), values.buffer()));
      }
      case Utf8Type _ -> variable(json, Integer.BYTES, true);
      case LargeUtf8Type _ -> variable(json, Long.BYTES, true);
      case BinaryType _ -> variable(json, Integer.BYTES, false);
      case LargeBinaryType _ -> variable(json, Long.BYTES, false);
      case Utf8ViewType _ -> views(json, true);
      case BinaryViewType _ -> views(json, false);
      default -> fixedWidth(type, json);
    };
  }

  private ArrayData nested(NestedType type, JsonField field, Json json) {
    return switch (type) {
      case ListType _, MapType _ -> lists(field, json, Integer.BYTES);
      case LargeListType _ -> lists(field, json, Long.BYTES);
      case ListViewType _ -> listViews(field, json, Integer.BYTES);
      case LargeListViewType _ -> listViews(field, json, Long.BYTES);
      case FixedSizeListType list -> {
        allow(json, "VALIDITY", "children");
        Bits validity = validity(json);
        yield ArrayData.of(count(json), validity.unset(), list(validity.buffer()),
            columns(field.children(), json.member("children"), (long) count(json) * list.size()));
      }
      case StructType _ -> {
        allow(json, "VALIDITY", "children");
        Bits validity = validity(json);
        yield ArrayData.of(count(json), validity.unset(), list(validity.buffer()),
            columns(field.children(), json.member("children"), count(json)));
      }
      case UnionType union -> union(union, field, json);
      case RunEndEncodedType _ -> {
        allow(json, "children");
        yield ArrayData.of(count(json), 0, List.of(), children(field.children(), json.member("children")));
      }
      case DictionaryType _ -> throw json.fault("the format has no dictionaries of dictionaries");
    };
  }

  private ArrayData fixedWidth(DataType type, Json json) {
    allow(json, "VALIDITY", "DATA");
    int count = count(json);
    int width = FixedWidth.bytes(type);
    Bits validity = validity(json);
    Json values = json.member("DATA").sized(count);
    DeviceBuffer buffer = buffers.allocate((long) count * width);
    for (int i = 0; i < count; i++) {
      FixedWidth.read(type, values.at(i), buffer.segment().asSlice((long) i * width, width));
    }
    return ArrayData.of(count, validity.unset(), list(validity.buffer(), buffer));
  }

  private ArrayData variable(Json json, int offsetBytes, boolean isText) {
    allow(json, "VALIDITY", "OFFSET", "DATA");
    int count = count(json);
    Bits validity = validity(json);
    long[] offsets = offsets(json, offsetBytes);
    Json values = json.member("DATA").sized(count);
    DeviceBuffer data = buffers.allocate(offsets[count]);
    for (int i = 0; i < count; i++) {
      byte[] value = bytes(values.at(i), isText);
      long space = offsets[i + 1] - offsets[i];
      // a null has any bytes, and some writers leave them out
      if (value.length > space || (value.length < space && validity.get(i))) {
        throw values.at(i).fault("it has " + value.length + " bytes, but its offsets are " + offsets[i] + " and "
            + offsets[i + 1]);
      }
      data.segment().asSlice(offsets[i], value.length).copyFrom(MemorySegment.ofArray(value));
    }
    return ArrayData.of(count, validity.unset(),
        list(validity.buffer(), buffers.integers(offsets, offsetBytes), data));
  }

  private ArrayData views(Json json, boolean isText) {
    allow(json, "VALIDITY", "VIEWS", "VARIADIC_DATA_BUFFERS");
    int count = count(json);
    Bits validity = validity(json);
    Json views = json.member("VIEWS").sized(count);
    DeviceBuffer buffer = buffers.allocate((long) count * VIEW_BYTES);
    for (int i = 0; i < count; i++) {
      view(views.at(i), isText, buffer.segment().asSlice((long) i * VIEW_BYTES, VIEW_BYTES));
    }
    List<@Nullable DeviceBuffer> all = list(validity.buffer(), buffer);
    for (byte[] bytes : json.member("VARIADIC_DATA_BUFFERS").map(FixedWidth::hex)) {
      DeviceBuffer data = buffers.allocate(bytes.length);
      data.segment().copyFrom(MemorySegment.ofArray(bytes));
      all.add(data);
    }
    return ArrayData.of(count, validity.unset(), all);
  }

  private static void view(Json json, boolean isText, MemorySegment to) {
    int size = json.member("SIZE").count();
    FixedWidth.putLong(4, size, to);
    if (size <= MOST_INLINED) {
      json.allow(List.of("SIZE", "INLINED"));
      Json inlined = json.member("INLINED");
      byte[] value = bytes(inlined, isText);
      if (value.length != size) throw inlined.fault("it has " + value.length + " bytes instead of " + size);
      to.asSlice(4, size).copyFrom(MemorySegment.ofArray(value));
      return;
    }
    json.allow(List.of("SIZE", "PREFIX_HEX", "BUFFER_INDEX", "OFFSET"));
    to.asSlice(4, 4).copyFrom(MemorySegment.ofArray(FixedWidth.hex(json.member("PREFIX_HEX"), 4)));
    FixedWidth.putLong(4, json.member("BUFFER_INDEX").count(), to.asSlice(8));
    FixedWidth.putLong(4, json.member("OFFSET").count(), to.asSlice(12));
  }

  private ArrayData lists(JsonField field, Json json, int offsetBytes) {
    allow(json, "VALIDITY", "OFFSET", "children");
    Bits validity = validity(json);
    DeviceBuffer offsets = buffers.integers(offsets(json, offsetBytes), offsetBytes);
    return ArrayData.of(count(json), validity.unset(), list(validity.buffer(), offsets),
        children(field.children(), json.member("children")));
  }

  private ArrayData listViews(JsonField field, Json json, int offsetBytes) {
    allow(json, "VALIDITY", "OFFSET", "SIZE", "children");
    int count = count(json);
    Bits validity = validity(json);
    DeviceBuffer offsets = buffers.integers(integers(json.member("OFFSET").sized(count), offsetBytes), offsetBytes);
    DeviceBuffer sizes = buffers.integers(integers(json.member("SIZE").sized(count), offsetBytes), offsetBytes);
    return ArrayData.of(count, validity.unset(), list(validity.buffer(), offsets, sizes),
        children(field.children(), json.member("children")));
  }

  private ArrayData union(UnionType type, JsonField field, Json json) {
    boolean isDense = type.mode() == UnionMode.DENSE;
    int count = count(json);
    if (isDense) {
      allow(json, "VALIDITY", "TYPE_ID", "OFFSET", "children");
    } else {
      allow(json, "VALIDITY", "TYPE_ID", "children");
    }
    checkNoNulls(json.optional("VALIDITY"), count);
    List<@Nullable DeviceBuffer> all = list(buffers.integers(integers(json.member("TYPE_ID").sized(count), 1), 1));
    if (isDense) all.add(buffers.integers(integers(json.member("OFFSET").sized(count), 4), 4));
    Json nested = json.member("children");
    return ArrayData.of(count, 0, all,
        isDense ? children(field.children(), nested) : columns(field.children(), nested, count));
  }

  /** Checks the bitmap that unions had before version 5 of Arrow's files. */
  private static void checkNoNulls(@Nullable Json validity, int count) {
    if (validity == null) return;
    validity.sized(count);
    for (int i = 0; i < count; i++) {
      if (!validity.at(i).bool()) throw validity.at(i).fault("unions have no nulls of their own");
    }
  }

  private Bits validity(Json json) {
    return Bits.validity(json.member("VALIDITY").sized(count(json)), buffers);
  }

  /** Returns the offsets of elements, one more than elements. A column without elements may have none. */
  private static long[] offsets(Json json, int bytes) {
    int count = count(json);
    Json offsets = json.member("OFFSET");
    if (count == 0 && offsets.size() == 0) return new long[1];
    long[] values = integers(offsets.sized(count + 1L), bytes);
    for (int i = 0; i < count; i++) {
      if (values[i + 1] < values[i]) {
        throw offsets.at(i + 1).fault(values[i + 1] + " is less than the offset before it, " + values[i]);
      }
    }
    return values;
  }

  private static long[] integers(Json json, int bytes) {
    long most = bytes == Long.BYTES ? Long.MAX_VALUE : (1L << (8 * bytes - 1)) - 1;
    long[] values = new long[json.size()];
    Arrays.setAll(values, i -> json.at(i).integer(0, most));
    return values;
  }

  private static byte[] bytes(Json json, boolean isText) {
    if (!isText) return FixedWidth.hex(json);
    if (!UTF_8.newEncoder().canEncode(json.text())) throw json.fault("the text has an unpaired surrogate");
    return json.text().getBytes(UTF_8);
  }

  private static int count(Json json) {
    return json.member("count").count();
  }

  private static void allow(Json json, String... members) {
    List<String> all = new ArrayList<>(List.of("name", "count"));
    all.addAll(List.of(members));
    json.allow(all);
  }

  private static List<@Nullable DeviceBuffer> noBitmap() {
    return list((DeviceBuffer) null);
  }

  private static List<@Nullable DeviceBuffer> list(@Nullable DeviceBuffer... buffers) {
    List<@Nullable DeviceBuffer> list = new ArrayList<>();
    for (DeviceBuffer buffer : buffers) list.add(buffer);
    return list;
  }
}
