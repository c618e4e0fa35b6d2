// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.BinaryView;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.LargeBinary;
import org.apache.arrow.flatbuf.LargeList;
import org.apache.arrow.flatbuf.LargeListView;
import org.apache.arrow.flatbuf.LargeUtf8;
import org.apache.arrow.flatbuf.ListView;
import org.apache.arrow.flatbuf.Null;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RunEndEncoded;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;
import org.apache.arrow.flatbuf.Utf8;
import org.apache.arrow.flatbuf.Utf8View;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
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

/** Writes schemas and metadata into messages and footers. */
public final class SchemaWriter {
  private final FlatBufferBuilder target;

  /** Creates a writer into a builder. */
  public SchemaWriter(FlatBufferBuilder target) {
    this.target = target;
  }

  /**
   * Writes a schema, and returns its offset.
   *
   * @throws IllegalArgumentException if a dictionary's values are a dictionary themselves, which the format cannot
   *     express
   */
  public int schema(IpcSchema schema) {
    int[] fields = new int[schema.columnCount()];
    for (int i = 0; i < fields.length; i++) fields[i] = field(schema.column(i), schema.column(i).field.isNullable());
    int vector = org.apache.arrow.flatbuf.Schema.createFieldsVector(target, fields);
    return org.apache.arrow.flatbuf.Schema.createSchema(target, Endianness.Little, vector,
        metadata(schema.schema.metadata()), 0);
  }

  /** Writes pairs of custom metadata, and returns the offset of the vector; 0 for none. */
  public int metadata(Metadata metadata) {
    List<Metadata.Entry> entries = metadata.entries();
    if (entries.isEmpty()) return 0;
    int[] pairs = new int[entries.size()];
    for (int i = 0; i < pairs.length; i++) {
      int key = text(entries.get(i).keyBytes());
      pairs[i] = KeyValue.createKeyValue(target, key, text(entries.get(i).valueBytes()));
    }
    return target.createVectorOfTables(pairs);
  }

  /** Writes bytes as a string: the format has metadata of bytes that need not be UTF-8. */
  private int text(byte[] bytes) {
    target.addByte((byte) 0);
    target.startVector(1, bytes.length, 1);
    for (int i = bytes.length - 1; i >= 0; i--) target.addByte(bytes[i]);
    return target.endVector();
  }

  private int field(IpcField source, boolean isNullable) {
    IpcField values = source.values;
    IpcField stored = values == null ? source : values;
    if (stored.field.type() instanceof DictionaryType) throw new IllegalArgumentException("the field \""
        + source.field.name() + "\" is a dictionary of dictionaries, which the IPC format cannot express");
    int[] children = new int[stored.childCount()];
    boolean isMap = stored.field.type() instanceof MapType; // whose entries have no nulls, and say so
    for (int i = 0; i < children.length; i++) {
      children[i] = field(stored.child(i), !isMap && stored.child(i).field.isNullable());
    }
    int childVector = org.apache.arrow.flatbuf.Field.createChildrenVector(target, children);
    int name = text(source.field.name().getBytes(StandardCharsets.UTF_8));
    int type = type(stored.field.type());
    int dictionary = values == null ? 0 : dictionary(source);
    return org.apache.arrow.flatbuf.Field.createField(target, name, isNullable,
        typeId(stored.field.type()), type, dictionary, childVector, metadata(metadata(source)));
  }

  /**
   * Returns the metadata of a field. The format has no place for that of a dictionary's values. As in Arrow C++, their
   * extension type becomes that of the field.
   */
  private static Metadata metadata(IpcField source) {
    IpcField values = source.values;
    Metadata own = source.field.metadata();
    if (values == null || source.field.extensionName() != null || values.field.extensionName() == null) return own;
    List<Metadata.Entry> all = new ArrayList<>(own.entries());
    all.addAll(values.field.metadata().entries());
    return Metadata.of(all);
  }

  private int dictionary(IpcField source) {
    DictionaryType type = (DictionaryType) source.field.type();
    int index = Int.createInt(target, type.index().bits(), type.index().signed());
    return DictionaryEncoding.createDictionaryEncoding(target, source.dictionaryId, index, type.ordered(), (short) 0);
  }

  /** Writes the parameters of a type, and returns the offset of the table. */
  private int type(DataType type) {
    return switch (type) {
      case FlatType flat -> flat(flat);
      case NestedType nested -> nested(nested);
    };
  }

