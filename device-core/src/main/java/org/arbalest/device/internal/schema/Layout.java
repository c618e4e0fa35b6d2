// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.c.ArrowSchemaStruct;
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
import org.jspecify.annotations.Nullable;

/**
 * The memory layout of arrays of a type: the number and content of the buffers, and the relation of the children to the
 * parent. It is derived from the type once.
 */
public final class Layout {
  /** The buffers of an array. The validity bitmap, if the shape has one, comes first. */
  public enum Shape {
    NULL(0, false, 0),
    /** Validity; values of {@code bits} each. */
    FIXED(2, true, 1),
    /** Validity; offsets of {@code bits} each; bytes. */
    VARIABLE(3, true, 1),
    /** Validity; views; any number of data buffers; the sizes of the data buffers. */
    VIEW(3, true, 1),
    /** Validity; offsets of {@code bits} each. */
    LIST(2, true, 1),
    /** Validity; offsets and sizes of {@code bits} each. */
    LIST_VIEW(3, true, 2),
    FIXED_LIST(1, true, 0),
    STRUCT(1, true, 0),
    /** Type ids. */
    SPARSE_UNION(1, false, 1),
    /** Type ids; offsets. */
    DENSE_UNION(2, false, 2),
    RUN_END(0, false, 0);

    public final int buffers;
    public final boolean hasValidity;

    /** The number of buffers after the validity that an array with elements must have. */
    public final int required;

    Shape(int buffers, boolean hasValidity, int required) {
      this.buffers = buffers;
      this.hasValidity = hasValidity;
      this.required = required;
    }

    /** Returns whether a child has the rows of its parent (ARR-10, ARR-11). */
    public boolean sharesRows() {
      return this == STRUCT || this == SPARSE_UNION;
    }

    /** Returns whether the parent's position alone gives the position of a child's elements, without a buffer. */
    public boolean positionsChildren() {
      return this == STRUCT || this == SPARSE_UNION || this == FIXED_LIST;
    }
  }

  private static final FieldImpl[] NONE = {};
  private static final byte[] NO_IDS = {};

  /**
   * The flags of a field that promise more about an array than its format string: that keys are sorted, or that a
   * dictionary is ordered.
   */
  public static final long PROMISES =
      ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED | ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;

  /**
   * More bytes than the address space of any process. A small multiple of it, plus an address, is still far below the
   * largest {@code long}.
   */
  public static final long MOST_BYTES = 1L << 57;

  public final Shape shape;

  /** The width in bits of a value ({@code FIXED}) or of an offset; 0 for a shape without either. */
  public final long bits;

  public final String format;
  public final FieldImpl[] children;
  public final @Nullable FieldImpl dictionary;

  /** The number of elements of each list, for a fixed-size list. */
  public final int listSize;

  /**
   * The largest number of elements that an array can have with its own buffers, skipped ones included; more could not
   * be in any memory.
   *
   * <p>Up to this number, positions and sizes in bytes do not overflow, even when added to an address (ARR-20). It
   * ignores the validity bitmap.
   */
  public final long most;

  /** For a union, the position of the child for each type id from 0 to 127, or −1; otherwise empty. */
  private final byte[] childOfId;

  /** The number of structs below this one. */
  public final int descendants;

  final int depth;

  private final DataType type;

  private Layout(DataType type) {
    this.type = type;
    this.format = type.format();
    this.children = type.children().toArray(NONE);
    this.shape = shape(type);
    this.bits = bits(type, shape);
    this.most = most();
    this.dictionary = shape == Shape.FIXED && !(type instanceof FlatType)
        ? FieldImpl.unwrap(((DictionaryType) type).values()) : null;
    this.listSize = shape == Shape.FIXED_LIST ? ((FixedSizeListType) type).size() : 0;
    boolean isUnion = shape == Shape.SPARSE_UNION || shape == Shape.DENSE_UNION;
    this.childOfId = isUnion ? childOfId(((UnionType) type).typeIds()) : NO_IDS;
    int below = 0;
    int deepest = 0;
    for (Field child : children) {
      below = Math.addExact(below, 1 + Layout.of(child).descendants);
      deepest = Math.max(deepest, Layout.of(child).depth);
    }
    if (dictionary != null) {
      below = Math.addExact(below, 1 + dictionary.layout.descendants);
      deepest = Math.max(deepest, dictionary.layout.depth);
    }
    this.descendants = below;
    this.depth = deepest + 1;
  }

  static Layout of(DataType type) {
    return new Layout(type);
  }

  /** Returns the layout of arrays of a field's type. */
  public static Layout of(Field field) {
    return FieldImpl.unwrap(field).layout;
  }

  /** Tests the types one by one: a switch on types loads many classes when the first field is made. */
  private static Shape shape(DataType type) {
    if (type instanceof FlatType flat) return shape(flat);
    if (type instanceof StructType) return Shape.STRUCT;
    if (type instanceof ListType || type instanceof LargeListType || type instanceof MapType) return Shape.LIST;
    if (type instanceof DictionaryType) return Shape.FIXED;
    if (type instanceof FixedSizeListType) return Shape.FIXED_LIST;
    if (type instanceof ListViewType || type instanceof LargeListViewType) return Shape.LIST_VIEW;
    if (type instanceof RunEndEncodedType) return Shape.RUN_END;
    if (type instanceof UnionType union)
      return union.mode() == UnionMode.SPARSE ? Shape.SPARSE_UNION : Shape.DENSE_UNION;
    throw new AssertionError(type);
  }

