// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.schema.ExtensionChecks;
import org.arbalest.device.objects.ExtensionCodec;
import org.jspecify.annotations.Nullable;

/**
 * The extension type of a field: a meaning of its values beyond their storage type. {@link Field#extension} returns it.
 * Immutable.
 *
 * <p>The records are Arrow's canonical extension types with their parameters. All other extension types are
 * {@link Other}. A canonical type with wrong parameters or wrong storage is also {@link Other} (EXT-02).
 *
 * <pre>{@code
 * switch (field.extension()) {
 *   case FixedShapeTensor tensor -> println(tensor.shape());
 *   case Opaque opaque -> println("a " + opaque.typeName() + " of " + opaque.vendorName());
 *   case null, default -> println(field.type());
 * }
 * }</pre>
 *
 * <p>{@link Field#uuid}, {@link Field#json} and similar methods make fields with the usual storage.
 * {@link Field#withExtension(Extension)} makes a field with any storage that the extension type allows. An
 * {@link ExtensionCodec} reads and writes the values of other extension types.
 */
public sealed interface Extension {
  /** Returns the name, such as {@code arrow.uuid}. */
  String name();

  /**
   * {@code arrow.uuid}: 16 bytes, the most significant byte first. {@link org.arbalest.device.columns.Column#getUuid}
   * reads it.
   */
  record Uuid() implements Extension {
    @Override
    public String name() {
      return "arrow.uuid";
    }
  }

  /** {@code arrow.bool8}: int8, where 0 is false. {@link org.arbalest.device.columns.Column#getBoolean} reads it. */
  record Bool8() implements Extension {
    @Override
    public String name() {
      return "arrow.bool8";
    }
  }

  /** {@code arrow.json}: JSON in any text type. The library does not parse it. */
  record Json() implements Extension {
    @Override
    public String name() {
      return "arrow.json";
    }
  }

  /**
   * {@code arrow.opaque}: values of another system that the Arrow producer could not interpret. The two names are
   * information for people. Only text named {@code numeric} is also read as decimals, by
   * {@link org.arbalest.device.columns.Column#getDecimal}.
   *
   * @param typeName the type's name in the other system
   * @param vendorName the name of the other system
   */
  record Opaque(String typeName, String vendorName) implements Extension {
    /** Checks that both names are present and have no unpaired surrogate. */
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
   * {@code arrow.timestamp_with_offset}: a struct of a timestamp in UTC and an offset in minutes. A null offset means
   * 0. A value with a null timestamp is null. {@link org.arbalest.device.columns.Column#getOffsetDateTime} reads it.
   */
  record TimestampWithOffset() implements Extension {
    @Override
    public String name() {
      return "arrow.timestamp_with_offset";
    }
  }

  /**
   * {@code arrow.fixed_shape_tensor}: a fixed-size list of the tensor's elements in row-major order.
   * {@link org.arbalest.device.columns.Column#getTensor} reads it.
   *
   * @param shape the sizes of the dimensions in their stored order
   * @param dimNames the names of the dimensions in their stored order; empty for none
   * @param permutation for each logical dimension, the index of the stored one; empty if the two orders are the same
   */
  record FixedShapeTensor(List<Integer> shape, List<String> dimNames, List<Integer> permutation) implements Extension {
    /** Checks that the sizes are not negative, and that all lists have the same number of dimensions. */
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
   * {@code arrow.variable_shape_tensor}: a struct of two fields. The first is a list of the elements in row-major
   * order, the second a fixed-size list with the shape. {@link org.arbalest.device.columns.Column#getTensor} reads it.
   *
   * @param dimNames the names of the dimensions in their stored order; empty for none
   * @param permutation for each logical dimension, the index of the stored one; empty if the two orders are the same
   * @param uniformShape the sizes of the dimensions that are the same for all tensors, with null for the others; empty
   *     if the producer does not specify it
   */
  record VariableShapeTensor(List<String> dimNames, List<Integer> permutation, List<@Nullable Integer> uniformShape)
      implements Extension {
    /**
     * Checks that all lists have the same number of dimensions.
     *
     * <p>The constructor is not compact: javac loses {@code @Nullable} in the types of a compact constructor, and
     * Kotlin then rejects nulls.
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
   * {@code arrow.parquet.variant}: a struct of the field {@code metadata} and one or both of the fields {@code value}
   * and {@code typed_value}, in any order. The fields have the bytes that Parquet defines. The library does not decode
   * them.
   */
  record ParquetVariant() implements Extension {
    @Override
    public String name() {
      return "arrow.parquet.variant";
    }
  }

  /**
   * Any other extension type, and any canonical one with wrong storage or wrong parameters. Its values are read as
   * their storage type.
   */
  final class Other implements Extension {
    private final String name;
    private final byte @Nullable [] metadata;
    private final @Nullable String mismatch;

    /**
     * Creates an extension type.
     *
     * @param name the name of the extension type
     * @param metadata its parameters; null for none. The array is copied
     * @param mismatch the reason why the type is not read as the canonical type of its name; null if no canonical type
     *     has this name
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

    /** Returns a copy of the parameters as the producer wrote them; null for none. */
    public byte @Nullable [] metadata() {
      return metadata == null ? null : metadata.clone();
    }

    /**
     * Returns the reason why the type is not read as the canonical type of its name; null if no canonical type has this
     * name.
     */
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
