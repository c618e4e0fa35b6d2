// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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

/**
 * Writes arrays as columns: the visible range only, with offsets that begin with 0. It reads the buffers themselves, so
 * that a test of an array's columns does not depend on this class, nor the other way round.
 */
final class ColumnWriter {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int VIEW_BYTES = 16;
  private static final int MOST_INLINED = 12;

  private final SortedMap<Long, ObjectNode> dictionaries = new TreeMap<>();

  /** Returns the column of each dictionary that was used so far, by its id. */
  SortedMap<Long, ObjectNode> dictionaries() {
    return dictionaries;
  }

  /** Writes a record batch, whose own bitmap is ignored: the format has none. */
  ObjectNode batch(JsonSchema schema, ArrayData batch) {
    ObjectNode json = NODES.objectNode().put("count", batch.length());
    addChildren(schema.fields(), batch, batch.offset(), batch.length(), json.putArray("columns"));
    return json;
  }

  /**
   * Writes an array.
   *
   * @param start the first element in the buffers, including the array's own offset
   */
  private ObjectNode column(JsonField field, ArrayData data, long start, long count) {
    ObjectNode json = NODES.objectNode().put("name", field.field().name()).put("count", count);
    Long id = field.dictionaryId();
    if (id != null && field.field().type() instanceof DictionaryType type) {
      addDictionary(id, field, data.dictionary());
      fixedWidth(type.index(), data, start, count, json);
      return json;
    }
    switch (field.storedType()) {
      case FlatType flat -> flat(flat, data, start, count, json);
      case NestedType nested -> nested(nested, field, data, start, count, json);
    }
    return json;
  }

  private void addDictionary(long id, JsonField field, @Nullable ArrayData values) {
    if (values == null) throw new IllegalArgumentException("\"" + field.field().name() + "\" has no dictionary");
    JsonField named = new JsonField(field.values().field().withName("DICT" + id), null, field.children());
    ObjectNode column = column(named, values, values.offset(), values.length());
    ObjectNode before = dictionaries.putIfAbsent(id, column);
    if (before != null && !before.equals(column)) {
      throw new IllegalArgumentException("dictionary " + id + " has other values in \"" + field.field().name()
          + "\" than before, which the format cannot express");
    }
  }

  private void flat(FlatType type, ArrayData data, long start, long count, ObjectNode json) {
    switch (type) {
      case NullType _ -> {}
      case BoolType _ -> {
        putValidity(data, start, count, json);
        ArrayNode values = json.putArray("DATA");
        for (long i = start; i < start + count; i++) values.add(Bits.get(buffer(data, 1), i));
      }
      case Utf8Type _ -> variable(data, start, count, Integer.BYTES, true, json);
      case LargeUtf8Type _ -> variable(data, start, count, Long.BYTES, true, json);
      case BinaryType _ -> variable(data, start, count, Integer.BYTES, false, json);
      case LargeBinaryType _ -> variable(data, start, count, Long.BYTES, false, json);
      case Utf8ViewType _ -> views(data, start, count, true, json);
      case BinaryViewType _ -> views(data, start, count, false, json);
      default -> fixedWidth(type, data, start, count, json);
    }
  }

  private void nested(NestedType type, JsonField field, ArrayData data, long start, long count, ObjectNode json) {
    switch (type) {
      case ListType _, MapType _ -> lists(field, data, start, count, Integer.BYTES, json);
      case LargeListType _ -> lists(field, data, start, count, Long.BYTES, json);
      case ListViewType _ -> listViews(field, data, start, count, Integer.BYTES, json);
      case LargeListViewType _ -> listViews(field, data, start, count, Long.BYTES, json);
      case FixedSizeListType list -> {
        putValidity(data, start, count, json);
        addChildren(field.children(), data, start * list.size(), count * list.size(), json.putArray("children"));
      }
      case StructType _ -> {
        putValidity(data, start, count, json);
        addChildren(field.children(), data, start, count, json.putArray("children"));
      }
      case UnionType union -> {
        putIntegers(buffer(data, 0), 1, start, count, 0, json.putArray("TYPE_ID"));
        if (union.mode() == UnionMode.SPARSE) {
          addChildren(field.children(), data, start, count, json.putArray("children"));
        } else {
          putIntegers(buffer(data, 1), Integer.BYTES, start, count, 0, json.putArray("OFFSET"));
          addWholeChildren(field.children(), data, json.putArray("children"));
        }
      }
      case RunEndEncodedType runs -> runEnds(runs, field, data, start, count, json.putArray("children"));
      case DictionaryType _ -> throw new IllegalArgumentException("the format has no dictionaries of dictionaries");
    }
  }

  private void fixedWidth(DataType type, ArrayData data, long start, long count, ObjectNode json) {
    putValidity(data, start, count, json);
    int width = FixedWidth.bytes(type);
    ArrayNode values = json.putArray("DATA");
    for (long i = start; i < start + count; i++) {
      values.add(FixedWidth.write(type, buffer(data, 1).segment().asSlice(i * width, width)));
    }
  }

  private void variable(ArrayData data, long start, long count, int width, boolean isText, ObjectNode json) {
    putValidity(data, start, count, json);
    putOffsets(data, start, count, width, json);
    ArrayNode values = json.putArray("DATA");
    for (long i = start; i < start + count; i++) {
      long first = integer(buffer(data, 1), width, i);
      long size = integer(buffer(data, 1), width, i + 1) - first;
      byte[] value = buffer(data, 2).segment().asSlice(first, size).toArray(ValueLayout.JAVA_BYTE);
      values.add(isText ? text(value, isNull(data, i)) : FixedWidth.HEX.formatHex(value));
    }
  }

