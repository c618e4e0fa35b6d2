package org.arbalest.device.internal.read;

import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values for people: on one line, and no longer than somebody reads. */
final class ValueText {
  private static final int LONGEST = 120;
  private static final HexFormat HEX = HexFormat.of();

  private ValueText() {}

  /** A value; text in quotes. */
  static String quoted(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    append(text, value, true);
    return shortened(text.toString(), LONGEST);
  }

  /** A value; text as it is, but for characters that are not for a line. */
  static String plain(@Nullable Object value, int longest) {
    StringBuilder text = new StringBuilder();
    append(text, value, false);
    return shortened(text.toString(), longest);
  }

  /** A text that is cut if it is too long, between two code points. */
  static String shortened(String text, int longest) {
    if (text.codePointCount(0, text.length()) <= longest) return text;
    return text.substring(0, text.offsetByCodePoints(0, longest - 1)) + "…";
  }

  private static void append(StringBuilder text, @Nullable Object value, boolean quote) {
    if (text.length() > LONGEST) return; // what follows is cut
    switch (value) {
      case String string -> appendText(text, string, quote);
      case byte[] bytes -> appendBytes(text, bytes);
      case List<?> list -> {
        text.append('[');
        for (int i = 0; i < list.size() && text.length() <= LONGEST; i++) append(text.append(i == 0 ? "" : ", "), list.get(i), true);
        text.append(']');
      }
      case Map<?, ?> map -> {
        text.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          append(text.append(separator), entry.getKey(), false);
          append(text.append(": "), entry.getValue(), true);
          separator = ", ";
          if (text.length() > LONGEST) break;
        }
        text.append('}');
      }
      case null, default -> text.append(value);
    }
  }

  private static void appendText(StringBuilder text, String string, boolean quote) {
    if (quote) text.append('"');
    for (int i = 0; i < string.length() && text.length() <= LONGEST; i++) {
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
    if (Character.isHighSurrogate(text.isEmpty() ? 'x' : text.charAt(text.length() - 1))) text.setLength(text.length() - 1);
    if (quote) text.append('"');
  }

  private static void appendBytes(StringBuilder text, byte[] bytes) {
    HEX.formatHex(bytes, 0, Math.min(bytes.length, LONGEST)).codePoints().forEach(text::appendCodePoint);
  }
}
