// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

import java.util.List;
import java.util.function.LongSupplier;
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

/** A field as messages lay it out: its buffers, its children, and the id of its dictionary. Immutable. */
public final class IpcField {
  /** The id of a field without a dictionary. */
  public static final long NO_DICTIONARY = -1;

  private static final IpcField[] NONE = {};

  public final Field field;
  public final Shape shape;

  /**
   * The bits of a value with a fixed width; the bytes of an offset of text or lists; the elements of a fixed-size list;
   * otherwise 0.
   */
  public final long width;

  private final IpcField[] children;

  /** The dictionary's values; null without a dictionary. */
  public final @Nullable IpcField values;

  public final long dictionaryId;

  /** Whether this field, or a field below it, has a dictionary. */
  public final boolean hasDictionary;

  /** The field with indices in place of dictionary-encoded values, as a message has it. */
  public final Field plain;

  /** The number of arrays, buffers and view arrays of this field and those below it; without dictionaries. */
  public final int arrays;

  public final int buffers;
  public final int views;

  /** The number of unions, and of run-end encoded arrays, in the same way. */
  public final int unions;

  public final int runEnds;

  private IpcField(Field field, Shape shape, long width, IpcField[] children, @Nullable IpcField values, long id) {
    this.field = field;
    this.shape = shape;
    this.width = width;
    this.children = children;
    this.values = values;
    this.dictionaryId = id;
    int allArrays = 1;
    int allBuffers = shape.buffers;
    int allViews = shape == Shape.VIEW ? 1 : 0;
    int allUnions = shape.isUnion() ? 1 : 0;
    int allRunEnds = shape == Shape.RUN_ENDS ? 1 : 0;
    boolean isEncoded = values != null;
    for (IpcField child : children) {
      allArrays += child.arrays;
      allBuffers += child.buffers;
      allViews += child.views;
      allUnions += child.unions;
      allRunEnds += child.runEnds;
      isEncoded |= child.hasDictionary;
    }
    arrays = allArrays;
    buffers = allBuffers;
    views = allViews;
    unions = allUnions;
    runEnds = allRunEnds;
    hasDictionary = isEncoded;
    plain = isEncoded ? PlainFields.of(field) : field;
  }

  /**
   * Creates the layout of a field.
   *
   * @param ids returns the id of each dictionary, in the order of the fields: a field's own before those of its values
   */
  public static IpcField of(Field field, LongSupplier ids) {
    DataType type = field.type();
    if (type instanceof DictionaryType dictionary) {
      long id = ids.getAsLong();
      IpcField values = of(dictionary.values(), ids);
      return new IpcField(field, Shape.FIXED, dictionary.index().bits(), NONE, values, id);
    }
    List<Field> fields = type.children();
    IpcField[] children = new IpcField[fields.size()];
    for (int i = 0; i < children.length; i++) children[i] = of(fields.get(i), ids);
    return new IpcField(field, shape(type), width(type), children, null, NO_DICTIONARY);
  }

  public int childCount() {
    return children.length;
  }

  public IpcField child(int index) {
    return children[index];
  }

  private static Shape shape(DataType type) {
    return switch (type) {
      case FlatType flat -> switch (flat) {
        case NullType _ -> Shape.NULL;
        case BoolType _ -> Shape.BITS;
        case Utf8Type _, LargeUtf8Type _, BinaryType _, LargeBinaryType _ -> Shape.VARIABLE;
        case Utf8ViewType _, BinaryViewType _ -> Shape.VIEW;
        case IntType _, FloatType _, DecimalType _, FixedSizeBinaryType _, DateType _, TimeType _, TimestampType _,
            DurationType _, IntervalType _ ->
            Shape.FIXED;
      };
      case NestedType nested -> switch (nested) {
        case ListType _, LargeListType _, MapType _ -> Shape.LIST;
        case ListViewType _, LargeListViewType _ -> Shape.LIST_VIEW;
        case FixedSizeListType _ -> Shape.FIXED_LIST;
        case StructType _ -> Shape.STRUCT;
        case UnionType union -> union.mode() == UnionMode.DENSE ? Shape.DENSE_UNION : Shape.SPARSE_UNION;
        case RunEndEncodedType _ -> Shape.RUN_ENDS;
        case DictionaryType _ -> Shape.FIXED;
      };
    };
  }

  private static long width(DataType type) {
    return switch (type) {
      case FlatType flat -> switch (flat) {
        case IntType ints -> ints.bits();
        case FloatType floats -> floats.bits();
        case DecimalType decimal -> decimal.bits();
        case FixedSizeBinaryType(int bytes) -> 8L * bytes;
        case DateType(DateUnit unit) -> unit == DateUnit.DAY ? 32 : 64;
        case TimeType time -> timeBits(time);
        case TimestampType _, DurationType _ -> 64;
        case IntervalType interval -> switch (interval.unit()) {
          case YEAR_MONTH -> 32;
          case DAY_TIME -> 64;
          case MONTH_DAY_NANO -> 128;
        };
        case BoolType _ -> 1;
        case Utf8Type _, BinaryType _ -> 4;
        case LargeUtf8Type _, LargeBinaryType _ -> 8;
        case Utf8ViewType _, BinaryViewType _ -> 128;
        case NullType _ -> 0;
      };
      case NestedType nested -> switch (nested) {
        case ListType _, MapType _, ListViewType _ -> 4;
        case LargeListType _, LargeListViewType _ -> 8;
        case FixedSizeListType(Field _, int size) -> size;
        case StructType _, UnionType _, RunEndEncodedType _ -> 0;
        case DictionaryType dictionary -> dictionary.index().bits();
      };
    };
  }

  /** Returns the width of times of day, which follows from the unit. */
  static int timeBits(TimeType time) {
    return switch (time.unit()) {
      case SECOND, MILLISECOND -> 32;
      case MICROSECOND, NANOSECOND -> 64;
    };
  }
}
