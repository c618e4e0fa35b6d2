// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.IntFunction;
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
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** Reads the schema of a verified message or footer. */
public final class SchemaReader {
  private final long position;

  /** The ids of dictionaries, in the order in which {@link IpcField#of} needs them. */
  private final List<Long> ids = new ArrayList<>();

  private SchemaReader(long position) {
    this.position = position;
  }

  /**
   * Reads a schema.
   *
   * @param position the position of the message, for errors
   * @throws IpcException if the schema has a type or value that the format does not allow, or is big-endian
   */
  public static IpcSchema read(org.apache.arrow.flatbuf.Schema schema, long position) {
    if (schema.endianness() != Endianness.Little) {
      throw new IpcException(position, "the data is big-endian, which this library does not read");
    }
    SchemaReader reader = new SchemaReader(position);
    try {
      List<Field> fields = reader.fields(schema.fieldsLength(), schema::fields);
      Metadata metadata = metadata(schema.customMetadataLength(), schema::customMetadata);
      Iterator<Long> next = reader.ids.iterator();
      return new IpcSchema(Schema.of(fields, metadata), next::next);
    } catch (IllegalArgumentException e) { // of a type or field with impossible parameters
      throw new IpcException(position, "the schema is malformed: " + e.getMessage(), e);
    }
  }

