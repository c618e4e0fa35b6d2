// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
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

/** Fields as a message has them: with indices in place of dictionary-encoded values. */
final class PlainFields {
  private PlainFields() {}

  /** Returns a field whose dictionary-encoded fields have the type of their indices. */
  static Field of(Field field) {
    DataType type = field.type();
    return type instanceof FlatType ? field : field.withType(of((NestedType) type));
  }

  private static DataType of(NestedType type) {
    return switch (type) {
      case DictionaryType dictionary -> dictionary.index();
      case ListType(Field item) -> new ListType(of(item));
      case LargeListType(Field item) -> new LargeListType(of(item));
      case ListViewType(Field item) -> new ListViewType(of(item));
      case LargeListViewType(Field item) -> new LargeListViewType(of(item));
      case FixedSizeListType(Field item, int size) -> new FixedSizeListType(of(item), size);
      case StructType(List<Field> fields) -> new StructType(of(fields));
      case MapType(Field entries, boolean areSorted) -> new MapType(of(entries), areSorted);
      case UnionType union -> new UnionType(union.mode(), union.typeIds(), of(union.fields()));
      case RunEndEncodedType(Field ends, Field values) -> new RunEndEncodedType(ends, of(values));
    };
  }

  private static List<Field> of(List<Field> fields) {
    return fields.stream().map(PlainFields::of).toList();
  }
}
