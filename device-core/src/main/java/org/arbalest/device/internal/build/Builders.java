package org.arbalest.device.internal.build;

import org.arbalest.device.Field;
import org.arbalest.device.FlatType.BinaryType;
import org.arbalest.device.FlatType.BoolType;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.FixedSizeBinaryType;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.LargeBinaryType;
import org.arbalest.device.FlatType.LargeUtf8Type;
import org.arbalest.device.FlatType.NullType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.FlatType.Utf8Type;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.LargeListType;
import org.arbalest.device.NestedType.ListType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.internal.schema.TypeNames;

/** Which builder a type has. */
final class Builders {
  private Builders() {}

  /** A builder for a field; throws if arrays of its type cannot be built yet. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    return switch (field.type()) {
      case NullType _ -> new NullBuilder(memory, field);
      case BoolType _ -> new BoolBuilder(memory, field, rows);
      case IntType _, DateType _, TimeType _, TimestampType _, DurationType _ -> new FixedBuilder(memory, field, rows);
      case FloatType _, DecimalType _, FixedSizeBinaryType _ -> new FixedBuilder(memory, field, rows);
      case Utf8Type _, LargeUtf8Type _, BinaryType _, LargeBinaryType _ -> new VariableBuilder(memory, field, rows);
      case DictionaryType type when type.values().type() instanceof Utf8Type -> new DictionaryBuilder(memory, field, type, rows);
      case StructType type -> new StructBuilder(memory, field, type, rows);
      case ListType type -> new ListBuilder(memory, field, type.item(), rows);
      case LargeListType type -> new ListBuilder(memory, field, type.item(), rows);
      default ->
          throw new UnsupportedOperationException(
              "column \"" + field.name() + "\": building type " + TypeNames.of(field.type()) + " is not supported yet");
    };
  }
}
