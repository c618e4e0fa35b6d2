// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.OtherLayout;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first difference of two arrays: column by column, and in each column from the first row on.
 *
 * <p>It compares values and not layouts. It ignores the slots of nulls, offsets, slices, and elements that no row uses.
 * It compares nothing below a null.
 */
public final class ContentDifference {
  private static final Rows ALL = _ -> true;

  private ContentDifference() {}

  /** The rows of a column that are visible, because no ancestor is null there. */
  @FunctionalInterface
  private interface Rows {
    boolean has(long row);
  }

  /**
   * Returns the first difference in words, or null. See {@link DeviceArray#difference} and
   * {@link DeviceArray#valueDifference}.
   */
  public static @Nullable String between(DeviceArray one, DeviceArray other, boolean isOfTypes) {
    try (DeviceArray left = one.retain();
        DeviceArray right = other.retain()) {
      String types = types(left.field(), right.field(), "", true, isOfTypes);
      if (types != null) return types;
      if (left.length() != right.length()) return "the lengths differ: " + left.length() + ", and " + right.length();
      return columns(ColumnImpl.of(DeviceArrayImpl.unwrap(left)), ColumnImpl.of(DeviceArrayImpl.unwrap(right)), "",
          ALL);
    } catch (NoSuchElementException e) { // a row is null now that was not null before
      String why =
          "an array is malformed, such as one whose run ends do not increase, or it changed during the comparison: ";
      throw new DeviceException(Errno.EINVAL, why + e.getMessage() + "; validate(Validation.FULL) finds the fault", e);
    }
  }

  /**
   * Compares types and field names. It ignores nullability and metadata, and the names of the fields in lists and maps.
   */
  private static @Nullable String types(Field one, Field other, String path, boolean isNamed, boolean isOfTypes) {
    Field left = isOfTypes ? one : decoded(one);
    Field right = isOfTypes ? other : decoded(other);
    if (!Layout.of(left).format.equals(Layout.of(right).format)
        && (isOfTypes || !OtherLayout.is(left.type(), right.type())))
      return typesDiffer(left, right, path);
    List<Field> ours = left.type().children();
    List<Field> theirs = right.type().children();
    if (ours.size() != theirs.size()) return typesDiffer(left, right, path);
    boolean named = isNamed && FieldNames.count(left.type());
    for (int i = 0; i < ours.size(); i++) {
      String name = ours.get(i).name();
      if (named && !name.equals(theirs.get(i).name())) return typesDiffer(left, right, path);
      String below = types(ours.get(i), theirs.get(i), named ? under(path, name) : path,
          !(left.type() instanceof MapType), isOfTypes);
      if (below != null) return below;
    }
    if (left.type() instanceof DictionaryType our && right.type() instanceof DictionaryType their)
      return types(our.values(), their.values(), path, true, isOfTypes);
    return left.type() instanceof DictionaryType == right.type() instanceof DictionaryType ? null
        : typesDiffer(left, right, path);
  }

  /** Returns the field of the values, without dictionary and run-end encoding. */
  private static Field decoded(Field field) {
    return switch (field.type()) {
      case DictionaryType encoded -> decoded(encoded.values());
      case RunEndEncodedType runs -> decoded(runs.values());
      default -> field;
    };
  }

  private static String typesDiffer(Field left, Field right, String path) {
    return (path.isEmpty() ? "the types differ: " : "the types of " + path + " differ: ") + TypeNames.of(left.type())
        + ", and " + TypeNames.of(right.type());
  }

