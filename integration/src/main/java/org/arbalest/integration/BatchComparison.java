// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration;

import java.util.HexFormat;
import java.util.Objects;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Runs;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
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
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of record batches of one schema, value by value.
 *
 * <p>The layout in the buffers does not count: offsets, views, runs, the order of a dictionary's values, and the bytes
 * of null elements. As in Arrow's suite, NaN equals any NaN, and 0.0 equals −0.0.
 */
public final class BatchComparison {
  private final int batch;
  private final long row;

  private BatchComparison(int batch, long row) {
    this.batch = batch;
    this.row = row;
  }

  /**
   * Returns the first difference, column by column, or null without one. A text such as
   * {@code batch 1, a.b[3]: row 7: expected 12, found 13} has the path, the row and both values.
   *
   * @param batch the number of the batch, for the text
   * @param expected a batch with the schema of the other; see {@link SchemaComparison}
   */
  public static @Nullable String difference(int batch, RecordBatch expected, RecordBatch found) {
    if (expected.length() != found.length()) {
      return "batch " + batch + ": expected " + expected.length() + " rows, found " + found.length();
    }
    Column wanted = expected.asColumn();
    Column given = found.asColumn();
    int columns = expected.schema().fields().size();
    if (columns != found.schema().fields().size()) {
      return "batch " + batch + ": expected " + columns + " columns, found " + found.schema().fields().size();
    }
    for (long row = 0; row < expected.length(); row++) {
      if (given.isNull(row)) return "batch " + batch + ": row " + row + ": expected no null row";
    }
    for (int i = 0; i < columns; i++) {
      for (long row = 0; row < expected.length(); row++) {
        String difference = new BatchComparison(batch, row)
            .element(wanted.column(i).name(), wanted.column(i), row, given.column(i), row);
        if (difference != null) return difference;
      }
    }
    return null;
  }

  private @Nullable String element(String path, Column expected, long wanted, Column found, long given) {
    boolean isNull = expected.isNull(wanted);
    if (isNull && found.isNull(given)) return null;
    if (isNull || found.isNull(given)) {
      return differ(path, isNull ? "null" : "a value", isNull ? "a value" : "null");
    }
    DataType type = expected.field().type();
    if (type instanceof DictionaryType) {
      return element(path, expected.dictionary(), expected.indices().getLong(wanted), found, given);
    }
    if (found.field().type() instanceof DictionaryType) {
      return element(path, expected, wanted, found.dictionary(), found.indices().getLong(given));
    }
    if (type instanceof RunEndEncodedType) {
      Runs run = run(expected, wanted);
      return element(path, run.values(), run.value(), found, given);
    }
    if (found.field().type() instanceof RunEndEncodedType) {
      Runs run = run(found, given);
      return element(path, expected, wanted, run.values(), run.value());
    }
    if (!found.field().type().getClass().equals(type.getClass())) {
      return differ(path, "a value of " + type, "one of " + found.field().type());
    }
    return value(path, type, expected.storage(), wanted, found.storage(), given);
  }

  private @Nullable String value(String path, DataType type, Column expected, long wanted, Column found, long given) {
    return switch (type) {
      case StructType struct -> fields(path, struct.fields().size(), expected, wanted, found, given);
      case ListType _, LargeListType _, ListViewType _, LargeListViewType _, FixedSizeListType _, MapType _ ->
          list(path, expected.getList(wanted), found.getList(given));
      case UnionType union -> {
        int expectedId = expected.getTypeId(wanted);
        int foundId = found.getTypeId(given);
        if (expectedId != foundId) yield differ(path, "type id " + expectedId, "type id " + foundId);
        int child = union.typeIds().indexOf(expectedId);
        Column a = expected.column(child);
        yield element(path + "." + a.name(), a, expected.getChildRow(wanted), found.column(child),
            found.getChildRow(given));
      }
      default -> {
        Object a = scalar(type, expected, wanted);
        Object b = scalar(type, found, given);
        yield Objects.equals(a, b) ? null : differ(path, a.toString(), b.toString());
      }
    };
  }

  private @Nullable String fields(String path, int count, Column expected, long wanted, Column found, long given) {
    for (int i = 0; i < count; i++) {
      Column a = expected.column(i);
      String difference = element(path + "." + a.name(), a, wanted, found.column(i), given);
      if (difference != null) return difference;
    }
    return null;
  }

  private @Nullable String list(String path, Column expected, Column found) {
    if (expected.length() != found.length()) {
      return differ(path, "length " + expected.length(), "length " + found.length());
    }
    for (long i = 0; i < expected.length(); i++) {
      String difference = element(path + "[" + i + "]", expected, i, found, i);
      if (difference != null) return difference;
    }
    return null;
  }

  /** Returns a value as an object with {@code equals} and {@code toString}. */
  private static Object scalar(DataType type, Column column, long row) {
    return switch (type) {
      case NullType _ -> "null";
      case BoolType _ -> column.getBoolean(row);
      case IntType ints when !ints.signed() -> Long.toUnsignedString(column.getLong(row));
      case FloatType _ -> column.getDouble(row) + 0.0; // −0.0 becomes 0.0
      case DecimalType _ -> column.getDecimal(row);
      case IntervalType _ -> column.getInterval(row);
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _ -> quoted(column, row);
      case BinaryType _, LargeBinaryType _, BinaryViewType _, FixedSizeBinaryType _ ->
          "0x" + HexFormat.of().withUpperCase().formatHex(column.getBytes(row));
      default -> column.getLong(row);
    };
  }

  private static String quoted(Column column, long row) {
    return "\"" + column.getString(row) + "\"";
  }

  private static Runs run(Column column, long row) {
    Runs runs = column.runs();
    while (runs.next()) {
      if (row < runs.end()) return runs;
    }
    throw new IllegalStateException("row " + row + " of " + column + " has no run");
  }

  private String differ(String path, String expected, String found) {
    return "batch " + batch + ", " + path + ": row " + row + ": expected " + expected + ", found " + found;
  }
}
