// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the JSON (RFC 8259) in the parameters of extension types.
 *
 * <p>It returns objects as maps and arrays as lists, integers that fit as Longs, and other numbers as Doubles. Values
 * nest up to {@link #DEEPEST} levels. A repeated key is an error, because JSON readers disagree about it.
 */
final class JsonText {
  static final int DEEPEST = 32;

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  /**
   * Reads an object.
   *
   * @throws IllegalArgumentException if the bytes are not a JSON object; the message gives the cause and the
   *     character's position
   */
  static Map<String, @Nullable Object> readObject(byte[] utf8) {
    JsonText json = new JsonText(decode(utf8));
    json.skipSpace();
    Map<String, @Nullable Object> object = json.object(1);
    json.skipSpace();
    if (json.at != json.text.length()) throw json.wrong("something follows the object");
    return object;
  }

  private static String decode(byte[] utf8) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("its " + utf8.length + " bytes are not UTF-8", e);
    }
  }

  private Map<String, @Nullable Object> object(int depth) {
    expect('{', "an object begins");
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    skipSpace();
    if (take('}')) return object;
    do {
      skipSpace();
      String key = string();
      skipSpace();
      expect(':', "a colon follows a key");
      if (object.containsKey(key)) throw wrong("the key \"" + key + "\" occurs twice");
      object.put(key, value(depth));
      skipSpace();
    } while (take(','));
    expect('}', "an object ends");
    return object;
  }

  private List<@Nullable Object> array(int depth) {
    expect('[', "an array begins");
    List<@Nullable Object> array = new ArrayList<>();
    skipSpace();
    if (take(']')) return array;
    do {
      array.add(value(depth));
      skipSpace();
    } while (take(','));
    expect(']', "an array ends");
    return array;
  }

  private @Nullable Object value(int depth) {
    skipSpace();
    char first = at < text.length() ? text.charAt(at) : ' ';
    if (first == '"') return string();
    if (first == '-' || isDigit(first)) return number();
    if (first == '{' || first == '[') {
      if (depth == DEEPEST) throw wrong("it is nested deeper than " + DEEPEST);
      return first == '{' ? object(depth + 1) : array(depth + 1);
    }
    if (word("true")) return true;
    if (word("false")) return false;
    if (word("null")) return null;
    throw wrong("a value is expected");
  }

  private boolean word(String word) {
    if (!text.startsWith(word, at)) return false;
    at += word.length();
    return true;
  }

  private Object number() {
    int start = at;
    take('-');
    if (!take('0')) digits();
    boolean integer = true;
    if (take('.')) {
      integer = false;
      digits();
    }
    if (take('e') || take('E')) {
      integer = false;
      if (!take('+')) take('-');
      digits();
    }
    String number = text.substring(start, at);
    if (integer && number.length() < 19) return Long.parseLong(number);
    return Double.parseDouble(number);
  }

  private void digits() {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) at++;
    if (at == start) throw wrong("a digit is expected");
  }

  private String string() {
    expect('"', "a string begins");
    StringBuilder string = new StringBuilder();
    while (true) {
      if (at == text.length()) throw wrong("a string does not end");
      char c = text.charAt(at++);
      if (c == '"') return string.toString();
      if (c < ' ') throw wrong("a control character is in a string");
      string.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = at < text.length() ? text.charAt(at++) : ' ';
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("no escape is of this character");
    };
  }

  private char unicode() {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = at < text.length() && text.charAt(at) < 128 ? Character.digit(text.charAt(at), 16) : -1;
      if (digit < 0) throw wrong("four hexadecimal digits are expected");
      code = 16 * code + digit;
      at++;
    }
    return (char) code;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private boolean take(char c) {
    if (at == text.length() || text.charAt(at) != c) return false;
    at++;
    return true;
  }

  private void expect(char c, String why) {
    if (!take(c)) throw wrong("'" + c + "' is expected, by which " + why);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("at character " + at + " " + what);
  }

  /** Returns text as a JSON string. */
  static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ') {
        json.append(String.format("\\u%04x", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
