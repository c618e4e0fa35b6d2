// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.internal.schema.ExtensionChecks;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Extension.VariableShapeTensor;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.NestedType.FixedSizeListType;

/**
 * Values of extension types whose storage has several parts. Each is appended with all its parts or not at all
 * (OWN-15).
 */
final class WholeValue {
  /** The offsets that {@code arrow.timestamp_with_offset} allows: -12:59 to +13:00. */
  private static final int LEAST_MINUTES = -779;

  private static final int MOST_MINUTES = 780;

  private WholeValue() {}

  /** Returns whether a codec writes the type that the builder builds. */
  static boolean fits(ColumnBuilderImpl builder, ExtensionCodec<?> codec) {
    Extension extension = builder.field.extension();
    return extension != null && extension.name().equals(codec.name()) && codec.fits(builder.field);
  }

  /**
   * Appends a value with a codec of the application. Undoes the codec's appends unless they make exactly one complete
   * value.
   */
  static <T> void append(ColumnBuilderImpl builder, T value, ExtensionCodec<T> codec) {
    if (!fits(builder, codec))
      throw builder.doesNotFit("values of " + codec.name() + ", which is stored as " + TypeNames.of(codec.storage()));
    builder.checkComplete();
    long before = builder.length();
    Progress progress = builder.parts().isEmpty() ? null : new Progress();
    if (progress != null) progress.save(builder);
    try {
      codec.toStorage(builder, value);
      if (builder.length() != before + 1) throw appended(builder, codec, before);
      builder.checkComplete();
    } catch (Throwable t) {
      if (builder.memory.isOpen()) {
        if (progress != null) {
          progress.restore(builder);
        } else if (builder.length() > before) {
          builder.truncate(before);
        }
      }
      throw t;
    }
  }

  private static IllegalStateException appended(ColumnBuilderImpl builder, ExtensionCodec<?> codec, long before) {
    String where = "column \"" + builder.path() + "\", row " + before;
    return new IllegalStateException(
        where + ": the codec of " + codec.name() + " appended " + (builder.length() - before) + " values for one");
  }

  /** Appends a timestamp and its offset. */
  static void append(StructBuilder builder, OffsetDateTime value, ColumnBuilderImpl timestamps,
      ColumnBuilderImpl offsets) {
    int seconds = value.getOffset().getTotalSeconds();
    if (seconds % 60 != 0 || seconds / 60 < LEAST_MINUTES || seconds / 60 > MOST_MINUTES) {
      throw builder.doesNotHold(value + ", whose offset is not a whole number of minutes from -12:59 to +13:00");
    }
    long count = TimeCounts.of(builder, timestamps.field.type(), value.toInstant(), value);
    builder.checkComplete();
    offsets.append((long) seconds / 60); // first, because a dictionary with full indices can reject it
    timestamps.append(count);
    builder.appendStruct();
  }

  /** Returns the number of elements of the next tensor, after a check of its shape. */
  static int elements(ColumnBuilderImpl builder, int... shape) {
    List<Integer> sizes = Arrays.stream(shape).boxed().toList();
    switch (builder.field.extension()) {
      case FixedShapeTensor tensor -> {
        if (!tensor.shape().equals(sizes))
          throw builder.doesNotHold("a tensor of shape " + sizes + " (all have " + tensor.shape() + ")");
      }
      case VariableShapeTensor tensor -> {
        for (int i = 0; i < shape.length; i++) {
          Integer uniform = i < tensor.uniformShape().size() ? tensor.uniformShape().get(i) : null;
          if (shape[i] < 0) throw builder.doesNotHold("a tensor of shape " + sizes);
          if (uniform != null && uniform != shape[i])
            throw builder.doesNotHold("a tensor of shape " + sizes + " (all have " + tensor.uniformShape() + ")");
        }
      }
      case null, default -> throw builder.doesNotFit("a tensor");
    }
    try {
      return (int) ExtensionChecks.elements(sizes);
    } catch (IllegalArgumentException _) {
      throw builder.doesNotHold("a tensor of shape " + sizes + ", which has more elements than 32 bits count");
    }
  }

  /** Appends a tensor: its shape, and a list of the next elements. */
  static void appendTensor(StructBuilder builder, ColumnBuilderImpl data, ColumnBuilderImpl shapes, int... shape) {
    int elements = elements(builder, shape);
    int dimensions = ((FixedSizeListType) shapes.field.type()).size();
    if (shape.length != dimensions) {
      throw builder.doesNotHold("a tensor of shape " + Arrays.toString(shape) + " (" + dimensions + " dimensions)");
    }
    builder.checkLengths();
    shapes.checkComplete();
    data.appendList(elements);
    shapes.items().appendAll(shape);
    shapes.appendList(dimensions);
    builder.appendStruct();
  }
}
