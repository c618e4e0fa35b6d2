// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.List;
import java.util.stream.Collectors;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.build.Fillers;
import org.arbalest.device.internal.read.Codecs;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.objects.ObjectType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/** The classes of extension types of the application, by the codecs that are registered now. */
final class CodecClass {
  private CodecClass() {}

  /** Returns the codec for the values that a column reads as, or null. */
  static @Nullable ExtensionCodec<?> of(Field field) {
    ExtensionCodec<?> codec = Codecs.registered(field);
    if (codec != null) return codec;
    return switch (field.type()) {
      case DictionaryType encoded -> of(encoded.values());
      case RunEndEncodedType runs -> of(runs.values());
      default -> null;
    };
  }

  /**
   * Returns that codec if it reads objects of the component's class. It never reads a generic class, because a codec
   * has no type arguments.
   */
  static @Nullable ExtensionCodec<?> reading(ObjectType type, Field field) {
    ExtensionCodec<?> codec = isPlain(type) ? of(field) : null;
    return codec != null && Primitives.box(type.type()).isAssignableFrom(codec.valueClass()) ? codec : null;
  }

  /** Returns that codec if it writes objects of the component's class. */
  static @Nullable ExtensionCodec<?> writing(ObjectType type, Field field) {
    ExtensionCodec<?> codec = isPlain(type) ? of(field) : null;
    return codec != null && codec.valueClass().isAssignableFrom(Primitives.box(type.type())) ? codec : null;
  }

  private static boolean isPlain(ObjectType type) {
    return type.arguments().isEmpty() || type.type().isArray();
  }

  /**
   * Returns the field that stores objects of a class by default, or null without a codec for the class. Several codecs
   * are a mismatch.
   */
  static @Nullable Field standard(String name, ObjectType type, Mismatches mismatches) {
    List<ExtensionCodec<?>> codecs = isPlain(type) ? Codecs.ofClass(type.type()) : List.of();
    if (codecs.size() > 1) {
      String names = codecs.stream().map(ExtensionCodec::name).sorted().collect(Collectors.joining(" and "));
      mismatches.add("several extension types are read as " + type + ", " + names + "; build it with a schema");
    }
    return codecs.isEmpty() ? null : codecs.getFirst().field(name);
  }

  /** Appends objects with a codec. */
  static final class Writer<T> extends ValueWriter {
    private final ExtensionCodec<T> codec;
    private final boolean hasParts;

    Writer(ExtensionCodec<T> codec, Field field) {
      this.codec = codec;
      this.hasParts = field.type() instanceof StructType;
    }

    @Override
    @SuppressWarnings("unchecked") // the plan has checked the class
    void write(@Nullable Object[] values, int count, ColumnBuilder column) {
      for (int i = 0; i < count; i++) {
        Object value = values[i];
        if (value == null) {
          appendNull(column, hasParts);
        } else if (isAbsent(value)) {
          Fillers.append(column);
        } else {
          codec.append(column, (T) value);
        }
      }
    }
  }
}
