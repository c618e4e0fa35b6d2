// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.ArrowType;
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
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
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
import org.arbalest.device.types.ArrowTimeUnit;

/** Conversions between Arrow Java's types and those of this library, without their children. */
final class ArrowTypes {
  private ArrowTypes() {}

  /** Returns the type with these children; an extension type becomes its storage type. */
  static DataType toDataType(ArrowType type, List<Field> children) {
    return switch (type) {
      case ArrowType.ExtensionType extension -> toDataType(extension.storageType(), children);
      case ArrowType.Null _ -> DataType.NULL;
      case ArrowType.Bool _ -> DataType.BOOL;
      case ArrowType.Int integer -> toIntType(integer);
      case ArrowType.FloatingPoint number -> new FloatType(bits(number.getPrecision()));
      case ArrowType.Decimal decimal -> decimal(decimal);
      case ArrowType.Utf8 _ -> DataType.UTF8;
      case ArrowType.LargeUtf8 _ -> DataType.LARGE_UTF8;
      case ArrowType.Utf8View _ -> DataType.UTF8_VIEW;
      case ArrowType.Binary _ -> DataType.BINARY;
      case ArrowType.LargeBinary _ -> DataType.LARGE_BINARY;
      case ArrowType.BinaryView _ -> DataType.BINARY_VIEW;
      case ArrowType.FixedSizeBinary binary -> DataType.fixedSizeBinary(binary.getByteWidth());
      case ArrowType.Date date ->
          date.getUnit() == org.apache.arrow.vector.types.DateUnit.DAY ? DataType.DATE32 : DataType.DATE64;
      case ArrowType.Time time -> DataType.time(unit(time.getUnit()));
      case ArrowType.Timestamp timestamp -> DataType.timestamp(unit(timestamp.getUnit()), timestamp.getTimezone());
      case ArrowType.Duration duration -> DataType.duration(unit(duration.getUnit()));
      case ArrowType.Interval interval -> interval(interval);
      case ArrowType.List _ -> DataType.list(only(children));
      case ArrowType.LargeList _ -> DataType.largeList(only(children));
      case ArrowType.ListView _ -> DataType.listView(only(children));
      case ArrowType.LargeListView _ -> DataType.largeListView(only(children));
      case ArrowType.FixedSizeList list -> DataType.fixedSizeList(only(children), list.getListSize());
      case ArrowType.Struct _ -> new StructType(children);
      case ArrowType.Map map -> new MapType(only(children), map.getKeysSorted());
      case ArrowType.Union union -> union(union, children);
      case ArrowType.RunEndEncoded _ -> {
        if (children.size() != 2) throw new Unfit("run-ends have 2 children, not " + children.size());
        yield new RunEndEncodedType(children.getFirst().withNullable(false), children.getLast());
      }
      default -> throw new Unfit("unknown type " + type);
    };
  }

  static IntType toIntType(ArrowType.Int integer) {
    return new IntType(integer.getBitWidth(), integer.getIsSigned());
  }

  /** Rejects decimals of 32 and 64 bits: their vectors have values of 128 bits, which is another layout. */
  private static DataType decimal(ArrowType.Decimal decimal) {
    DecimalType type = new DecimalType(decimal.getBitWidth(), decimal.getPrecision(), decimal.getScale());
    requireVectors(type);
    return type;
  }

  private static void requireVectors(DecimalType type) {
    if (type.bits() < 128)
      throw new Unfit("Arrow Java has no vectors of " + type + ", only of decimal128 and decimal256");
  }

  private static int bits(FloatingPointPrecision precision) {
    return switch (precision) {
      case HALF -> 16;
      case SINGLE -> 32;
      case DOUBLE -> 64;
    };
  }

  private static Field only(List<Field> children) {
    if (children.size() != 1) throw new Unfit("lists have 1 child, not " + children.size());
    return children.getFirst();
  }

  private static DataType interval(ArrowType.Interval interval) {
    return switch (interval.getUnit()) {
      case YEAR_MONTH -> DataType.INTERVAL_YEAR_MONTH;
      case DAY_TIME -> DataType.INTERVAL_DAY_TIME;
      case MONTH_DAY_NANO -> DataType.INTERVAL_MONTH_DAY_NANO;
    };
  }

  private static DataType union(ArrowType.Union union, List<Field> children) {
    UnionMode mode =
        union.getMode() == org.apache.arrow.vector.types.UnionMode.Dense ? UnionMode.DENSE : UnionMode.SPARSE;
    int[] ids = union.getTypeIds();
    List<Integer> typeIds =
        ids == null ? IntStream.range(0, children.size()).boxed().toList() : Arrays.stream(ids).boxed().toList();
    return new UnionType(mode, typeIds, children);
  }

  private static ArrowTimeUnit unit(org.apache.arrow.vector.types.TimeUnit unit) {
    return switch (unit) {
      case SECOND -> ArrowTimeUnit.SECOND;
      case MILLISECOND -> ArrowTimeUnit.MILLISECOND;
      case MICROSECOND -> ArrowTimeUnit.MICROSECOND;
      case NANOSECOND -> ArrowTimeUnit.NANOSECOND;
    };
  }

