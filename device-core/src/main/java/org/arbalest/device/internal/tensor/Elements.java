// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.tensors.DLTensorStruct;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;

/** The element type of a tensor, in DLPack's codes. */
record Elements(int code, int bits) {
  /** The types of DLPack 1.3 after kDLBool, in the order of their codes: floats of 8, 6 and 4 bits. */
  private static final List<String> SMALL_FLOATS = List.of("8_e3m4", "8_e4m3", "8_e4m3b11fnuz", "8_e4m3fn",
      "8_e4m3fnuz", "8_e5m2", "8_e5m2fnuz", "8_e8m0fnu", "6_e2m3fn", "6_e3m2fn", "4_e2m1fn");

  /**
   * Returns the elements of a field that is not a list. Throws {@link IllegalArgumentException} for a type that DLPack
   * does not have.
   */
  static Elements of(Field field, String path) {
    return switch (field.type()) {
      case IntType(int bits, _) when field.extension() instanceof Bool8 -> new Elements(DLTensorStruct.BOOL, bits);
      case IntType(int bits, boolean signed) -> new Elements(signed ? DLTensorStruct.INT : DLTensorStruct.UINT, bits);
      case FloatType(int bits) -> new Elements(DLTensorStruct.FLOAT, bits);
      case BoolType _ ->
          throw new IllegalArgumentException(
              path + " is of type bool, of a bit each, and a tensor's booleans are bytes: make the column one of "
                  + "arrow.bool8, or of uint8");
      default -> throw new IllegalArgumentException(path + " is of type " + TypeNames.of(field.type())
          + ", and a tensor has integers of 8 to 64 bits, floats of 16 to 64 bits, arrow.bool8, and lists of a fixed "
          + "size of these");
    };
  }

  /**
   * Returns a field for these elements, without a name and without nulls. Throws {@link DeviceException} for elements
   * from native code that Arrow has no type for.
   */
  static Field field(int code, int bits, int lanes) {
    if (lanes != 1)
      throw DeviceException.invalid("its elements are vectors of " + lanes + " lanes of " + name(code) + " of " + bits
          + " bits, but a column has no vectors");
    boolean isByte = code == DLTensorStruct.BOOL && bits == 8;
    DataType type = isByte ? DataType.INT8 : type(code, bits);
    Field field = Field.of("", type).withNullable(false);
    return isByte ? field.withExtension(new Bool8()) : field;
  }

  private static DataType type(int code, int bits) {
    boolean isWord = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    if (code == DLTensorStruct.INT && isWord) return new IntType(bits, true);
    if (code == DLTensorStruct.UINT && isWord) return new IntType(bits, false);
    if (code == DLTensorStruct.FLOAT && isWord && bits != 8) return new FloatType(bits);
    throw DeviceException
        .invalid("its elements are " + name(code) + " of " + bits + " bits, for which Arrow has no type");
  }

  private static String name(int code) {
    return switch (code) {
      case DLTensorStruct.INT -> "kDLInt";
      case DLTensorStruct.UINT -> "kDLUInt";
      case DLTensorStruct.FLOAT -> "kDLFloat";
      case DLTensorStruct.OPAQUE_HANDLE -> "kDLOpaqueHandle";
      case DLTensorStruct.BFLOAT -> "kDLBfloat";
      case DLTensorStruct.COMPLEX -> "kDLComplex";
      case DLTensorStruct.BOOL -> "kDLBool";
      default -> code > DLTensorStruct.BOOL && code <= DLTensorStruct.BOOL + SMALL_FLOATS.size()
          ? "kDLFloat" + SMALL_FLOATS.get(code - DLTensorStruct.BOOL - 1)
          : "DLPack's type code " + code;
    };
  }
}
