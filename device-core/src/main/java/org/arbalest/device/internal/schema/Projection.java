// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Some fields of a struct, in an order, as a new struct. Each of them is whole, or is itself a struct with some of its
 * fields. Immutable.
 */
public final class Projection {
  /** The field of the new struct. It has the name, the nullability and the metadata of the other struct. */
  public final Field result;

  /** The number of new structs: this one, and those below it that have some of their fields. */
  public final int structs;

  /** The number of fields in all new structs. */
  public final long fields;

  private final int[] positions;
  private final @Nullable Projection[] parts;

  private Projection(Projection of, Field result) {
    this.result = result;
    this.structs = of.structs;
    this.fields = of.fields;
    this.positions = of.positions;
    this.parts = of.parts;
  }

  private Projection(Field struct, int[] positions, @Nullable Projection[] parts) {
    FieldImpl[] all = Layout.of(struct).children;
    Field[] selected = new Field[positions.length];
    int below = 1;
    long entries = positions.length;
    for (int i = 0; i < positions.length; i++) {
      Projection part = parts[i];
      selected[i] = part == null ? all[positions[i]] : part.result;
      if (part != null) {
        below += part.structs;
        entries += part.fields;
      }
    }
    this.result = struct.storage().withType(new StructType(Arrays.asList(selected)));
    this.structs = below;
    this.fields = entries;
    this.positions = positions;
    this.parts = parts;
  }

  /**
   * Returns the fields at these positions.
   *
   * @param struct a struct
   * @throws IndexOutOfBoundsException if a position is outside of the struct's fields
   */
  public static Projection of(Field struct, int... positions) {
    FieldImpl.unwrap(struct).checkPositions(positions);
    return new Projection(struct, positions.clone(), new Projection[positions.length]);
  }

  /**
   * Returns the fields with these paths; see {@link org.arbalest.device.RecordBatch#select(String...)}.
   *
   * @param struct a struct
   * @param where the owner of the fields, for the error
   * @throws IllegalArgumentException if no field has a path, or several fields have it
   */
  public static Projection of(Field struct, String where, String... paths) {
    Chosen chosen = new Chosen(FieldImpl.unwrap(struct));
    for (String path : paths) {
      Objects.requireNonNull(path, "path");
      int[] steps = find(chosen.struct, path, 0, 0, where);
      if (steps == null) throw missing(chosen.struct, path, where);
      chosen.add(steps, path);
    }
    return chosen.made();
  }

  /**
   * Returns all fields but those with these names.
   *
   * @param where the owner of the fields, for the error
   * @throws IllegalArgumentException if no field has a name, or several fields have it
   */
  public static Projection without(Field struct, String where, String... names) {
    FieldImpl[] all = Layout.of(struct).children;
    boolean[] isDropped = new boolean[all.length];
    for (String name : names) isDropped[find(struct, name, where)] = true;
    return of(struct, IntStream.range(0, all.length).filter(i -> !isDropped[i]).toArray());
  }

  /** Returns the same fields with these names, one for each field, in a struct without an extension type. */
  public Projection withNames(List<String> names) {
    List<Field> renamed = new ArrayList<>();
    for (Field field : result.type().children()) renamed.add(field.withName(names.get(renamed.size())));
    return new Projection(this, result.withType(new StructType(renamed)));
  }

  /**
   * Returns the position of the field with this name.
   *
   * @param where the owner of the fields, for the error
   * @throws IllegalArgumentException if no field has the name, or several fields have it
   */
  public static int find(Field struct, String name, String where) {
    Objects.requireNonNull(name, "name");
    int found = FieldImpl.unwrap(struct).indexOf(name, where);
    return found >= 0 ? found : FieldNames.find(struct.type().children(), name, () -> where);
  }

  /** Returns the positions of the other struct's fields that the new struct uses, each once. */
  public int[] used() {
    return Arrays.stream(positions).distinct().toArray();
  }

  /**
   * Returns the same fields of a struct that has only the {@linkplain #used used} fields, in their order. Returns null
   * if that struct is the new struct already.
   */
  public @Nullable Projection ofUsed(Field struct) {
    int[] used = used();
    if (used.length == positions.length && Arrays.stream(parts).allMatch(Objects::isNull)) return null;
    int[] moved = Arrays.stream(positions).map(position -> indexOf(used, position)).toArray();
    return new Projection(struct, moved, parts);
  }

