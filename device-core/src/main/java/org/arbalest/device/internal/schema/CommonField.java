// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
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

/** The field of which arrays of two fields are: the first, nullable where either is. */
public final class CommonField {
  private CommonField() {}

  /** Throws {@link Mismatch} where the types differ, or the names of the fields of a struct or a union; those of a map's entries do not count. */
  public static Field of(Field first, Field other) {
    return of(first, other, false);
  }

  /** Throws unless what is of a producer's field can be read as what the importer expects; whether a batch itself may be null is no matter. */
  public static void checkExpected(Field expected, Field given) {
    try {
      requireExpected(expected, expected.type() instanceof StructType ? given.withNullable(expected.isNullable()) : given, false);
    } catch (Malformed e) {
      throw e.toDeviceException("the schema is not the expected one: ");
    }
  }

  private static void requireExpected(Field expected, Field given, boolean isEntry) {
    if (!Layout.of(expected).isLike(Layout.of(given)) || ((expected.flags() ^ given.flags()) & Layout.PROMISES) != 0) {
      throw new Mismatch("\"" + given + "\", and \"" + expected + "\" is expected");
    }
    if (given.isNullable() && !expected.isNullable()) throw new Mismatch("there may be nulls, and none are expected");
    List<Field> ours = expected.type().children();
    List<Field> theirs = given.type().children();
    boolean isNamed = FieldNames.count(expected.type()) && !isEntry;
    for (int i = 0; i < ours.size(); i++) {
      Field field = ours.get(i);
      if (isNamed && !field.name().equals(theirs.get(i).name())) {
        throw new Mismatch("field " + i + " is \"" + theirs.get(i) + "\", and \"" + field + "\" is expected");
      }
      expectedBelow(field, theirs.get(i), expected.type() instanceof MapType, field.name());
    }
    if (expected.type() instanceof DictionaryType with && given.type() instanceof DictionaryType encoded) {
      expectedBelow(with.values(), encoded.values(), false, Malformed.DICTIONARY);
    }
  }

  private static void expectedBelow(Field expected, Field given, boolean isEntry, String name) {
    try {
      requireExpected(expected, given, isEntry);
    } catch (Malformed e) {
      throw e.under(name);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the same in most cases, which is then known at once
  private static Field of(Field first, Field other, boolean isEntry) {
    if (first == other) return first;
    DataType type = type(first, other, isEntry);
    Field same = type == first.type() ? first : first.withType(type);
    return first.isNullable() || !other.isNullable() ? same : same.withNullable(true);
  }

  /** The first one's type, itself if nothing in it becomes nullable. */
  @SuppressWarnings("ReferenceEquality") // what becomes nullable is made anew
  private static DataType type(Field first, Field other, boolean isEntry) {
    if (!Layout.of(first).isLike(Layout.of(other))) throw new Mismatch("one is \"" + other + "\", the first \"" + first + "\"");
    if (((first.flags() ^ other.flags()) & Layout.PROMISES) != 0) throw new Mismatch("they differ in whether keys are sorted, or the dictionary is ordered");
    DataType type = first.type();
    if (type instanceof DictionaryType(var index, Field values, boolean ordered) && other.type() instanceof DictionaryType with) {
      Field common = below(values, with.values(), false, Malformed.DICTIONARY);
      return common == values ? type : new DictionaryType(index, common, ordered);
    }
    List<Field> ours = type.children();
    List<Field> theirs = other.type().children();
    List<Field> common = new ArrayList<>(ours.size());
    boolean isNamed = FieldNames.count(type) && !isEntry;
    boolean isSame = true;
    for (int i = 0; i < ours.size(); i++) {
      Field field = ours.get(i);
      if (isNamed && !field.name().equals(theirs.get(i).name())) {
        throw new Mismatch("field " + i + " is \"" + theirs.get(i) + "\", of the first \"" + field + "\"");
      }
      common.add(below(field, theirs.get(i), type instanceof MapType, field.name()));
      isSame &= common.get(i) == field;
    }
    return isSame ? type : with(type, common);
  }

  private static Field below(Field first, Field other, boolean isEntry, String name) {
    try {
      return of(first, other, isEntry);
    } catch (Malformed e) {
      throw e.under(name);
    }
  }

  private static DataType with(DataType type, List<Field> children) {
    return switch (type) {
      case ListType _ -> new ListType(children.getFirst());
      case LargeListType _ -> new LargeListType(children.getFirst());
      case ListViewType _ -> new ListViewType(children.getFirst());
      case LargeListViewType _ -> new LargeListViewType(children.getFirst());
      case FixedSizeListType(_, int size) -> new FixedSizeListType(children.getFirst(), size);
      case StructType _ -> new StructType(children);
      case MapType(_, boolean sorted) -> new MapType(children.getFirst(), sorted);
      case UnionType union -> new UnionType(union.mode(), union.typeIds(), children);
      case RunEndEncodedType _ -> new RunEndEncodedType(children.get(0), children.get(1));
      default -> throw new AssertionError(type); // has no children
    };
  }
}