  private void views(ArrayData data, long start, long count, boolean isText, ObjectNode json) {
    putValidity(data, start, count, json);
    ArrayNode views = json.putArray("VIEWS");
    for (long i = start; i < start + count; i++) {
      // the view of a null may have any content
      views.add(isNull(data, i) ? NODES.objectNode().put("SIZE", 0).put("INLINED", "")
          : view(buffer(data, 1).segment().asSlice(i * VIEW_BYTES, VIEW_BYTES), isText));
    }
    ArrayNode variadic = json.putArray("VARIADIC_DATA_BUFFERS");
    for (int i = 2; i < data.buffers().size(); i++) {
      variadic.add(FixedWidth.HEX.formatHex(buffer(data, i).segment().toArray(ValueLayout.JAVA_BYTE)));
    }
  }

  private static ObjectNode view(MemorySegment view, boolean isText) {
    int size = (int) FixedWidth.getLong(view.asSlice(0, 4));
    ObjectNode json = NODES.objectNode().put("SIZE", size);
    if (size <= MOST_INLINED) {
      byte[] value = view.asSlice(4, size).toArray(ValueLayout.JAVA_BYTE);
      return json.put("INLINED", isText ? text(value, false) : FixedWidth.HEX.formatHex(value));
    }
    return json.put("PREFIX_HEX", FixedWidth.HEX.formatHex(view.asSlice(4, 4).toArray(ValueLayout.JAVA_BYTE)))
        .put("BUFFER_INDEX", FixedWidth.getLong(view.asSlice(8, 4)))
        .put("OFFSET", FixedWidth.getLong(view.asSlice(12, 4)));
  }

  private void lists(JsonField field, ArrayData data, long start, long count, int width, ObjectNode json) {
    putValidity(data, start, count, json);
    putOffsets(data, start, count, width, json);
    long first = count == 0 ? 0 : integer(buffer(data, 1), width, start);
    long end = count == 0 ? 0 : integer(buffer(data, 1), width, start + count);
    addChildren(field.children(), data, first, end - first, json.putArray("children"));
  }

  private void listViews(JsonField field, ArrayData data, long start, long count, int width, ObjectNode json) {
    putValidity(data, start, count, json);
    putIntegers(buffer(data, 1), width, start, count, 0, json.putArray("OFFSET"));
    putIntegers(buffer(data, 2), width, start, count, 0, json.putArray("SIZE"));
    addWholeChildren(field.children(), data, json.putArray("children"));
  }

  /** Writes the runs of a range of rows, cut at both ends. */
  private void runEnds(RunEndEncodedType type, JsonField field, ArrayData data, long start, long count, ArrayNode to) {
    ArrayData ends = data.children().get(0);
    ArrayData values = data.children().get(1);
    int width = FixedWidth.bytes(type.runEnds().type());
    ObjectNode json = NODES.objectNode().put("name", type.runEnds().name());
    ArrayNode cut = NODES.arrayNode();
    long run = 0;
    while (count > 0 && integer(buffer(ends, 1), width, ends.offset() + run) <= start) run++;
    long first = run;
    for (long end = start; count > 0 && end < start + count; run++) {
      end = integer(buffer(ends, 1), width, ends.offset() + run);
      long visible = Math.min(end, start + count) - start;
      if (width == Long.BYTES) cut.add(Long.toString(visible));
      else cut.add(visible);
    }
    json.put("count", cut.size());
    Bits.write(null, 0, cut.size(), json.putArray("VALIDITY"));
    json.set("DATA", cut);
    to.add(json).add(column(field.children().get(1), values, values.offset() + first, run - first));
  }

  private void addChildren(List<JsonField> fields, ArrayData data, long start, long count, ArrayNode to) {
    for (int i = 0; i < fields.size(); i++) {
      ArrayData child = data.children().get(i);
      to.add(column(fields.get(i), child, child.offset() + start, count));
    }
  }

  private void addWholeChildren(List<JsonField> fields, ArrayData data, ArrayNode to) {
    for (int i = 0; i < fields.size(); i++) {
      ArrayData child = data.children().get(i);
      to.add(column(fields.get(i), child, child.offset(), child.length()));
    }
  }

  private static void putValidity(ArrayData data, long start, long count, ObjectNode json) {
    Bits.write(data.buffers().get(0), start, count, json.putArray("VALIDITY"));
  }

  private static void putOffsets(ArrayData data, long start, long count, int width, ObjectNode json) {
    ArrayNode to = json.putArray("OFFSET");
    if (count == 0) {
      putInteger(0, width, to); // also where a producer left the buffer out
    } else {
      putIntegers(buffer(data, 1), width, start, count + 1, integer(buffer(data, 1), width, start), to);
    }
  }

  private static void putIntegers(DeviceBuffer from, int width, long start, long count, long minus, ArrayNode to) {
    for (long i = start; i < start + count; i++) putInteger(integer(from, width, i) - minus, width, to);
  }

  private static void putInteger(long value, int width, ArrayNode to) {
    if (width == Long.BYTES) to.add(Long.toString(value));
    else to.add(value);
  }

  private static long integer(DeviceBuffer from, int width, long index) {
    return FixedWidth.getLong(from.segment().asSlice(index * width, width));
  }

  private static boolean isNull(ArrayData data, long index) {
    return !Bits.get(data.buffers().get(0), index);
  }

  private static String text(byte[] value, boolean isNull) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException e) {
      if (isNull) return "";
      throw new IllegalArgumentException("the bytes " + FixedWidth.HEX.formatHex(value) + " are not UTF-8", e);
    }
  }

  private static DeviceBuffer buffer(ArrayData data, int index) {
    DeviceBuffer buffer = data.buffers().get(index);
    if (buffer == null) throw new IllegalArgumentException("buffer " + index + " is missing");
    return buffer;
  }
}
