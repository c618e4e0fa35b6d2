// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value in a JSON text, with its place for messages, such as {@code $.batches[1].columns[2].OFFSET[7]}.
 *
 * @param node the value
 * @param place the way from the root of the text to the value
 */
record Json(JsonNode node, String place) {
  /** Returns a member of an object. */
  Json member(String name) {
    Json member = optional(name);
    if (member == null) throw fault("\"" + name + "\" is missing");
    return member;
  }

  /** Returns a member of an object; null if it is missing, or a JSON null. */
  @Nullable
  Json optional(String name) {
    if (!node.isObject()) throw fault("an object is expected, not " + kind());
    JsonNode member = node.get(name);
    return member == null || member.isNull() ? null : new Json(member, place + "." + name);
  }

  /** Throws unless each member of an object is known. */
  void allow(List<String> names) {
    for (String name : (Iterable<String>) node::fieldNames) {
      if (!names.contains(name)) throw fault("the member \"" + name + "\" is unknown here");
    }
  }

  /** Returns the number of elements of a list. */
  int size() {
    if (!node.isArray()) throw fault("a list is expected, not " + kind());
    return node.size();
  }

  /** Returns an element of a list. */
  Json at(int index) {
    return new Json(node.get(index), place + "[" + index + "]");
  }

  /** Returns the results of a function for each element of a list. */
  <T> List<T> map(Function<Json, T> function) {
    List<T> results = new ArrayList<>();
    for (int i = 0; i < size(); i++) results.add(function.apply(at(i)));
    return results;
  }

  /** Returns the elements of a list with a known number of elements. */
  Json sized(long expected) {
    if (size() != expected) throw fault("it has " + size() + " elements instead of " + expected);
    return this;
  }

  String text() {
    if (!node.isTextual()) throw fault("a text is expected, not " + kind());
    return node.textValue();
  }

  boolean bool() {
    if (node.isBoolean()) return node.booleanValue();
    long number = integer();
    if (number != 0 && number != 1) throw fault("a boolean is expected, not " + number);
    return number == 1;
  }

  /** Returns an integer, which is a number or, as those of 64 bits are, a text. */
  long integer() {
    if (node.isIntegralNumber() && node.canConvertToLong()) return node.longValue();
    if (!node.isTextual()) throw fault("an integer of at most 64 bits is expected, not " + kind());
    try {
      return Long.parseLong(node.textValue());
    } catch (NumberFormatException e) {
      throw fault("an integer of at most 64 bits is expected, not \"" + node.textValue() + "\"");
    }
  }

  /** Returns an integer within bounds, which include both ends. */
  long integer(long least, long most) {
    long number = integer();
    if (number < least || number > most) {
      throw fault(number + " is not within " + least + " to " + most);
    }
    return number;
  }

  /** Returns a number of elements or bytes. */
  int count() {
    return (int) integer(0, Integer.MAX_VALUE);
  }

  /** Returns one of an enumeration's constants by its name. */
  <E extends Enum<E>> E constant(Class<E> type) {
    String name = text();
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) return constant;
    }
    throw fault("\"" + name + "\" is none of " + List.of(type.getEnumConstants()));
  }

  JsonFormatException fault(String text) {
    return new JsonFormatException(place, text);
  }

  private String kind() {
    String text = node.toString();
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }
}
