// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
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

/** The choice of a builder by type. Tests the types one by one, the frequent ones first, like {@link Layout}. */
final class Builders {
  private Builders() {}

  /** Creates the builder for a field. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    DataType type = field.type();
    if (type instanceof IntType) return IntegerBuilder.of(memory, field, rows);
    if (type instanceof FloatType) return FloatBuilder.of(memory, field, rows);
    if (type instanceof BoolType) return BoolBuilder.of(memory, field, rows);
    return Layout.of(field).shape == Layout.Shape.VARIABLE ? VariableBuilder.of(memory, field, rows)
        : Others.of(memory, field, rows);
  }

  /** The builders of the other types, in a class of its own: to verify it, the JVM loads all these builders. */
  private static final class Others {
    static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
      return switch (field.type()) {
        case TimestampType _, DateType _, TimeType _, DurationType _ -> new IntegerBuilder(memory, field, rows);
        case NullType _ -> new NullBuilder(memory, field);
        case DecimalType type -> new DecimalBuilder(memory, field, type, rows);
        case FixedSizeBinaryType _ -> new FixedBinaryBuilder(memory, field, rows);
        case IntervalType type -> new IntervalBuilder(memory, field, type, rows);
        case Utf8ViewType _, BinaryViewType _ -> new ViewBuilder(memory, field, rows);
        case ListType type -> new ListBuilder(memory, field, type.item(), rows);
        case LargeListType type -> new ListBuilder(memory, field, type.item(), rows);
        case ListViewType type -> new ListViewBuilder(memory, field, type.item(), rows);
        case LargeListViewType type -> new ListViewBuilder(memory, field, type.item(), rows);
        case FixedSizeListType type -> new FixedListBuilder(memory, field, type, rows);
        case StructType type -> new StructBuilder(memory, field, type, rows);
        case MapType type -> new MapBuilder(memory, field, type, rows);
        case UnionType type -> new UnionBuilder(memory, field, type, rows);
        case RunEndEncodedType type -> new RunEndBuilder(memory, field, type);
        case DictionaryType type -> new DictionaryBuilder(memory, field, type, rows);
        case BoolType _, IntType _, FloatType _, Utf8Type _, LargeUtf8Type _, BinaryType _, LargeBinaryType _ ->
            throw new AssertionError(field);
      };
    }
  }
}
