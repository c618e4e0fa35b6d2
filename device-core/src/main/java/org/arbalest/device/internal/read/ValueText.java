// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.Locale;
import org.arbalest.device.DeviceArray;

/**
 * Readable text for values: on one line, and of limited length. It reads no more of a value than it displays, because a
 * few bytes from a producer can declare any number of elements.
 */
final class ValueText {
  /** The text for a value that cannot be read. */
  static final String UNREADABLE = "?";

  private static final int LONGEST = 120;
  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder text = new StringBuilder();
  private final int longest;

  private ValueText(int longest) {
    this.longest = longest;
  }

  /** Returns the value of a row, with quotes around text. */
  static String quoted(ColumnImpl column, long row) {
    ValueText value = new ValueText(LONGEST);
    value.append(column, row, true);
    return shortened(value.text.toString(), LONGEST);
  }

  /** Returns the value of a row, without quotes around text. Control characters are escaped. */
  static String plain(ColumnImpl column, long row, int longest) {
    ValueText value = new ValueText(longest);
    value.append(column, row, false);
    return shortened(value.text.toString(), longest);
  }

  /**
   * Returns a colon and the first values of a column in brackets. Returns an empty string if they cannot be read
   * without a wait.
   */
  static String firstValues(ColumnImpl column) {
    try (DeviceArray _ = column.array.retain()) {
      if (!column.array.isReadable()) return "";
      ValueText values = new ValueText(LONGEST);
      values.appendList(column);
      return ": " + shortened(values.text.toString(), LONGEST);
    } catch (IllegalStateException _) { // closed, perhaps at this moment
      return "";
    } catch (RuntimeException _) { // malformed, or of a type that has no reader
      return ": " + UNREADABLE;
    }
  }

  /** Returns a text without quotes. Control characters are escaped. */
  static String plain(String string, int longest) {
    ValueText value = new ValueText(longest);
    value.append(string, false);
    return shortened(value.text.toString(), longest);
  }

  /** Returns a text, which is cut between two code points if it is too long. */
  static String shortened(String text, int longest) {
    if (text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest - 1)) + "…";
  }

  /** Returns whether further text would be cut, even if every character so far is a surrogate pair. */
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

  /**
   * Appends a value of an extension type; returns false for other types. The codec is the application's code and may
   * throw.
   */
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

  /** Appends a timestamp with an offset; as its storage if {@code java.time} cannot represent it. */
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

  /** Appends text, or bytes in hexadecimal. It reads only as many bytes as fit, at up to four bytes per character. */
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
