// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Extension.Opaque;
import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Extension.ParquetVariant;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** The storage types of the canonical extension types. */
final class Storage {
  private Storage() {}

  /** Returns why a type cannot store values of an extension type, or null if it can. */
  static @Nullable String mismatch(Extension extension, DataType type) {
    String right = switch (extension) {
      case Uuid _ -> type instanceof FixedSizeBinaryType(int width) && width == 16 ? null : "fixed_size_binary[16]";
      case Bool8 _ -> type.equals(DataType.INT8) ? null : "int8";
      case Extension.Json _ ->
          type instanceof Utf8Type || type instanceof LargeUtf8Type || type instanceof Utf8ViewType ? null
              : "utf8, large_utf8 or utf8_view";
      case TimestampWithOffset _ ->
          isTimestampWithOffset(type) ? null : "struct<timestamp: timestamp[…, tz=UTC], offset_minutes: int16>";
      case FixedShapeTensor tensor -> fixedTensor(tensor, type);
      case VariableShapeTensor tensor -> variableTensor(tensor, type);
      case ParquetVariant _ ->
          isVariant(type) ? null : "struct of metadata: binary not null, and value: binary or typed_value or both";
      case Opaque _, Other _ -> null;
    };
    return right == null ? null : extension.name() + " is stored as " + right + ", not as " + TypeNames.of(type);
  }

  private static boolean isTimestampWithOffset(DataType type) {
    return type instanceof StructType(List<Field> fields)
        && fields.size() == 2
        && fields.get(0).name().equals("timestamp")
        && fields.get(0).type() instanceof TimestampType(_, String zone)
        && "UTC".equals(zone)
        && fields.get(1).name().equals("offset_minutes")
        && fields.get(1).valueType().equals(DataType.INT16);
  }

  private static @Nullable String fixedTensor(FixedShapeTensor tensor, DataType type) {
    long elements = ExtensionChecks.elements(tensor.shape());
    return type instanceof FixedSizeListType(_, int size) && size == elements ? null
        : "fixed_size_list[" + elements + "], of its shape " + tensor.shape();
  }

  private static @Nullable String variableTensor(VariableShapeTensor tensor, DataType type) {
    int said = Math.max(tensor.dimNames().size(), Math.max(tensor.permutation().size(), tensor.uniformShape().size()));
    boolean fits = type instanceof StructType(List<Field> fields)
        && fields.size() == 2
        && fields.get(0).name().equals("data")
        && fields.get(0).type() instanceof ListType
        && fields.get(1).name().equals("shape")
        && fields.get(1).type() instanceof FixedSizeListType(Field item, int dimensions)
        && item.type().equals(DataType.INT32)
        && (said == 0 || said == dimensions);
    return fits ? null : "struct<data: list<…>, shape: fixed_size_list<int32>[" + (said == 0 ? "…" : said) + "]>";
  }

  /** Returns whether a type stores variants. It does not check the type of a shredded value. */
  private static boolean isVariant(DataType type) {
    if (!(type instanceof StructType(List<Field> fields))) return false;
    boolean metadata = false;
    boolean value = false;
    boolean ok = true;
    for (Field field : fields) {
      switch (field.name()) {
        case "metadata" -> {
          ok &= !metadata && !field.isNullable() && isBinary(field.valueType());
          metadata = true;
        }
        case "value" -> {
          ok &= isBinary(field.type());
          value = true;
        }
        case "typed_value" -> value = true;
        default -> ok = false;
      }
    }
    return ok && metadata && value && fields.stream().map(Field::name).distinct().count() == fields.size();
  }

  private static boolean isBinary(DataType type) {
    return type instanceof BinaryType || type instanceof LargeBinaryType || type instanceof BinaryViewType;
  }
}
