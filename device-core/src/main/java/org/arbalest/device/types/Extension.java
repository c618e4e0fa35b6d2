// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.ExtensionChecks;
import org.arbalest.device.objects.ExtensionCodec;
import org.jspecify.annotations.Nullable;

/**
 * What an extension type says about a field's values, beyond the type that they are stored as: {@link Field#extension}.
 * The records are Arrow's canonical ones, with their parameters; any other is an {@link Other}, and so is one whose
 * parameters or storage are not what its name asks for (EXT-02).
 *
 * <pre>{@code
 * switch (field.extension()) {
 *   case FixedShapeTensor tensor -> println(tensor.shape());
 *   case Opaque opaque -> println("a " + opaque.typeName() + " of " + opaque.vendorName());
 *   case null, default -> println(field.type());
 * }
 * }</pre>
 *
 * <p>{@link Field#uuid}, {@link Field#json} and others make fields with the usual storage;
 * {@link Field#withExtension(Extension)} makes one of any storage that the type may have. Values of other extension
 * types are read and written by an {@link ExtensionCodec}. Immutable.
 */
public sealed interface Extension {
  /** The name, such as {@code arrow.uuid}. */
  String name();

  /**
   * {@code arrow.uuid}: 16 bytes, the most significant first. Read by
   * {@link org.arbalest.device.columns.Column#getUuid}.
   */
  record Uuid() implements Extension {
    @Override
    public String name() {
      return "arrow.uuid";
    }
  }

  /** {@code arrow.bool8}: int8, of which 0 is false. Read by {@link org.arbalest.device.columns.Column#getBoolean}. */
  record Bool8() implements Extension {
    @Override
    public String name() {
      return "arrow.bool8";
    }
  }

  /** {@code arrow.json}: text of any kind, which is JSON; nobody here parses it. */
  record Json() implements Extension {
    @Override
    public String name() {
      return "arrow.json";
    }
  }

  /**
   * {@code arrow.opaque}: what somebody had from another system and could not interpret. For people: nothing can be
   * made of these names.
   *
   * @param typeName the type's name in that system
   * @param vendorName the system's name
   */
  record Opaque(String typeName, String vendorName) implements Extension {
    /** Checks that there are names, without half surrogate pairs. */
    public Opaque {
      ExtensionChecks.checkText("typeName", typeName);
      ExtensionChecks.checkText("vendorName", vendorName);
    }

    @Override
    public String name() {
      return "arrow.opaque";
    }
  }

  /**
   * {@code arrow.timestamp_with_offset}: a struct of a timestamp in UTC and an offset in minutes, which is 0 if it is
   * null. One whose timestamp is null is null itself. Read by {@link
   * org.arbalest.device.columns.Column#getOffsetDateTime}.
   */
  record TimestampWithOffset() implements Extension {
    @Override
    public String name() {
      return "arrow.timestamp_with_offset";
    }
  }

  /**
   * {@code arrow.fixed_shape_tensor}: a list of one size, whose elements are those of the tensor in row-major order.
   * Read by {@link org.arbalest.device.columns.Column#getTensor}.
   *
   * @param shape the sizes of the dimensions as they are stored
   * @param dimNames the names of these dimensions; empty for none
   * @param permutation which stored dimension each of the logical ones is; empty if they are in order
   */
  record FixedShapeTensor(List<Integer> shape, List<String> dimNames, List<Integer> permutation) implements Extension {
    /** Checks that the sizes are not negative, and the rest is of as many dimensions. */
    public FixedShapeTensor {
      shape = ExtensionChecks.sizes("shape", shape);
      dimNames = ExtensionChecks.names(dimNames);
      permutation = ExtensionChecks.permutation(permutation);
      ExtensionChecks.checkDimensions(shape.size(), dimNames, permutation, List.of());
    }

    @Override
    public String name() {
      return "arrow.fixed_shape_tensor";
    }
  }

  /**
   * {@code arrow.variable_shape_tensor}: a struct of a list, the elements in row-major order, and of a list of one
   * size, the shape. Read by {@link org.arbalest.device.columns.Column#getTensor}.
   *
   * @param dimNames the names of the dimensions as they are stored; empty for none
   * @param permutation which stored dimension each of the logical ones is; empty if they are in order
   * @param uniformShape the sizes of those dimensions that are the same for all tensors, null for the others; empty if
   *     it is not said
   */
  record VariableShapeTensor(List<String> dimNames, List<Integer> permutation, List<@Nullable Integer> uniformShape)
      implements Extension {
    /**
     * Checks that all is of the same number of dimensions. Written out, since javac loses {@code @Nullable} within a
     * compact constructor's types, and Kotlin refuses nulls then.
     */
    public VariableShapeTensor(List<String> dimNames, List<Integer> permutation, List<@Nullable Integer> uniformShape) {
      this.dimNames = ExtensionChecks.names(dimNames);
      this.permutation = ExtensionChecks.permutation(permutation);
      this.uniformShape = ExtensionChecks.someSizes("uniformShape", uniformShape);
      int dimensions = Math.max(dimNames.size(), Math.max(permutation.size(), uniformShape.size()));
      ExtensionChecks.checkDimensions(dimensions, dimNames, permutation, uniformShape);
    }

    @Override
    public String name() {
      return "arrow.variable_shape_tensor";
    }
  }

  /**
   * {@code arrow.parquet.variant}: a struct of the fields {@code metadata}, and {@code value} or {@code typed_value} or
   * both, in any order: of each the bytes that Parquet defines, which nobody here decodes.
   */
  record ParquetVariant() implements Extension {
    @Override
    public String name() {
      return "arrow.parquet.variant";
    }
  }

  /**
   * Any other extension type, and a canonical one whose storage or parameters are wrong: its values are read as what
   * they are stored as.
   */
  final class Other implements Extension {
    private final String name;
    private final byte @Nullable [] metadata;
    private final @Nullable String mismatch;

    /**
     * One with these parameters, null for none; and why it is not read as the canonical type of its name, if there is
     * one.
     */
    public Other(String name, byte @Nullable [] metadata, @Nullable String mismatch) {
      this.name = Objects.requireNonNull(name, "name");
      this.metadata = metadata == null ? null : metadata.clone();
      this.mismatch = mismatch;
    }

    @Override
    public String name() {
      return name;
    }

    /** A copy of the parameters as they were written, or null for none. */
    public byte @Nullable [] metadata() {
      return metadata == null ? null : metadata.clone();
    }

    /** Why it is not read as the canonical type of its name, or null if there is none of this name. */
    public @Nullable String mismatch() {
      return mismatch;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Other that && name.equals(that.name) && Arrays.equals(metadata, that.metadata)
          && Objects.equals(mismatch, that.mismatch);
    }

    @Override
    public int hashCode() {
      return Objects.hash(name, Arrays.hashCode(metadata));
    }

    @Override
    public String toString() {
      return mismatch == null ? name : name + ": " + mismatch;
    }
  }
}