  /** Reads pairs of custom metadata. A missing key or value is empty. */
  public static Metadata metadata(int count, IntFunction<KeyValue> pairs) {
    if (count == 0) return Metadata.empty();
    List<Metadata.Entry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      KeyValue pair = pairs.apply(i);
      entries.add(new Metadata.Entry(bytes(pair.keyAsByteBuffer()), bytes(pair.valueAsByteBuffer())));
    }
    return Metadata.of(entries);
  }

  /**
   * Throws unless the version is one that this library reads.
   *
   * @param position the position of the message, for errors
   */
  public static void checkVersion(short version, long position) {
    if (version == MetadataVersion.V4 || version == MetadataVersion.V5) return;
    String name = version >= 0 && version < MetadataVersion.names.length ? MetadataVersion.names[version]
        : "number " + version;
    throw new IpcException(position, "the version of the metadata is " + name + ", but only V4 and V5 are readable");
  }

  private List<Field> fields(int count, IntFunction<org.apache.arrow.flatbuf.Field> source) {
    List<Field> fields = new ArrayList<>(count);
    for (int i = 0; i < count; i++) fields.add(field(source.apply(i)));
    return fields;
  }

  private Field field(org.apache.arrow.flatbuf.Field source) {
    DictionaryEncoding encoding = source.dictionary();
    if (encoding != null) {
      if (encoding.dictionaryKind() != 0)
        throw malformed("dictionary kind " + encoding.dictionaryKind() + " is unknown");
      ids.add(encoding.id());
    }
    DataType type = type(source, fields(source.childrenLength(), source::children));
    if (encoding != null) {
      Int index = encoding.indexType();
      IntType indices = index == null ? DataType.INT32 : new IntType(index.bitWidth(), index.isSigned());
      type = new NestedType.DictionaryType(indices, Field.of("", type), encoding.isOrdered());
    }
    return Field.of(text("the name of a field", source.nameAsByteBuffer()), type)
        .withNullable(source.nullable())
        .withMetadata(metadata(source.customMetadataLength(), source::customMetadata));
  }

  private DataType type(org.apache.arrow.flatbuf.Field field, List<Field> children) {
    byte type = field.typeType();
    checkChildren(type, children);
    return switch (type) {
      case Type.Null -> DataType.NULL;
      case Type.Bool -> DataType.BOOL;
      case Type.Utf8 -> DataType.UTF8;
      case Type.LargeUtf8 -> DataType.LARGE_UTF8;
      case Type.Utf8View -> DataType.UTF8_VIEW;
      case Type.Binary -> DataType.BINARY;
      case Type.LargeBinary -> DataType.LARGE_BINARY;
      case Type.BinaryView -> DataType.BINARY_VIEW;
      case Type.List -> new NestedType.ListType(children.getFirst());
      case Type.LargeList -> new NestedType.LargeListType(children.getFirst());
      case Type.ListView -> new NestedType.ListViewType(children.getFirst());
      case Type.LargeListView -> new NestedType.LargeListViewType(children.getFirst());
      case Type.Struct_ -> new NestedType.StructType(children);
      case Type.RunEndEncoded -> new NestedType.RunEndEncodedType(children.get(0), children.get(1));
      default -> withParameters(type, field, children);
    };
  }

  private DataType withParameters(byte type, org.apache.arrow.flatbuf.Field field, List<Field> children) {
    return switch (type) {
      case Type.Int -> {
        Int ints = table(field, new Int());
        yield new IntType(ints.bitWidth(), ints.isSigned());
      }
      case Type.FloatingPoint -> new FloatType(switch (table(field, new FloatingPoint()).precision()) {
        case Precision.HALF -> 16;
        case Precision.SINGLE -> 32;
        case Precision.DOUBLE -> 64;
        default -> throw malformed("the precision of a floating-point type is unknown");
      });
      case Type.Decimal -> {
        Decimal decimal = table(field, new Decimal());
        yield new DecimalType(decimal.bitWidth(), decimal.precision(), decimal.scale());
      }
      case Type.Date -> new DateType(constant("date unit", DateUnit.values(), table(field, new Date()).unit()));
      case Type.Time -> time(table(field, new Time()));
      case Type.Timestamp -> {
        Timestamp timestamp = table(field, new Timestamp());
        ByteBuffer zone = timestamp.timezoneAsByteBuffer();
        yield new TimestampType(unit(timestamp.unit()), zone == null ? null : text("a time zone", zone));
      }
      case Type.Duration -> new DurationType(unit(table(field, new Duration()).unit()));
      case Type.Interval ->
          new IntervalType(constant("interval unit", IntervalUnit.values(), table(field, new Interval()).unit()));
      case Type.FixedSizeBinary -> new FixedSizeBinaryType(table(field, new FixedSizeBinary()).byteWidth());
      case Type.FixedSizeList ->
          new NestedType.FixedSizeListType(children.getFirst(), table(field, new FixedSizeList()).listSize());
      case Type.Map -> new NestedType.MapType(children.getFirst(),
          table(field, new org.apache.arrow.flatbuf.Map()).keysSorted());
      case Type.Union -> union(table(field, new Union()), children);
      default -> throw malformed("type " + type + " is unknown");
    };
  }

  private TimeType time(Time time) {
    TimeType type = new TimeType(unit(time.unit()));
    if (time.bitWidth() != IpcField.timeBits(type)) {
      throw malformed("a time in " + type.unit() + " has " + time.bitWidth() + " bits instead of "
          + IpcField.timeBits(type));
    }
    return type;
  }

  private DataType union(Union union, List<Field> children) {
    int given = union.typeIdsLength();
    List<Integer> typeIds = new ArrayList<>();
    for (int i = 0; i < children.size(); i++) typeIds.add(given == 0 ? i : i < given ? union.typeIds(i) : -1);
    if (given != 0 && given != children.size()) {
      throw malformed("a union has " + given + " type ids and " + children.size() + " children");
    }
    NestedType.UnionMode[] modes = {NestedType.UnionMode.SPARSE, NestedType.UnionMode.DENSE};
    return new NestedType.UnionType(constant("union mode", modes, union.mode()), typeIds, children);
  }

  private ArrowTimeUnit unit(short unit) {
    return constant("time unit", ArrowTimeUnit.values(), unit);
  }

  /** Returns a constant by the number that the format gives it. */
  private <T> T constant(String what, T[] inOrderOfTheFormat, short number) {
    if (number >= 0 && number < inOrderOfTheFormat.length) return inOrderOfTheFormat[number];
    throw malformed("the " + what + " " + number + " is unknown");
  }

  private void checkChildren(byte type, List<Field> children) {
    int expected = switch (type) {
      case Type.Struct_, Type.Union -> children.size();
      case Type.List, Type.LargeList, Type.ListView, Type.LargeListView, Type.FixedSizeList, Type.Map -> 1;
      case Type.RunEndEncoded -> 2;
      default -> 0;
    };
    if (children.size() != expected) {
      throw malformed("a field of type " + Type.name(type) + " has " + children.size() + " children instead of "
          + expected);
    }
  }

  private <T extends Table> T table(org.apache.arrow.flatbuf.Field field, T type) {
    if (field.type(type) == null) throw malformed("a field has the type " + Type.name(field.typeType())
        + " without its parameters");
    return type;
  }

  private IpcException malformed(String fault) {
    return new IpcException(position, "the schema is malformed: " + fault);
  }

  private String text(String what, @Nullable ByteBuffer bytes) {
    if (bytes == null) return "";
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new IpcException(position, "the schema is malformed: " + what + " is not UTF-8", e);
    }
  }

  private static byte[] bytes(@Nullable ByteBuffer source) {
    if (source == null) return new byte[0];
    byte[] bytes = new byte[source.remaining()];
    source.get(bytes);
    return bytes;
  }
}
