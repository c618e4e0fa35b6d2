// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.Format;
import org.arbalest.device.internal.schema.TypeChecks;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.types.FlatType.IntType;

/**
 * A type with child types: lists, structs, maps, unions, run-end-encoded types and dictionaries.
 *
 * <p>The methods of {@link DataType} make the common ones. The records of this interface are for {@code switch} and
 * {@code instanceof}. They also make the other types: maps with sorted keys, unions with other type ids, and ordered
 * dictionaries.
 */
public sealed interface NestedType extends DataType {
  @Override
  default String format() {
    return Format.write(this);
  }

  /**
   * Lists with 32-bit offsets.
   *
   * @param item the field of the elements
   */
  record ListType(Field item) implements NestedType {
    /** Checks that the item is not null. */
    public ListType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lists with 64-bit offsets.
   *
   * @param item the field of the elements
   */
  record LargeListType(Field item) implements NestedType {
    /** Checks that the item is not null. */
    public LargeListType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lists with 32-bit offsets and sizes. The lists may lie in any order in the child.
   *
   * @param item the field of the elements
   */
  record ListViewType(Field item) implements NestedType {
    /** Checks that the item is not null. */
    public ListViewType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lists with 64-bit offsets and sizes. The lists may lie in any order in the child.
   *
   * @param item the field of the elements
   */
  record LargeListViewType(Field item) implements NestedType {
    /** Checks that the item is not null. */
    public LargeListViewType {
      Objects.requireNonNull(item, "item");
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Lists that all have the same length.
   *
   * @param item the field of the elements
   * @param size the number of elements of each list, not negative
   */
  record FixedSizeListType(Field item, int size) implements NestedType {
    /** Checks the size. */
    public FixedSizeListType {
      Objects.requireNonNull(item, "item");
      TypeChecks.notNegative("size", size);
    }

    @Override
    public List<Field> children() {
      return List.of(item);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Tuples of named fields. This is the type of a record batch.
   *
   * @param fields the fields; names may repeat
   */
  record StructType(List<Field> fields) implements NestedType {
    /** Copies the list. */
    public StructType {
      Objects.requireNonNull(fields, "fields");
      fields = List.copyOf(fields);
    }

    @Override
    public List<Field> children() {
      return fields;
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Maps, stored as lists of entries.
   *
   * @param entries a struct of two fields with any names, the keys and the values; keys are not nullable
   * @param keysSorted whether the keys of each map are sorted
   */
  record MapType(Field entries, boolean keysSorted) implements NestedType {
    /** Checks the entries (SCH-14). */
    public MapType {
      Objects.requireNonNull(entries, "entries");
      TypeChecks.checkEntries(entries);
    }

    @Override
    public List<Field> children() {
      return List.of(entries);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Unions: each element has one of several types.
   *
   * @param mode how the children are stored
   * @param typeIds the id of each field, distinct and within 0..127
   * @param fields the fields
   */
  record UnionType(UnionMode mode, List<Integer> typeIds, List<Field> fields) implements NestedType {
    /** Checks the type ids (SCH-13). */
    public UnionType {
      Objects.requireNonNull(mode, "mode");
      Objects.requireNonNull(typeIds, "typeIds");
      Objects.requireNonNull(fields, "fields");
      typeIds = List.copyOf(typeIds);
      fields = List.copyOf(fields);
      TypeChecks.checkTypeIds(typeIds, fields.size());
    }

    @Override
    public List<Field> children() {
      return fields;
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Runs of equal values.
   *
   * @param runEnds the field of the run ends: int16, int32 or int64, without nulls
   * @param values the field of the values
   */
  record RunEndEncodedType(Field runEnds, Field values) implements NestedType {
    /** Checks the run ends (SCH-15). */
    public RunEndEncodedType {
      Objects.requireNonNull(runEnds, "runEnds");
      Objects.requireNonNull(values, "values");
      TypeChecks.checkRunEnds(runEnds);
    }

    @Override
    public List<Field> children() {
      return List.of(runEnds, values);
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /**
   * Indices into an array of values (SCH-09).
   *
   * @param index the type of the indices
   * @param values the field of the values
   * @param ordered whether the order of the values has a meaning
   */
  record DictionaryType(IntType index, Field values, boolean ordered) implements NestedType {
    /** Checks that the index type and the values are not null. */
    public DictionaryType {
      Objects.requireNonNull(index, "index");
      Objects.requireNonNull(values, "values");
    }

    /** Returns an empty list: the values are the dictionary, which is not a child. */
    @Override
    public List<Field> children() {
      return List.of();
    }

    @Override
    public String toString() {
      return TypeNames.of(this);
    }
  }

  /** The storage of a union's children. */
  enum UnionMode {
    /** Each child stores only its own elements. Offsets locate them. */
    DENSE,
    /** Each child is as long as the union. */
    SPARSE
  }
}
