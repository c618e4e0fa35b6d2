// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * The conversion plan of a field: an Arrow Java field, the equivalent field of this library, and properties of its
 * vectors. Immutable.
 */
final class VectorPlan {
  private static final VectorPlan[] NONE = {};

  private static final String SYNC = "; VectorSchemaRoot.syncSchema updates the schema";

  final Field field;

  /** The kind of its vectors; for an extension type, that of its storage type. */
  final MinorType minorType;

  final VectorPlan[] children;

  /** For a field with a dictionary: its number and the plan of its values. */
  final long dictionaryId;

  final @Nullable VectorPlan dictionary;

  /** Arrow Java's field of the dictionary values. */
  private final org.apache.arrow.vector.types.pojo.@Nullable Field dictionaryField;

  /** For a union: the id of each child. */
  final byte[] typeIds;

  /** For a union: the child of each id from 0 to 127, or −1. */
  private final byte[] childOf;

  /** The approximate number of buffers, including those of the children. */
  final int buffers;

  /** The number of bytes or items of each element if the type fixes it; otherwise −1. */
  private final int size;

  /** Whether this field or one of its children has a dictionary. */
  final boolean hasDictionary;

  /** Whether this field or one of its children is a dense union. */
  final boolean hasDenseUnion;

  private VectorPlan(
      Field field, MinorType minorType, VectorPlan[] children, long dictionaryId,
      org.apache.arrow.vector.types.pojo.@Nullable Field dictionaryField,
      @Nullable VectorPlan dictionary) {
    this.field = field;
    this.minorType = minorType;
    this.children = children;
    this.dictionaryId = dictionaryId;
    this.dictionaryField = dictionaryField;
    this.dictionary = dictionary;
    List<Integer> ids = field.type() instanceof UnionType union ? union.typeIds() : List.of();
    this.typeIds = new byte[ids.size()];
    this.childOf = new byte[field.type() instanceof UnionType ? Byte.MAX_VALUE + 1 : 0];
    Arrays.fill(childOf, (byte) -1);
    for (int i = 0; i < ids.size(); i++) {
      typeIds[i] = ids.get(i).byteValue();
      childOf[typeIds[i]] = (byte) i;
    }
    int all = 2; // the number for most types
    boolean encoded = dictionary != null;
    boolean dense = minorType == MinorType.DENSEUNION;
    for (VectorPlan child : children) {
      all += child.buffers;
      encoded |= child.hasDictionary;
      dense |= child.hasDenseUnion;
    }
    this.buffers = dictionary == null ? all : all + dictionary.buffers;
    this.size =
        switch (field.type()) {
          case FixedSizeBinaryType binary -> binary.width();
          case FixedSizeListType list -> list.size();
          default -> -1;
        };
    this.hasDictionary = encoded;
    this.hasDenseUnion = dense;
  }

  /** Returns the plan of a field; throws {@link Unfit}. */
  static VectorPlan of(org.apache.arrow.vector.types.pojo.Field field, @Nullable DictionaryProvider dictionaries) {
    VectorPlan[] children = children(field.getChildren(), dictionaries);
    DictionaryEncoding encoding = field.getDictionary();
    long id = encoding == null ? 0 : encoding.getId();
    org.apache.arrow.vector.types.pojo.Field values = encoding == null ? null : dictionaryField(id, dictionaries);
    VectorPlan dictionary = values == null ? null : dictionary(values, dictionaries);
    try {
      DataType type =
          dictionary == null ? type(field.getType(), children) : encoded(field.getType(), dictionary, encoding);
      String name = field.getName() == null ? "" : field.getName();
      Field ours = Field.of(name, type).withNullable(field.isNullable())
          .withMetadata(ArrowSchemas.metadata(field.getMetadata()));
      return new VectorPlan(ours, ArrowTypes.minorType(field.getType()), children, id, values, dictionary);
    } catch (IllegalArgumentException e) { // rejected by the types of this library
      throw Unfit.of(e);
    }
  }

  static VectorPlan[] children(List<org.apache.arrow.vector.types.pojo.Field> fields,
      @Nullable DictionaryProvider dictionaries) {
    if (fields.isEmpty()) return NONE;
    VectorPlan[] children = new VectorPlan[fields.size()];
    for (int i = 0; i < children.length; i++) {
      try {
        children[i] = of(fields.get(i), dictionaries);
      } catch (Unfit e) {
        throw e.under(fields.get(i).getName());
      }
    }
    return children;
  }

  static List<Field> fields(VectorPlan[] children) {
    List<Field> fields = new ArrayList<>(children.length);
    for (VectorPlan child : children) fields.add(child.field);
    return fields;
  }

  private static DataType type(ArrowType type, VectorPlan[] children) {
    return ArrowTypes.toDataType(type, fields(children));
  }

  private static DataType encoded(ArrowType type, VectorPlan dictionary, DictionaryEncoding encoding) {
    if (!(type instanceof ArrowType.Int index)) {
      throw new Unfit("has a dictionary, but the type " + type
          + ": in memory it has the type of the indices, see DictionaryUtility.toMemoryFormat");
    }
    return new DictionaryType(ArrowTypes.toIntType(index), dictionary.field, encoding.isOrdered());
  }

