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

/** The field that fits the arrays of two fields: the first field, nullable where either of them is. */
public final class CommonField {
  private CommonField() {}

  /**
   * Returns the common field.
   *
   * <p>Throws {@link Mismatch} if the types differ, or the names of the fields of a struct or a union. The names of a
   * map's entries may differ.
   */
  public static Field of(Field first, Field other) {
    return of(first, other, false, false);
  }

  /**
   * Throws unless arrays of the producer's field can be read as arrays of the expected field.
   *
   * <p>It ignores whether a batch itself, the entries of a map or the values of a dictionary are nullable. Many
   * producers declare these nullable without need.
   */
  public static void checkExpected(Field expected, Field given) {
    try {
      of(expected, expected.type() instanceof StructType ? given.withNullable(expected.isNullable()) : given, false,
          true);
    } catch (MalformedException e) {
      throw e.toDeviceException("the schema is not the expected one: ");
    }
  }

  /** With {@code isExpected} no field becomes nullable: the first field must be nullable wherever the other is. */
  @SuppressWarnings("ReferenceEquality") // a shortcut: in most cases both are the same object
  private static Field of(Field first, Field other, boolean isEntry, boolean isExpected) {
    if (first == other) return first;
    DataType type = type(first, other, isEntry, isExpected);
    Field same = type == first.type() ? first : first.withType(type);
    if (first.isNullable() || !other.isNullable() || (isEntry && isExpected)) return same;
    if (isExpected) throw new Mismatch("the field is nullable, but the expected field is not");
    return same.withNullable(true);
  }

  /** Returns the type of the first field: the same object, unless a field in it becomes nullable. */
  @SuppressWarnings("ReferenceEquality") // a field that becomes nullable is a new object
  private static DataType type(Field first, Field other, boolean isEntry, boolean isExpected) {
    if (!Layout.of(first).isLike(Layout.of(other))) {
      throw new Mismatch(
          isExpected ? expected("", other, first) : "one is \"" + other + "\", the first \"" + first + "\"");
    }
    if (((first.flags() ^ other.flags()) & Layout.PROMISES) != 0)
      throw new Mismatch("they differ in whether keys are sorted, or the dictionary is ordered");
    DataType type = first.type();
    if (type instanceof DictionaryType(var index, Field values, boolean ordered)
        && other.type() instanceof DictionaryType with) {
      Field theirs = isExpected ? with.values().withNullable(values.isNullable()) : with.values();
      Field common = below(values, theirs, false, isExpected, MalformedException.DICTIONARY);
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
        String which = "field " + i + " is ";
        throw new Mismatch(isExpected ? expected(which, theirs.get(i), field)
            : which + "\"" + theirs.get(i) + "\", of the first \"" + field + "\"");
      }
      common.add(below(field, theirs.get(i), type instanceof MapType, isExpected, field.name()));
      isSame &= common.get(i) == field;
    }
    return isSame ? type : with(type, common);
  }

  private static String expected(String which, Field given, Field expected) {
    return which + "\"" + given + "\", and \"" + expected + "\" is expected";
  }

  private static Field below(Field first, Field other, boolean isEntry, boolean isExpected, String name) {
    try {
      return of(first, other, isEntry, isExpected);
    } catch (MalformedException e) {
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
      default -> throw new AssertionError(type); // such a type has no children
    };
  }
}