  private static String under(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static @Nullable String columns(ColumnImpl left, ColumnImpl right, String path, Rows rows) {
    if (left.values instanceof Values.Nulls) return null;
    for (long row = 0; row < left.length; row++) {
      if (rows.has(row) && isNull(left, row) != isNull(right, row))
        return values(left.storage(), row, right.storage(), row, at(path, row));
    }
    boolean isEncoded = isEncoded(left) || isEncoded(right);
    if (!isEncoded && left.field.type() instanceof StructType struct)
      return fields(struct, left, right, path, row -> rows.has(row) && !isNull(left, row));
    boolean isList = !isEncoded && isList(left);
    for (long row = 0; row < left.length; row++) {
      if (!rows.has(row) || isNull(left, row)) continue;
      String below = isList ? lists(left, right, path, row) : value(left, row, right, row, path, row);
      if (below != null) return below;
    }
    return null;
  }

  /** Returns whether the stored value of a row is null. An extension type may read more rows as null. */
  private static boolean isNull(ColumnImpl column, long row) {
    if (!column.storage().isNull(row)) return false;
    if (!(column.values instanceof Redirected elsewhere) || column.isNullItself(row)) return true;
    ColumnImpl source = elsewhere.source(column.offset + row);
    return isNull(source, elsewhere.row(source, column.offset + row));
  }

  private static @Nullable String fields(StructType struct, ColumnImpl left, ColumnImpl right, String path, Rows rows) {
    for (int i = 0; i < struct.fields().size(); i++) {
      String below = columns(left.childAt(i), right.childAt(i), under(path, struct.fields().get(i).name()), rows);
      if (below != null) return below;
    }
    return null;
  }

  private static boolean isEncoded(ColumnImpl column) {
    return column.field.type() instanceof DictionaryType || column.field.type() instanceof RunEndEncodedType;
  }

  /** Returns the column that holds the value of a row, for values that are stored elsewhere. */
  private static ColumnImpl source(ColumnImpl column, long row) {
    return ((Redirected) column.values).source(column.offset + row);
  }

  private static long row(ColumnImpl column, ColumnImpl source, long row) {
    return ((Redirected) column.values).row(source, column.offset + row);
  }

  private static boolean isList(ColumnImpl column) {
    return switch (Layout.of(column.field).shape) {
      case LIST, LIST_VIEW, FIXED_LIST -> true;
      default -> false;
    };
  }

  private static @Nullable String lists(ColumnImpl left, ColumnImpl right, String path, long row) {
    ColumnImpl ours = left.getList(row);
    ColumnImpl theirs = right.getList(row);
    if (ours.length != theirs.length) return at(path, row) + ": " + ours.length + " elements, and " + theirs.length;
    return columns(ours, theirs, at(path, row), ALL);
  }

  /**
   * Compares two rows that are not null. If their values are stored elsewhere, it compares them there. {@code path} and
   * {@code position} name the row in the message.
   */
  private static @Nullable String value(ColumnImpl left, long row, ColumnImpl right, long other, String path,
      long position) {
    if (isEncoded(left)) {
      ColumnImpl source = source(left, row);
      return value(source, row(left, source, row), right, other, path, position);
    }
    if (isEncoded(right)) {
      ColumnImpl target = source(right, other);
      return value(left, row, target, row(right, target, other), path, position);
    }
    if (left.field.type() instanceof UnionType) {
      if (left.getTypeId(row) != right.getTypeId(other))
        return at(path, position) + ": " + typed(left, row) + ", and " + typed(right, other);
      ColumnImpl source = source(left, row);
      ColumnImpl target = source(right, other);
      return value(source, row(left, source, row), target, row(right, target, other), path, position);
    }
    if (left.field.type() instanceof StructType || !left.field.type().children().isEmpty())
      return columns(left.range(row, 1), right.range(other, 1), at(path, position), ALL);
    return isEqual(left, row, right, other) ? null : values(left, row, right, other, at(path, position));
  }

  private static boolean isEqual(ColumnImpl left, long row, ColumnImpl right, long other) {
    return switch (left.field.type()) {
      case BoolType _ -> left.getBoolean(row) == right.getBoolean(other);
      case IntType _, DateType _, TimeType _, TimestampType _,
          DurationType _ -> left.getLong(row) == right.getLong(other);
      case FloatType _ -> Double.compare(left.getDouble(row), right.getDouble(other)) == 0;
      case DecimalType _ -> left.getDecimal(row).compareTo(right.getDecimal(other)) == 0;
      case IntervalType _ -> left.getInterval(row).equals(right.getInterval(other));
      default -> Arrays.equals(left.getBytes(row), right.getBytes(other)); // text and binary
    };
  }

  private static String at(String path, long row) {
    return path + "[" + row + "]";
  }

  private static String values(ColumnImpl left, long row, ColumnImpl right, long other, String at) {
    String one = ValueText.quoted(left, row);
    String two = ValueText.quoted(right, other);
    if (!one.equals(two)) return at + ": " + one + ", and " + two;
    // the extension types' values may look equal
    return at + ": " + ValueText.quoted(left.storage(), row) + ", and " + ValueText.quoted(right.storage(), other);
  }

  private static String typed(ColumnImpl union, long row) {
    return ValueText.quoted(union, row) + " of type " + union.getTypeId(row);
  }
}
