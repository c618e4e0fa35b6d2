// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Extension.Json;
import org.arbalest.device.types.Extension.Opaque;
import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Extension.ParquetVariant;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/** Conversion between the metadata of a field and its extension type with parameters. See {@link Extension}. */
final class Extensions {
  /** The metadata keys of extension types (SCH-16). */
  static final String NAME = "ARROW:extension:name";

  static final String METADATA = "ARROW:extension:metadata";

  private static final byte[] NONE = {};

  private Extensions() {}

  /**
   * Returns the extension type in the metadata, or null without one. Metadata that does not fit the type is no error,
   * but gives {@link Other}.
   */
  static @Nullable Extension of(DataType type, Metadata metadata) {
    String name = metadata.isEmpty() ? null : metadata.get(NAME);
    if (name == null) return null;
    byte[] parameters = metadata.getBytes(METADATA);
    try {
      Extension canonical = canonical(name, parameters == null ? NONE : parameters);
      if (canonical == null) return new Other(name, parameters, null);
      String mismatch = Storage.mismatch(canonical, type);
      return mismatch == null ? canonical : new Other(name, parameters, mismatch);
    } catch (IllegalArgumentException e) {
      return new Other(name, parameters, "the parameters of " + name + " are wrong: " + e.getMessage());
    }
  }

  private static @Nullable Extension canonical(String name, byte[] parameters) {
    return switch (name) {
      case "arrow.uuid" -> new Uuid();
      case "arrow.bool8" -> new Bool8();
      case "arrow.json" -> new Json();
      case "arrow.timestamp_with_offset" -> new TimestampWithOffset();
      case "arrow.parquet.variant" -> new ParquetVariant();
      case "arrow.opaque" -> {
        Map<String, @Nullable Object> object = object(parameters);
        yield new Opaque(text(object, "type_name"), text(object, "vendor_name"));
      }
      case "arrow.fixed_shape_tensor" -> {
        Map<String, @Nullable Object> object = object(parameters);
        if (object.get("shape") == null) throw new IllegalArgumentException("there is no \"shape\"");
        yield new FixedShapeTensor(integers(object, "shape"), texts(object, "dim_names"),
            integers(object, "permutation"));
      }
      case "arrow.variable_shape_tensor" -> {
        Map<String, @Nullable Object> object = parameters.length == 0 ? Map.of() : object(parameters);
        yield new VariableShapeTensor(texts(object, "dim_names"), integers(object, "permutation"),
            someIntegers(object, "uniform_shape"));
      }
      default -> null;
    };
  }

  private static Map<String, @Nullable Object> object(byte[] parameters) {
    return JsonText.readObject(parameters);
  }

  private static String text(Map<String, @Nullable Object> object, String key) {
    if (object.get(key) instanceof String text) return text;
    throw new IllegalArgumentException("\"" + key + "\" is a string, not " + object.get(key));
  }

  private static List<?> list(Map<String, @Nullable Object> object, String key) {
    Object list = object.get(key);
    if (list == null) return List.of();
    if (list instanceof List<?> values) return values;
    throw new IllegalArgumentException("\"" + key + "\" is an array, not " + list);
  }

  private static List<String> texts(Map<String, @Nullable Object> object, String key) {
    List<String> texts = new ArrayList<>();
    for (Object value : list(object, key)) {
      if (!(value instanceof String text))
        throw new IllegalArgumentException("\"" + key + "\" has strings, not " + value);
      texts.add(text);
    }
    return texts;
  }

  private static List<Integer> integers(Map<String, @Nullable Object> object, String key) {
    List<Integer> integers = new ArrayList<>();
    for (Object value : list(object, key)) integers.add(integer(key, value));
    return integers;
  }

  private static List<@Nullable Integer> someIntegers(Map<String, @Nullable Object> object, String key) {
    List<@Nullable Integer> integers = new ArrayList<>();
    for (Object value : list(object, key)) integers.add(value == null ? null : integer(key, value));
    return integers;
  }

  private static int integer(String key, @Nullable Object value) {
    if (value instanceof Long number && number == number.intValue()) return number.intValue();
    throw new IllegalArgumentException("\"" + key + "\" has integers of 32 bits, not " + value);
  }

  /** Returns the parameters as the metadata has them; null if the metadata lacks even the key. */
  static byte @Nullable [] metadata(Extension extension) {
    return switch (extension) {
      case Other other -> other.metadata();
      case Opaque(String type, String vendor) ->
          json("\"type_name\": " + quoted(type), "\"vendor_name\": " + quoted(vendor));
      case FixedShapeTensor tensor ->
          json("\"shape\": " + tensor.shape(), names(tensor.dimNames()), list("permutation", tensor.permutation()));
      case VariableShapeTensor tensor ->
          json(names(tensor.dimNames()), list("permutation", tensor.permutation()),
              list("uniform_shape", tensor.uniformShape()));
      case Uuid _, Bool8 _, Json _, TimestampWithOffset _, ParquetVariant _ -> NONE;
    };
  }

  private static byte[] json(String... members) {
    String object =
        Arrays.stream(members).filter(member -> !member.isEmpty()).collect(Collectors.joining(", ", "{", "}"));
    return object.equals("{}") ? NONE : object.getBytes(UTF_8);
  }

  private static String names(List<String> names) {
    return names.isEmpty() ? "" : list("dim_names", names.stream().map(Extensions::quoted).toList());
  }

  /** Returns a list as JSON. Java and JSON write these values in the same way. */
  private static String list(String key, List<? extends @Nullable Object> values) {
    return values.isEmpty() ? "" : "\"" + key + "\": " + values;
  }

  private static String quoted(String text) {
    return JsonText.quoted(text);
  }
}