  private static org.apache.arrow.vector.types.pojo.Field dictionaryField(long id,
      @Nullable DictionaryProvider dictionaries) {
    try {
      return lookup(id, dictionaries).getVector().getField();
    } catch (Unfit e) {
      throw e.under(Unfit.DICTIONARY);
    }
  }

  private static VectorPlan dictionary(org.apache.arrow.vector.types.pojo.Field values,
      @Nullable DictionaryProvider dictionaries) {
    try {
      return of(values, dictionaries);
    } catch (Unfit e) {
      throw e.under(Unfit.DICTIONARY);
    }
  }

  /**
   * Returns whether a provider's dictionaries, for this field and its children, have the fields with which this plan
   * was made. Called only for a field with a dictionary.
   */
  boolean isTrue(@Nullable DictionaryProvider dictionaries) {
    if (dictionary != null) {
      Dictionary now = dictionaries == null ? null : dictionaries.lookup(dictionaryId);
      if (now == null || !now.getVector().getField().equals(dictionaryField)) return false;
      if (dictionary.hasDictionary && !dictionary.isTrue(dictionaries)) return false;
    }
    for (VectorPlan child : children) {
      if (child.hasDictionary && !child.isTrue(dictionaries)) return false;
    }
    return true;
  }

  /** Returns the dictionary with a number; throws {@link Unfit} if it is missing. */
  static Dictionary lookup(long id, @Nullable DictionaryProvider dictionaries) {
    if (dictionaries == null) throw new Unfit("is dictionary " + id + ": pass the provider that has it");
    Dictionary dictionary = dictionaries.lookup(id);
    if (dictionary == null)
      throw new Unfit("the provider has no dictionary " + id + ", only " + dictionaries.getDictionaryIds());
    return dictionary;
  }

  /**
   * Throws {@link Unfit} unless a vector has the type of this field, because its buffers are read and loaded by that
   * type. The vector is not an extension vector.
   */
  void requireLike(FieldVector vector) {
    if (vector.getMinorType() != minorType || (size >= 0 && !hasSize(vector))) {
      throw new Unfit(
          "is a " + vector.getClass().getSimpleName() + ", but of " + field.type() + " in the schema" + SYNC);
    }
  }

  private boolean hasSize(FieldVector vector) {
    return switch (vector) {
      case FixedSizeBinaryVector binary -> binary.getByteWidth() == size;
      case FixedSizeListVector list -> list.getListSize() == size;
      default -> true;
    };
  }

  /** Returns the children of a vector; throws {@link Unfit} unless their number is that of the field. */
  List<FieldVector> children(FieldVector vector) {
    List<FieldVector> vectors = vector.getChildrenFromFields();
    if (vectors.size() != children.length) {
      throw new Unfit(
          "the vector has " + vectors.size() + " children, but its field in the schema " + children.length + SYNC);
    }
    if (minorType == MinorType.STRUCT) requireNames(vectors);
    return vectors;
  }

  /** Children of the same type could be in another order. */
  private void requireNames(List<FieldVector> vectors) {
    for (int i = 0; i < children.length; i++) {
      String name = children[i].field.name();
      if (!name.equals(vectors.get(i).getName())) {
        throw new Unfit("field " + i + " of the vector is \"" + vectors.get(i).getName() + "\", but in the schema \""
            + name + "\"" + SYNC);
      }
    }
  }

  /** Returns the vector of this field in a union; throws {@link Unfit} with this name if the union has none. */
  FieldVector in(DenseUnionVector union, byte typeId) {
    ValueVector vector = union.getVectorByType(typeId);
    if (vector == null) throw new Unfit("the union has no vector for this type yet").under(field.name());
    return (FieldVector) vector;
  }

  /** Returns the position of the child with an id; the union must have this id. */
  int childOf(byte id) {
    return childOf[id];
  }

  boolean hasTypeId(byte id) {
    return id >= 0 && childOf(id) >= 0;
  }

  /**
   * Throws {@link Unfit} unless an array has the type of a vector, with the same names of the fields of structs and
   * unions.
   */
  static void requireLike(Field expected, Field actual) {
    DataType type = expected.type();
    DataType other = actual.type();
    List<Field> children = type.children();
    List<Field> others = other.children();
    boolean isEncoded = type instanceof DictionaryType;
    if (isEncoded != other instanceof DictionaryType || children.size() != others.size()
        || !type.format().equals(other.format())) {
      throw new Unfit("the array is of " + other + ", but the vector of " + type);
    }
    boolean isNamed = type instanceof StructType || type instanceof UnionType;
    for (int i = 0; i < children.size(); i++) {
      String name = children.get(i).name();
      if (isNamed && !name.equals(others.get(i).name())) {
        throw new Unfit(
            "field " + i + " is \"" + others.get(i).name() + "\" of the array, but \"" + name + "\" of the vector");
      }
      try {
        requireLike(children.get(i), others.get(i));
      } catch (Unfit e) {
        throw e.under(name);
      }
    }
    if (type instanceof DictionaryType encoded && other instanceof DictionaryType otherEncoded) {
      try {
        requireLike(encoded.values(), otherEncoded.values());
      } catch (Unfit e) {
        throw e.under(Unfit.DICTIONARY);
      }
    }
  }
}