  private int flat(FlatType type) {
    return switch (type) {
      case NullType _ -> empty(Null::startNull, Null::endNull);
      case BoolType _ -> empty(Bool::startBool, Bool::endBool);
      case IntType(int bits, boolean isSigned) -> Int.createInt(target, bits, isSigned);
      case FloatType(int bits) -> FloatingPoint.createFloatingPoint(target,
          bits == 16 ? Precision.HALF : bits == 32 ? Precision.SINGLE : Precision.DOUBLE);
      case DecimalType(int bits, int precision, int scale) -> Decimal.createDecimal(target, precision, scale, bits);
      case Utf8Type _ -> empty(Utf8::startUtf8, Utf8::endUtf8);
      case LargeUtf8Type _ -> empty(LargeUtf8::startLargeUtf8, LargeUtf8::endLargeUtf8);
      case Utf8ViewType _ -> empty(Utf8View::startUtf8View, Utf8View::endUtf8View);
      case BinaryType _ -> empty(Binary::startBinary, Binary::endBinary);
      case LargeBinaryType _ -> empty(LargeBinary::startLargeBinary, LargeBinary::endLargeBinary);
      case BinaryViewType _ -> empty(BinaryView::startBinaryView, BinaryView::endBinaryView);
      case FixedSizeBinaryType(int width) -> FixedSizeBinary.createFixedSizeBinary(target, width);
      case DateType date -> Date.createDate(target, number(date.unit()));
      case TimeType time -> Time.createTime(target, number(time.unit()), IpcField.timeBits(time));
      case TimestampType timestamp -> {
        String zone = timestamp.timezone();
        int text = zone == null ? 0 : text(zone.getBytes(StandardCharsets.UTF_8));
        yield Timestamp.createTimestamp(target, number(timestamp.unit()), text);
      }
      case DurationType duration -> Duration.createDuration(target, number(duration.unit()));
      case IntervalType interval -> Interval.createInterval(target, number(interval.unit()));
    };
  }

  private int nested(NestedType type) {
    return switch (type) {
      case ListType _ -> empty(org.apache.arrow.flatbuf.List::startList, org.apache.arrow.flatbuf.List::endList);
      case LargeListType _ -> empty(LargeList::startLargeList, LargeList::endLargeList);
      case ListViewType _ -> empty(ListView::startListView, ListView::endListView);
      case LargeListViewType _ -> empty(LargeListView::startLargeListView, LargeListView::endLargeListView);
      case FixedSizeListType list -> FixedSizeList.createFixedSizeList(target, list.size());
      case StructType _ -> empty(Struct_::startStruct_, Struct_::endStruct_);
      case MapType map -> org.apache.arrow.flatbuf.Map.createMap(target, map.keysSorted());
      case UnionType union -> {
        int ids = Union.createTypeIdsVector(target, union.typeIds().stream().mapToInt(id -> id).toArray());
        yield Union.createUnion(target,
            union.mode() == NestedType.UnionMode.DENSE ? UnionMode.Dense : UnionMode.Sparse, ids);
      }
      case RunEndEncodedType _ -> empty(RunEndEncoded::startRunEndEncoded, RunEndEncoded::endRunEndEncoded);
      case DictionaryType _ -> throw new IllegalStateException("the values of a dictionary are written, not its type");
    };
  }

  private static short number(DateUnit unit) {
    return switch (unit) {
      case DAY -> org.apache.arrow.flatbuf.DateUnit.DAY;
      case MILLISECOND -> org.apache.arrow.flatbuf.DateUnit.MILLISECOND;
    };
  }

  private static short number(ArrowTimeUnit unit) {
    return switch (unit) {
      case SECOND -> TimeUnit.SECOND;
      case MILLISECOND -> TimeUnit.MILLISECOND;
      case MICROSECOND -> TimeUnit.MICROSECOND;
      case NANOSECOND -> TimeUnit.NANOSECOND;
    };
  }

  private static short number(IntervalUnit unit) {
    return switch (unit) {
      case YEAR_MONTH -> org.apache.arrow.flatbuf.IntervalUnit.YEAR_MONTH;
      case DAY_TIME -> org.apache.arrow.flatbuf.IntervalUnit.DAY_TIME;
      case MONTH_DAY_NANO -> org.apache.arrow.flatbuf.IntervalUnit.MONTH_DAY_NANO;
    };
  }

  private interface Start {
    void start(FlatBufferBuilder target);
  }

  private interface End {
    int end(FlatBufferBuilder target);
  }

  private int empty(Start start, End end) {
    start.start(target);
    return end.end(target);
  }

  private static byte typeId(DataType type) {
    return switch (type) {
      case FlatType flat -> switch (flat) {
        case NullType _ -> Type.Null;
        case BoolType _ -> Type.Bool;
        case IntType _ -> Type.Int;
        case FloatType _ -> Type.FloatingPoint;
        case DecimalType _ -> Type.Decimal;
        case Utf8Type _ -> Type.Utf8;
        case LargeUtf8Type _ -> Type.LargeUtf8;
        case Utf8ViewType _ -> Type.Utf8View;
        case BinaryType _ -> Type.Binary;
        case LargeBinaryType _ -> Type.LargeBinary;
        case BinaryViewType _ -> Type.BinaryView;
        case FixedSizeBinaryType _ -> Type.FixedSizeBinary;
        case DateType _ -> Type.Date;
        case TimeType _ -> Type.Time;
        case TimestampType _ -> Type.Timestamp;
        case DurationType _ -> Type.Duration;
        case IntervalType _ -> Type.Interval;
      };
      case NestedType nested -> switch (nested) {
        case ListType _ -> Type.List;
        case LargeListType _ -> Type.LargeList;
        case ListViewType _ -> Type.ListView;
        case LargeListViewType _ -> Type.LargeListView;
        case FixedSizeListType _ -> Type.FixedSizeList;
        case StructType _ -> Type.Struct_;
        case MapType _ -> Type.Map;
        case UnionType _ -> Type.Union;
        case RunEndEncodedType _ -> Type.RunEndEncoded;
        case DictionaryType _ ->
            throw new IllegalStateException("the values of a dictionary are written, not its type");
      };
    };
  }
}
