// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.spark.internal.vector.NestedVectors.Extent;
import org.arbalest.spark.internal.vector.NestedVectors.Items;

/** A factory of vectors, by the layout of a column. */
public final class Vectors {
  private final boolean truncatesNanos;

  private Vectors(boolean truncatesNanos) {
    this.truncatesNanos = truncatesNanos;
  }

  /**
   * Returns vectors without arrays.
   *
   * @param fields the fields of the batches
   * @param type the type that {@link SparkTypes} makes from the fields
   * @param truncatesNanos as in {@link SparkTypes#of}
   */
  public static ArrowVector[] of(List<Field> fields, StructType type, boolean truncatesNanos) {
    return new Vectors(truncatesNanos).of(fields, type);
  }

  private ArrowVector[] of(List<Field> fields, StructType type) {
    var made = new ArrowVector[fields.size()];
    for (int i = 0; i < made.length; i++) made[i] = of(fields.get(i), type.fields()[i].dataType());
    return made;
  }

  private ArrowVector of(Field field, DataType type) {
    return switch (field.type()) {
      case FlatType flat -> flat(flat, type);
      case NestedType.ListType(Field item) -> list(type, Extent.OFFSETS, item);
      case NestedType.LargeListType(Field item) -> list(type, Extent.LARGE_OFFSETS, item);
      case NestedType.ListViewType(Field item) -> list(type, Extent.VIEWS, item);
      case NestedType.LargeListViewType(Field item) -> list(type, Extent.LARGE_VIEWS, item);
      case NestedType.FixedSizeListType(Field item, int size) ->
          new Items(type, Extent.FIXED, size, of(item, ((ArrayType) type).elementType()));
      case NestedType.StructType(List<Field> fields) -> new NestedVectors.Struct(type, of(fields, (StructType) type));
      case NestedType.MapType(Field entries, boolean _) ->
          map((MapType) type, ((NestedType.StructType) entries.type()).fields());
      case NestedType.DictionaryType(FlatType.IntType(int bits, boolean _), Field values, boolean _) ->
          new EncodedVector.Dictionary(of(values, type), bits);
      case NestedType.RunEndEncodedType(Field _, Field values) -> new EncodedVector.RunEnds(of(values, type));
      case NestedType.UnionType union -> throw new IllegalStateException("SparkTypes refuses " + union);
    };
  }

  private ArrowVector list(DataType type, Extent extent, Field item) {
    return new Items(type, extent, 0, of(item, ((ArrayType) type).elementType()));
  }

  private ArrowVector map(MapType type, List<Field> pair) {
    StructType entry = new StructType().add("key", type.keyType()).add("value", type.valueType());
    return new Items(type, Extent.OFFSETS, 0, new NestedVectors.Struct(entry, of(pair, entry)));
  }

  private ArrowVector flat(FlatType flat, DataType type) {
    return switch (flat) {
      case FlatType.NullType _ -> new NestedVectors.Nothing(type);
      case FlatType.BoolType _ -> new IntegerVectors.Bits(type);
      case FlatType.IntType(int bits, boolean signed) -> signed ? signed(bits, type) : unsigned(bits, type);
      case FlatType.FloatType(int bits) ->
          switch (bits) {
            case 16 -> new FloatVectors.Halves(type);
            case 32 -> new FloatVectors.Floats(type);
            default -> new FloatVectors.Doubles(type);
          };
      case FlatType.DecimalType(int bits, int _, int _) -> new DecimalVector(type, bits);
      case FlatType.Utf8Type _, FlatType.BinaryType _ -> new BytesVectors.Offsets(type, false);
      case FlatType.LargeUtf8Type _, FlatType.LargeBinaryType _ -> new BytesVectors.Offsets(type, true);
      case FlatType.Utf8ViewType _, FlatType.BinaryViewType _ -> new BytesVectors.Views(type);
      case FlatType.FixedSizeBinaryType(int width) -> new BytesVectors.Fixed(type, width);
      case FlatType.DateType(FlatType.DateUnit unit) ->
          unit == FlatType.DateUnit.DAY ? new IntegerVectors.Ints(type) : new TimeVectors.DaysOfMillis(type);
      case FlatType.TimeType(ArrowTimeUnit unit) ->
          times(unit, type, 1000, unit == ArrowTimeUnit.SECOND || unit == ArrowTimeUnit.MILLISECOND);
      case FlatType.TimestampType(ArrowTimeUnit unit, String _) -> times(unit, type, 1, false);
      case FlatType.DurationType(ArrowTimeUnit unit) -> times(unit, type, 1, false);
      case FlatType.IntervalType(FlatType.IntervalUnit unit) ->
          switch (unit) {
            case YEAR_MONTH -> new IntegerVectors.Ints(type);
            case DAY_TIME -> new TimeVectors.DayTimes(type);
            case MONTH_DAY_NANO -> new TimeVectors.MonthDayNanos(type, truncatesNanos);
          };
    };
  }

  private static ArrowVector signed(int bits, DataType type) {
    return switch (bits) {
      case 8 -> new IntegerVectors.Bytes(type);
      case 16 -> new IntegerVectors.Shorts(type);
      case 32 -> new IntegerVectors.Ints(type);
      default -> new IntegerVectors.Longs(type);
    };
  }

  private static ArrowVector unsigned(int bits, DataType type) {
    return switch (bits) {
      case 8 -> new IntegerVectors.UnsignedBytes(type);
      case 16 -> new IntegerVectors.UnsignedShorts(type);
      case 32 -> new IntegerVectors.UnsignedInts(type);
      default -> new IntegerVectors.UnsignedLongs(type);
    };
  }

  /**
   * Returns a vector of times in Spark's unit.
   *
   * @param ofMicro the number of Spark's units in a microsecond: 1000 for a time of day, which Spark counts in
   *     nanoseconds
   */
  private static ArrowVector times(ArrowTimeUnit unit, DataType type, long ofMicro, boolean isInt) {
    return switch (unit) {
      case SECOND -> new TimeVectors.Multiplied(type, 1_000_000 * ofMicro, isInt);
      case MILLISECOND -> new TimeVectors.Multiplied(type, 1000 * ofMicro, isInt);
      case MICROSECOND ->
          ofMicro == 1 ? new IntegerVectors.Longs(type) : new TimeVectors.Multiplied(type, ofMicro, false);
      case NANOSECOND -> new TimeVectors.Truncated(type, ofMicro);
    };
  }
}
