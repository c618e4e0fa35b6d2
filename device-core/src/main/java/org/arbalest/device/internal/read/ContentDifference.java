package org.arbalest.device.internal.read;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.Column;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.BoolType;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * Where two arrays differ first: column by column, in each from the first row. Their values count, not how they are laid out: what a null's slot holds, offsets,
 * slices, what no row refers to. Below a null nothing is looked at.
 */
public final class ContentDifference {
  private static final Rows ALL = _ -> true;

  private ContentDifference() {}

  /** Which of a column's rows are there: those that no null is above. */
  @FunctionalInterface
  private interface Rows {
    boolean has(long row);
  }

  /** What differs first, in words, or null; see {@link DeviceArray#difference}. */
  public static @Nullable String between(DeviceArray one, DeviceArray other) {
    try (DeviceArray left = one.retain();
        DeviceArray right = other.retain()) {
      String types = types(left.field(), right.field(), "");
      if (types != null) return types;
      if (left.length() != right.length()) return "the lengths differ: " + left.length() + ", and " + right.length();
      return columns(ColumnImpl.of(DeviceArrayImpl.unwrap(left)), ColumnImpl.of(DeviceArrayImpl.unwrap(right)), "", ALL);
    }
  }

  /** Types and the names of fields; nullability and metadata do not count, nor what the fields of lists and maps are called. */
  private static @Nullable String types(Field left, Field right, String path) {
    if (!Layout.of(left).format.equals(Layout.of(right).format)) return typesDiffer(left, right, path);
    List<Field> ours = left.type().children();
    List<Field> theirs = right.type().children();
    if (ours.size() != theirs.size()) return typesDiffer(left, right, path);
    boolean named = left.type() instanceof StructType;
    for (int i = 0; i < ours.size(); i++) {
      String name = ours.get(i).name();
      if (named && !name.equals(theirs.get(i).name())) return typesDiffer(left, right, path);
      String below = types(ours.get(i), theirs.get(i), named ? under(path, name) : path);
      if (below != null) return below;
    }
    if (left.type() instanceof DictionaryType encoded && right.type() instanceof DictionaryType other) return types(encoded.values(), other.values(), path);
    return left.type() instanceof DictionaryType == right.type() instanceof DictionaryType ? null : typesDiffer(left, right, path);
  }

  private static String typesDiffer(Field left, Field right, String path) {
    return (path.isEmpty() ? "the types differ: " : "the types of " + path + " differ: ") + TypeNames.of(left.type()) + ", and " + TypeNames.of(right.type());
  }

  private static String under(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static @Nullable String columns(Column left, Column right, String path, Rows rows) {
    for (long row = 0; row < left.length(); row++) {
      if (!rows.has(row)) continue;
      if (left.isNull(row) != right.isNull(row)) return values(left, right, row, path);
    }
    DataType type = left.field().type();
    return switch (type) {
      case StructType struct -> fields(struct, left, right, path, row -> rows.has(row) && !left.isNull(row));
      default -> isList(left) ? lists(left, right, path, rows) : leaves(left, right, path, rows, equality(type));
    };
  }

  private static @Nullable String fields(StructType struct, Column left, Column right, String path, Rows rows) {
    for (int i = 0; i < struct.fields().size(); i++) {
      String below = columns(left.column(i), right.column(i), under(path, struct.fields().get(i).name()), rows);
      if (below != null) return below;
    }
    return null;
  }

  private static boolean isList(Column column) {
    return switch (Layout.of(column.field()).shape) {
      case LIST, LIST_VIEW, FIXED_LIST -> true;
      default -> false;
    };
  }

  private static @Nullable String lists(Column left, Column right, String path, Rows rows) {
    for (long row = 0; row < left.length(); row++) {
      if (!rows.has(row) || left.isNull(row)) continue;
      Column ours = left.getList(row);
      Column theirs = right.getList(row);
      String at = path + "[" + row + "]";
      if (ours.length() != theirs.length()) return at + ": " + ours.length() + " elements, and " + theirs.length();
      String below = columns(ours, theirs, at, ALL);
      if (below != null) return below;
    }
    return null;
  }

  /** Whether two columns have the same value in a row that is not null. */
  @FunctionalInterface
  private interface Equality {
    boolean test(Column left, Column right, long row);
  }

  private static Equality equality(DataType type) {
    return switch (type) {
      case BoolType _ -> (a, b, row) -> a.getBoolean(row) == b.getBoolean(row);
      case IntType _, DateType _, TimeType _, TimestampType _, DurationType _ -> (a, b, row) -> a.getLong(row) == b.getLong(row);
      case FloatType _ -> (a, b, row) -> Double.compare(a.getDouble(row), b.getDouble(row)) == 0;
      case DecimalType _ -> (a, b, row) -> a.getDecimal(row).compareTo(b.getDecimal(row)) == 0;
      case DictionaryType encoded -> encoded.values().type().children().isEmpty() ? equality(encoded.values().type()) : ContentDifference::sameObjects;
      default -> ContentDifference::sameObjects;
    };
  }

  private static boolean sameObjects(Column left, Column right, long row) {
    return isSame(left.get(row), right.get(row));
  }

  /** Equal as objects, arrays by what is in them. */
  private static boolean isSame(@Nullable Object one, @Nullable Object other) {
    if (one instanceof byte[] a && other instanceof byte[] b) return Arrays.equals(a, b);
    if (one instanceof List<?> a && other instanceof List<?> b) {
      if (a.size() != b.size()) return false;
      for (int i = 0; i < a.size(); i++) {
        if (!isSame(a.get(i), b.get(i))) return false;
      }
      return true;
    }
    if (one instanceof Map<?, ?> a && other instanceof Map<?, ?> b) {
      if (!a.keySet().equals(b.keySet())) return false;
      for (Map.Entry<?, ?> entry : a.entrySet()) {
        if (!isSame(entry.getValue(), b.get(entry.getKey()))) return false;
      }
      return true;
    }
    if (one instanceof Map.Entry<?, ?> a && other instanceof Map.Entry<?, ?> b) {
      return isSame(a.getKey(), b.getKey()) && isSame(a.getValue(), b.getValue());
    }
    if (one instanceof BigDecimal a && other instanceof BigDecimal b) return a.compareTo(b) == 0;
    return Objects.equals(one, other);
  }

  private static @Nullable String leaves(Column left, Column right, String path, Rows rows, Equality equality) {
    for (long row = 0; row < left.length(); row++) {
      if (!rows.has(row) || left.isNull(row)) continue;
      if (!equality.test(left, right, row)) return values(left, right, row, path);
    }
    return null;
  }

  private static String values(Column left, Column right, long row, String path) {
    return path + "[" + row + "]: " + ValueText.quoted(left.get(row)) + ", and " + ValueText.quoted(right.get(row));
  }
}