  private static int indexOf(int[] positions, int position) {
    int index = 0;
    while (positions[index] != position) index++;
    return index;
  }

  /** Returns the number of fields of the new struct. */
  public int size() {
    return positions.length;
  }

  /** Returns the position that a field of the new struct has in the other struct. */
  public int position(int index) {
    return positions[index];
  }

  /** Returns which fields a field of the new struct has, or null if it has all. */
  public @Nullable Projection part(int index) {
    return parts[index];
  }

  /**
   * Returns the positions that lead to a nested field, or null without such a field. A name may contain dots, so that
   * the longest name that leads to the field counts.
   *
   * @param begin where the rest of the path begins
   */
  private static int @Nullable [] find(FieldImpl struct, String path, int begin, int depth, String where) {
    int whole = struct.indexOf(path.substring(begin), where);
    if (whole >= 0) {
      int[] steps = new int[depth + 1];
      steps[depth] = whole;
      return steps;
    }
    for (int dot = path.lastIndexOf('.'); dot >= begin; dot = path.lastIndexOf('.', dot - 1)) {
      int position = struct.indexOf(path.substring(begin, dot), where);
      if (position < 0 || struct.layout.children[position].layout.shape != Layout.Shape.STRUCT) continue;
      FieldImpl child = struct.layout.children[position];
      int[] steps = find(child, path, dot + 1, depth + 1, where + "'s struct \"" + child.name() + "\"");
      if (steps == null) continue;
      steps[depth] = position;
      return steps;
    }
    return null;
  }

  private static IllegalArgumentException missing(FieldImpl struct, String path, String where) {
    String names = names(struct);
    FieldImpl within = struct;
    int begin = 0;
    String reason = "; it has " + names;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      int position = within.indexOf(path.substring(begin, dot), where);
      if (position < 0) continue;
      FieldImpl child = within.layout.children[position];
      String prefix = path.substring(0, dot);
      if (child.layout.shape != Layout.Shape.STRUCT) {
        reason = ": \"" + prefix + "\" is of type " + child.type() + ", but only structs have fields to select";
        break;
      }
      reason = "; \"" + prefix + "\" has " + names(child);
      within = child;
      begin = dot + 1;
    }
    return new IllegalArgumentException(where + " has no field \"" + path + "\"" + reason);
  }

  private static String names(FieldImpl struct) {
    return Arrays.stream(struct.layout.children).map(Field::name).toList().toString();
  }

  /** The fields of a struct that are chosen so far. */
  private static final class Chosen {
    /**
     * A chosen field.
     *
     * @param path the path that chose it, for the error
     * @param part its chosen fields, or null if it is whole
     */
    private record Choice(int position, String path, @Nullable Chosen part) {}

    final FieldImpl struct;
    private final List<Choice> choices = new ArrayList<>();

    Chosen(FieldImpl struct) {
      this.struct = struct;
    }

    /** Adds the field to which the positions lead. */
    void add(int[] steps, String path) {
      Chosen within = this;
      for (int depth = 0; depth < steps.length - 1; depth++) within = within.part(steps[depth], path);
      within.choices.add(new Choice(steps[steps.length - 1], path, null));
    }

    /** Returns the chosen fields of a struct, which stands where the first of them was chosen. */
    private Chosen part(int position, String path) {
      for (Choice choice : choices) {
        if (choice.position == position && choice.part != null) return choice.part;
      }
      Chosen part = new Chosen(struct.layout.children[position]);
      choices.add(new Choice(position, path, part));
      return part;
    }

    Projection made() {
      int[] positions = new int[choices.size()];
      Projection[] made = new Projection[positions.length];
      for (int i = 0; i < positions.length; i++) {
        Choice choice = choices.get(i);
        positions[i] = choice.position;
        if (choice.part == null) continue;
        requireNotWhole(choice);
        made[i] = choice.part.made();
      }
      return new Projection(struct, positions, made);
    }

    private void requireNotWhole(Choice part) {
      for (Choice choice : choices) {
        if (choice.position != part.position || choice.part != null) continue;
        throw new IllegalArgumentException("\"" + part.path + "\" is selected, and \"" + choice.path
            + "\", which has it already: select either the struct or its fields");
      }
    }
  }
}
