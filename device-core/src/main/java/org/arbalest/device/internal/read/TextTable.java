// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.schema.TypeNames;

/**
 * The first rows of an array as a readable table of limited width. The head has names and types; numbers are aligned to
 * the right.
 */
public final class TextTable {
  /** The greatest width of a column, and of the table, in characters. */
  private static final int WIDEST_COLUMN = 32;

  private static final int WIDEST_TABLE = 160;

  /** The width that the type's name may take even if all values are shorter, in characters. */
  private static final int WIDE_ENOUGH = 16;

  /**
   * The greatest width of a UUID or a point in time with nanoseconds, in characters. These exceed the limit a little,
   * but a cut value is useless.
   */
  private static final int WIDEST_UNCUT = 36;

  private static final String BETWEEN = " | ";

  private final List<List<String>> cells = new ArrayList<>();
  private final List<Integer> widths = new ArrayList<>();
  private final List<Boolean> right = new ArrayList<>();
  private final List<String> left = new ArrayList<>();
  private boolean[] nulls = {};
  private int width;

  private TextTable() {}

  /**
   * Returns the first rows. It blocks until they are ready, and copies them if the CPU cannot read them. See
   * {@link DeviceArray#toString(int)}.
   */
  public static String of(DeviceArray array, int rows) {
    if (rows < 0) throw new IllegalArgumentException("the number of rows is " + rows + ", and must not be negative");
    try (DeviceArray first = array.slice(0, Math.min(rows, array.length()))) {
      if (!first.device().isCpuAccessible()) {
        try (DeviceArray copy = first.copyTo(Devices.cpu())) {
          copy.synchronize();
          return table(array, copy);
        }
      }
      first.synchronize();
      return table(array, first);
    }
  }

  private static String table(DeviceArray whole, DeviceArray first) {
    TextTable table = new TextTable();
    Column column = first.asColumn();
    if (first.field().type() instanceof StructType struct && first.field().extension() == null) {
      table.nulls = nulls(column);
      for (int i = 0; i < struct.fields().size(); i++) table.add(column.column(i));
    } else {
      table.add(column);
    }
    return table.render(whole, first.length());
  }

  /** Returns which rows of a struct are null themselves. */
  private static boolean[] nulls(Column structs) {
    boolean[] nulls = new boolean[Math.toIntExact(structs.length())];
    for (int row = 0; row < nulls.length; row++) nulls[row] = structs.isNull(row);
    return nulls;
  }

  private boolean isNull(long row) {
    return row < nulls.length && nulls[(int) row];
  }

  private void add(Column column) {
    Field field = column.field();
    String name = ValueText.plain(field.name(), WIDEST_COLUMN);
    if (!left.isEmpty()) {
      left.add(name);
      return;
    }
    List<String> lines = new ArrayList<>();
    lines.add(name);
    for (long row = 0; row < column.length(); row++) lines.add(isNull(row) ? "" : cell(column, row));
    int widestValue = lines.stream().mapToInt(TextTable::width).max().orElse(0);
    lines.add(1, ValueText.shortened(TypeNames.brief(field), Math.max(widestValue, WIDE_ENOUGH)));
    int widest = Math.max(widestValue, width(lines.get(1)));
    if (!cells.isEmpty() && width + BETWEEN.length() + widest > WIDEST_TABLE) {
      left.add(name);
      return;
    }
    width += (cells.isEmpty() ? 0 : BETWEEN.length()) + widest;
    cells.add(lines);
    widths.add(widest);
    right.add(isNumber(field.type()));
  }

  private static boolean isUncut(Field field) {
    return switch (field.type()) {
      case DictionaryType encoded -> isUncut(encoded.values());
      case RunEndEncodedType runs -> isUncut(runs.values());
      case TimestampType _ -> true;
      default -> field.extension() instanceof Uuid || field.extension() instanceof TimestampWithOffset;
    };
  }

  private static String cell(Column column, long row) {
    try {
      return ValueText.plain(ColumnImpl.unwrap(column), row, isUncut(column.field()) ? WIDEST_UNCUT : WIDEST_COLUMN);
    } catch (DeviceException | IllegalArgumentException | ArithmeticException | DateTimeException _) {
      // malformed, or of a type that has no reader
      return ValueText.UNREADABLE;
    }
  }

  private static boolean isNumber(DataType type) {
    return type instanceof IntType || type instanceof FloatType || type instanceof DecimalType;
  }

  private static int width(String text) {
    return text.codePointCount(0, text.length());
  }

  private String render(DeviceArray whole, long limit) {
    StringBuilder text = new StringBuilder(DeviceArrayImpl.unwrap(whole).title());
    for (int line = 0; line < limit + 2 && !cells.isEmpty(); line++) {
      appendLine(text, line);
      if (line == 1) appendRule(text);
    }
    if (whole.length() > limit) text.append("\n… ").append(DeviceArrayImpl.counted(whole.length() - limit, "more row"));
    if (!left.isEmpty()) {
      text.append("\n… ").append(DeviceArrayImpl.counted(left.size(), "more column")).append(": ");
      text.append(ValueText.shortened(String.join(", ", left), WIDEST_TABLE));
    }
    return text.toString();
  }

  private void appendLine(StringBuilder text, int line) {
    text.append('\n');
    if (line >= 2 && isNull(line - 2)) {
      text.append("null");
      return;
    }
    int start = text.length();
    for (int i = 0; i < cells.size(); i++) {
      if (i > 0) text.append(BETWEEN);
      String cell = cells.get(i).get(line);
      String padding = " ".repeat(widths.get(i) - width(cell));
      text.append(right.get(i) ? padding + cell : cell + padding);
    }
    int end = text.length();
    while (end > start && text.charAt(end - 1) == ' ') end--;
    text.setLength(end);
  }

  private void appendRule(StringBuilder text) {
    text.append('\n');
    for (int i = 0; i < cells.size(); i++) text.append(i == 0 ? "" : "-+-").append("-".repeat(widths.get(i)));
  }
}
