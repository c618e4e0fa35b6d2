// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.Mismatch;
import org.arbalest.device.internal.schema.OtherLayout;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** The types to which arrays can be converted: types with the same values in another layout or encoding. */
final class Compatible {
  private Compatible() {}

  /** Throws {@link Mismatch}, with the path and both types, if a field cannot be converted to another. */
  static void check(Field from, Field to) {
    check(from, to, false);
  }

  private static void check(Field from, Field to, boolean isEntry) {
    DataType type = from.type();
    DataType asked = to.type();
    if (type instanceof RunEndEncodedType runs && !(asked instanceof RunEndEncodedType)) {
      check(encodedBy(from, runs.values()), to);
      return;
    }
    if (type instanceof DictionaryType encoded && !(asked instanceof DictionaryType)) {
      check(encodedBy(from, encoded.values()), to);
      return;
    }
    if (Booleans.areConvertible(from, to)) return;
    checkExtension(from, to);
    if (type instanceof DictionaryType encoded && asked instanceof DictionaryType wanted) {
      if (wanted.ordered() && !encoded.ordered())
        throw refused(from, to, "the dictionary is not known to be ordered");
      try {
        check(encoded.values(), wanted.values());
      } catch (MalformedException e) {
        throw e.under(MalformedException.DICTIONARY);
      }
    } else if (type instanceof StructType && asked instanceof StructType) {
      int[] children = fields(from, to, isEntry);
      for (int i = 0; i < children.length; i++) below(type.children().get(children[i]), asked.children().get(i), false);
    } else {
      String why = difference(type, asked);
      if (why != null) throw refused(from, to, why);
      int first = asked instanceof RunEndEncodedType ? 1 : 0; // run ends may have any width
      for (int i = first; i < asked.children().size(); i++)
        below(type.children().get(i), asked.children().get(i), asked instanceof MapType);
    }
  }

  /**
   * Returns the field of the values of a dictionary or of runs. If the outer field has an extension type, the values
   * have it, too.
   */
  private static Field encodedBy(Field from, Field values) {
    return from.extensionName() == null ? values : values.withMetadata(from.metadata());
  }

  private static void below(Field from, Field to, boolean isEntry) {
    try {
      check(from, to, isEntry);
    } catch (MalformedException e) {
      throw e.under(to.name());
    }
  }

  /** Returns why a type cannot be converted, regardless of its children; null if it can. */
  private static @Nullable String difference(DataType type, DataType asked) {
    return switch (asked) {
      case MapType(_, boolean sorted) when type instanceof MapType(_, boolean isSorted) ->
          sorted && !isSorted ? "the keys are not known to be sorted" : null;
      case UnionType wanted when type instanceof UnionType union ->
          union.mode() != wanted.mode() || !union.typeIds().equals(wanted.typeIds())
              ? "unions keep their mode and their type ids" : null;
      case FixedSizeListType(_, int size) when type instanceof FixedSizeListType(_, int own) ->
          size == own ? null : "the sizes of the lists differ";
      case RunEndEncodedType _, DictionaryType _ ->
          type.getClass() == asked.getClass() ? null : "values are not encoded";
      default ->
          OtherLayout.is(type, asked) || (type.children().isEmpty() && asked.children().isEmpty() && type.equals(asked))
              ? null : "";
    };
  }

  private static Mismatch refused(Field from, Field to, String why) {
    String what = TypeNames.of(from) + " cannot be converted to " + TypeNames.of(to);
    return new Mismatch(why.isEmpty() ? what : what + ": " + why);
  }

  /**
   * Checks extension types. A conversion may drop one, but never adds one, because the storage alone does not have its
   * meaning; booleans do, and are checked before. If it stays, its storage must fit.
   */
  private static void checkExtension(Field from, Field to) {
    Extension asked = to.extension();
    if (asked == null) return;
    Extension own = from.extension();
    if (own == null || !own.name().equals(asked.name())) throw refused(from, to, "");
    if (asked instanceof Other other && other.mismatch() != null && !(own instanceof Other))
      throw refused(from, to, other.mismatch());
    if (!asked.equals(own) && !Arrays.equals(parameters(from), parameters(to)))
      throw refused(from, to, "the parameters differ");
  }

  private static byte[] parameters(Field field) {
    byte[] parameters = field.extensionMetadata();
    return parameters == null ? new byte[0] : parameters;
  }

  /**
   * Returns the index of the source's field for each field of the requested struct. Fields match by name. If both
   * structs have the same names, or for the entries of a map, they match by position.
   */
  static int[] fields(Field from, Field to, boolean isEntry) {
    List<Field> own = from.type().children();
    List<Field> asked = to.type().children();
    int[] found = new int[asked.size()];
    boolean isByPosition = isEntry || names(own).equals(names(asked));
    Map<String, Integer> places = isByPosition ? Map.of() : places(own);
    for (int i = 0; i < found.length; i++) found[i] = isByPosition ? i : place(places, own, asked.get(i).name());
    return found;
  }

  /** Returns the position of each name; negative for a repeated name. */
  private static Map<String, Integer> places(List<Field> fields) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < fields.size(); i++) places.merge(fields.get(i).name(), i, (_, _) -> -1);
    return places;
  }

  private static int place(Map<String, Integer> places, List<Field> own, String name) {
    int place = places.getOrDefault(name, -1);
    if (place >= 0) return place;
    try {
      return FieldNames.find(own, name, () -> "the struct"); // throws with the reason
    } catch (IllegalArgumentException e) {
      throw new Mismatch(String.valueOf(e.getMessage()));
    }
  }

  private static List<String> names(List<Field> fields) {
    return fields.stream().map(Field::name).toList();
  }

  /**
   * Returns whether an array of a field can become an array of the other with all its buffers unchanged. The fields
   * must be convertible. The names in the entries of a map are ignored.
   */
  @SuppressWarnings("ReferenceEquality") // a shortcut: in most cases both are the same object
  static boolean isSame(Field from, Field to, boolean isEntry) {
    if (from == to) return true;
    if (from.isNullable() && !to.isNullable()) return false;
    Layout layout = Layout.of(from);
    Layout asked = Layout.of(to);
    if (layout.children.length != asked.children.length || !layout.format.equals(asked.format)) return false;
    if (from.type() instanceof StructType) {
      int[] children = fields(from, to, isEntry);
      for (int i = 0; i < children.length; i++) {
        if (children[i] != i) return false;
      }
    }
    for (int i = 0; i < layout.children.length; i++) {
      if (!isSame(layout.children[i], asked.children[i], from.type() instanceof MapType)) return false;
    }
    if (layout.dictionary == null || asked.dictionary == null)
      return layout.dictionary == null && asked.dictionary == null;
    return isSame(layout.dictionary, asked.dictionary, false);
  }
}
