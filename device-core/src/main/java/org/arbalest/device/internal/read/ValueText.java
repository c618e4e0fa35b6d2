// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.Locale;
import org.arbalest.device.DeviceArray;

/**
 * Values for people: on one line, and no longer than somebody reads. Of a value no more is read than is shown, since a
 * few bytes of C can say that it has as many elements as there are.
 */
final class ValueText {
  /** What cannot be read. */
  static final String UNREADABLE = "?";

  private static final int LONGEST = 120;
  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder text = new StringBuilder();
  private final int longest;

  private ValueText(int longest) {
    this.longest = longest;
  }

  /** The value of a row; text in quotes. */
  static String quoted(ColumnImpl column, long row) {
    ValueText value = new ValueText(LONGEST);
    value.append(column, row, true);
    return shortened(value.text.toString(), LONGEST);
  }

  /** The value of a row; text as it is, but for characters that are not for a line. */
  static String plain(ColumnImpl column, long row, int longest) {
    ValueText value = new ValueText(longest);
    value.append(column, row, false);
    return shortened(value.text.toString(), longest);
  }

  /** The first values of a column in brackets, behind a colon; nothing if they cannot be read at once. */
  static String firstValues(ColumnImpl column) {
    try (DeviceArray _ = column.array.retain()) {
      if (!column.array.isReadable()) return "";
      ValueText values = new ValueText(LONGEST);
      values.appendList(column);
      return ": " + shortened(values.text.toString(), LONGEST);
    } catch (IllegalStateException _) { // closed, maybe just now
      return "";
    } catch (RuntimeException _) { // malformed, or of a kind that is not read
      return ": " + UNREADABLE;
    }
  }

  /** A text as it is, but for characters that are not for a line. */
  static String plain(String string, int longest) {
    ValueText value = new ValueText(longest);
    value.append(string, false);
    return shortened(value.text.toString(), longest);
  }

  /** A text that is cut if it is too long, between two code points. */
  static String shortened(String text, int longest) {
    if (text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest - 1)) + "…";
  }

  /** Whether what follows is cut, however many of the characters are pairs. */
  private boolean isFull() {
    return text.length() > 2 * longest;
  }

  private void append(ColumnImpl column, long row, boolean quote) {
    if (isFull()) return;
    if (column.isNull(row)) {
      text.append("null");
      return;
    }
    if (isExtended(column, row, quote)) return;
    long at = column.offset + row;
    switch (column.values) {
      case Redirected encoded -> {
        ColumnImpl source = encoded.source(at);
        append(source, encoded.row(source, at), quote);
      }
      case MapValues maps -> appendMap(maps.getList(at));
      case ListValues lists -> appendList(lists.getList(at));
      case ListViewValues lists -> appendList(lists.getList(at));
      case OffsetTimeValues times -> appendTime(times, at);
      case StructValues structs -> appendStruct(structs, at);
      case VariableValues values -> appendBytes(values, at, quote);
      case ViewValues values -> appendBytes(values, at, quote);
      case FixedValues.Binary values -> appendBytes(values, at, quote);
      case FixedValues.Integers values -> appendInteger(values, at);
      case Values values -> text.append(values.get(at));
    }
  }

  /** Appends a value of an extension type, if it is one; a codec is the user's, and may throw. */
  private boolean isExtended(ColumnImpl column, long row, boolean quote) {
    try {
      Object value = column.extensionValue(row);
      if (value == null) return false;
      append(String.valueOf(value.toString()), quote && value instanceof String);
    } catch (RuntimeException _) {
      text.append(UNREADABLE);
    }
    return true;
  }

  private void appendList(ColumnImpl list) {
    text.append('[');
    for (long i = 0; i < list.length && !isFull(); i++) {
      if (i > 0) text.append(", ");
      append(list, i, true);
    }
    text.append(']');
  }

  private void appendMap(ColumnImpl entries) {
    StructValues structs = (StructValues) entries.values;
    text.append('{');
    for (long i = 0; i < entries.length && !isFull(); i++) {
      if (i > 0) text.append(", ");
      long row = structs.row(entries.offset + i);
      append(structs.child(0), row, false);
      text.append(": ");
      append(structs.child(1), row, true);
    }
    text.append('}');
  }

  /** A timestamp with an offset; as it is stored, if java.time has none such. */
  private void appendTime(OffsetTimeValues times, long at) {
    OffsetDateTime time;
    try {
      time = times.getOffsetDateTime(at);
    } catch (ArithmeticException _) {
      appendStruct(times, at);
      return;
    }
    text.append(time);
  }

  private void appendInteger(FixedValues.Integers values, long at) {
    String time = TimeText.of(values.field.type(), values.getLong(at));
    text.append(time == null ? values.get(at) : time);
  }

  private void appendStruct(StructValues structs, long at) {
    text.append('{');
    for (int i = 0; i < structs.childCount() && !isFull(); i++) {
      if (i > 0) text.append(", ");
      append(structs.child(i).name(), false);
      text.append(": ");
      append(structs.child(i), structs.row(at), true);
    }
    text.append('}');
  }

  /** Text, or bytes as their numbers; no more of them than have a place, of which a character has four at most. */
  private void appendBytes(Values values, long at, boolean quote) {
    byte[] bytes = values.getBytes(at, 4L * (longest + 1));
    if (values.isText()) {
      append(new String(bytes, UTF_8), quote);
    } else {
      text.append(HEX.formatHex(bytes));
    }
  }

  private void append(String string, boolean quote) {
    if (quote) text.append('"');
    for (int i = 0; i < string.length() && !isFull(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        case '"' -> text.append(quote ? "\\\"" : "\"");
        default -> {
          if (Character.isISOControl(c)) {
            text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    if (quote) text.append('"');
  }
}