  private static org.apache.arrow.vector.types.TimeUnit unit(ArrowTimeUnit unit) {
    return switch (unit) {
      case SECOND -> org.apache.arrow.vector.types.TimeUnit.SECOND;
      case MILLISECOND -> org.apache.arrow.vector.types.TimeUnit.MILLISECOND;
      case MICROSECOND -> org.apache.arrow.vector.types.TimeUnit.MICROSECOND;
      case NANOSECOND -> org.apache.arrow.vector.types.TimeUnit.NANOSECOND;
    };
  }

  /** Returns the Arrow Java type; for a dictionary, the type of its indices. */
  static ArrowType toArrowType(DataType type) {
    return switch (type) {
      case FlatType flat -> flat(flat);
      case ListType _ -> ArrowType.List.INSTANCE;
      case LargeListType _ -> ArrowType.LargeList.INSTANCE;
      case ListViewType _ -> ArrowType.ListView.INSTANCE;
      case LargeListViewType _ -> ArrowType.LargeListView.INSTANCE;
      case FixedSizeListType list -> new ArrowType.FixedSizeList(list.size());
      case StructType _ -> ArrowType.Struct.INSTANCE;
      case MapType map -> new ArrowType.Map(map.keysSorted());
      case UnionType union -> {
        org.apache.arrow.vector.types.UnionMode mode =
            union.mode() == UnionMode.DENSE ? org.apache.arrow.vector.types.UnionMode.Dense
                : org.apache.arrow.vector.types.UnionMode.Sparse;
        yield new ArrowType.Union(mode, union.typeIds().stream().mapToInt(Integer::intValue).toArray());
      }
      case RunEndEncodedType _ -> ArrowType.RunEndEncoded.INSTANCE;
      case DictionaryType encoded -> toArrowInt(encoded.index());
    };
  }

  static ArrowType.Int toArrowInt(IntType integer) {
    return new ArrowType.Int(integer.bits(), integer.signed());
  }

  private static ArrowType flat(FlatType type) {
    return switch (type) {
      case NullType _ -> ArrowType.Null.INSTANCE;
      case BoolType _ -> ArrowType.Bool.INSTANCE;
      case IntType integer -> toArrowInt(integer);
      case FloatType number -> new ArrowType.FloatingPoint(precision(number.bits()));
      case DecimalType decimal -> decimal(decimal);
      case Utf8Type _ -> ArrowType.Utf8.INSTANCE;
      case LargeUtf8Type _ -> ArrowType.LargeUtf8.INSTANCE;
      case Utf8ViewType _ -> ArrowType.Utf8View.INSTANCE;
      case BinaryType _ -> ArrowType.Binary.INSTANCE;
      case LargeBinaryType _ -> ArrowType.LargeBinary.INSTANCE;
      case BinaryViewType _ -> ArrowType.BinaryView.INSTANCE;
      case FixedSizeBinaryType binary -> {
        if (binary.width() == 0) throw new Unfit("Arrow Java has no vectors of values of 0 bytes");
        yield new ArrowType.FixedSizeBinary(binary.width());
      }
      case DateType date ->
          new ArrowType.Date(
              date.unit() == DateUnit.DAY ? org.apache.arrow.vector.types.DateUnit.DAY
                  : org.apache.arrow.vector.types.DateUnit.MILLISECOND);
      case TimeType time -> {
        int bits = time.unit() == ArrowTimeUnit.SECOND || time.unit() == ArrowTimeUnit.MILLISECOND ? 32 : 64;
        yield new ArrowType.Time(unit(time.unit()), bits);
      }
      case TimestampType timestamp -> new ArrowType.Timestamp(unit(timestamp.unit()), timestamp.timezone());
      case DurationType duration -> new ArrowType.Duration(unit(duration.unit()));
      case IntervalType interval -> new ArrowType.Interval(interval(interval));
    };
  }

  private static FloatingPointPrecision precision(int bits) {
    return bits == 16 ? FloatingPointPrecision.HALF
        : bits == 32 ? FloatingPointPrecision.SINGLE : FloatingPointPrecision.DOUBLE;
  }

  private static ArrowType decimal(DecimalType decimal) {
    requireVectors(decimal);
    return new ArrowType.Decimal(decimal.precision(), decimal.scale(), decimal.bits());
  }

  private static org.apache.arrow.vector.types.IntervalUnit interval(IntervalType interval) {
    return switch (interval.unit()) {
      case YEAR_MONTH -> org.apache.arrow.vector.types.IntervalUnit.YEAR_MONTH;
      case DAY_TIME -> org.apache.arrow.vector.types.IntervalUnit.DAY_TIME;
      case MONTH_DAY_NANO -> org.apache.arrow.vector.types.IntervalUnit.MONTH_DAY_NANO;
    };
  }

  /** Returns the kind of vector that stores a type; for an extension type, its storage type. */
  static Types.MinorType minorType(ArrowType type) {
    return Types
        .getMinorTypeForArrowType(type instanceof ArrowType.ExtensionType extension ? extension.storageType() : type);
  }
}