  private static Shape shape(FlatType type) {
    if (type instanceof FloatType || type instanceof IntType) return Shape.FIXED; // before the classes of rare types
    if (isText(type)) return Shape.VARIABLE;
    if (type instanceof Utf8ViewType || type instanceof BinaryViewType) return Shape.VIEW;
    return type instanceof NullType ? Shape.NULL : Shape.FIXED;
  }

  private static boolean isText(FlatType type) {
    return type instanceof Utf8Type || type instanceof BinaryType || isLargeText(type);
  }

  private static boolean isLargeText(FlatType type) {
    return type instanceof LargeUtf8Type || type instanceof LargeBinaryType;
  }

  private static long bits(DataType type, Shape shape) {
    return switch (shape) {
      case FIXED -> type instanceof FlatType flat ? bits(flat) : ((DictionaryType) type).index().bits();
      case VARIABLE -> isLargeText((FlatType) type) ? 64 : 32;
      case LIST -> type instanceof LargeListType ? 64 : 32;
      case LIST_VIEW -> type instanceof LargeListViewType ? 64 : 32;
      case NULL, VIEW, FIXED_LIST, STRUCT, SPARSE_UNION, DENSE_UNION, RUN_END -> 0;
    };
  }

  private static long bits(FlatType type) {
    if (type instanceof IntType integer) return integer.bits();
    if (type instanceof FloatType number) return number.bits();
    if (type instanceof BoolType) return 1;
    if (type instanceof TimestampType || type instanceof DurationType) return 64;
    if (type instanceof DateType date) return date.unit() == DateUnit.DAY ? 32 : 64;
    if (type instanceof DecimalType decimal) return decimal.bits();
    if (type instanceof TimeType time)
      return time.unit() == ArrowTimeUnit.SECOND || time.unit() == ArrowTimeUnit.MILLISECOND ? 32 : 64;
    if (type instanceof FixedSizeBinaryType binary) return 8L * binary.width();
    if (type instanceof IntervalType interval)
      return interval.unit() == IntervalUnit.YEAR_MONTH ? 32 : interval.unit() == IntervalUnit.DAY_TIME ? 64 : 128;
    throw new AssertionError(type);
  }

  private long most() {
    long each =
        switch (shape) {
          case FIXED, VARIABLE, LIST, LIST_VIEW -> bits;
          case VIEW -> 128;
          case DENSE_UNION -> 32;
          case SPARSE_UNION -> 8;
          case NULL, FIXED_LIST, STRUCT, RUN_END -> 0;
        };
    // there is one more offset than elements
    return each == 0 ? Long.MAX_VALUE : each < 8 ? MOST_BYTES * 8 : MOST_BYTES / (each >>> 3) - 1;
  }

  private static byte[] childOfId(List<Integer> typeIds) {
    byte[] childOf = new byte[Byte.MAX_VALUE + 1];
    Arrays.fill(childOf, (byte) -1);
    for (int i = 0; i < typeIds.size(); i++) childOf[typeIds.get(i)] = (byte) i;
    return childOf;
  }

  /** Returns the position of the child with a type id of the union, or −1 for an unknown id. */
  public int childOf(byte id) {
    return id < 0 ? -1 : childOfId[id];
  }

  /** Returns the readable name of the type, without the types of its children. */
  public String kind() {
    return TypeNames.kind(type);
  }

  /** Returns the width in bytes of a value, for a {@code FIXED} shape except bool, or of an offset. */
  public long width() {
    return bits >>> 3;
  }

  /**
   * Returns the smallest legal size of a buffer, by the number of elements, skipped ones included. For data it is 0.
   */
  public long bufferBytes(int index, long end) {
    if (shape.hasValidity && index == 0) return bytes(end, 1);
    boolean isFirst = index == (shape.hasValidity ? 1 : 0);
    return switch (shape) {
      case FIXED -> bytes(end, bits);
      case VARIABLE -> isFirst && end > 0 ? bytes(end + 1, bits) : 0; // no elements: producers write 0 or 1 offsets
      case LIST -> end > 0 ? bytes(end + 1, bits) : 0;
      case LIST_VIEW -> bytes(end, bits);
      case VIEW -> isFirst ? bytes(end, 128) : 0;
      case SPARSE_UNION -> end;
      case DENSE_UNION -> isFirst ? end : bytes(end, 32);
      case NULL, FIXED_LIST, STRUCT, RUN_END -> 0;
    };
  }

  /** Returns the bytes of some elements. The count is at most {@link #most}, so nothing overflows. */
  private static long bytes(long count, long each) {
    return (count * each + 7) >>> 3;
  }

  /** Returns whether the other type is the same, except the types of children. */
  public boolean isLike(Layout other) {
    return format.equals(other.format) && children.length == other.children.length
        && (dictionary == null) == (other.dictionary == null);
  }
}
