package org.arbalest.device;

import org.arbalest.device.DataType.BoolType;
import org.arbalest.device.DataType.FloatType;
import org.arbalest.device.DataType.IntType;
import org.arbalest.device.DataType.Utf8Type;

/** The common types, ready to use. */
public final class DataTypes {
  /** {@code b}. */
  public static final DataType BOOL = new BoolType();

  /** {@code c}. */
  public static final IntType INT8 = new IntType(8, true);

  /** {@code s}. */
  public static final IntType INT16 = new IntType(16, true);

  /** {@code i}. */
  public static final IntType INT32 = new IntType(32, true);

  /** {@code l}. */
  public static final IntType INT64 = new IntType(64, true);

  /** {@code C}. */
  public static final IntType UINT8 = new IntType(8, false);

  /** {@code S}. */
  public static final IntType UINT16 = new IntType(16, false);

  /** {@code I}. */
  public static final IntType UINT32 = new IntType(32, false);

  /** {@code L}. */
  public static final IntType UINT64 = new IntType(64, false);

  /** {@code e}. */
  public static final FloatType FLOAT16 = new FloatType(16);

  /** {@code f}. */
  public static final FloatType FLOAT32 = new FloatType(32);

  /** {@code g}. */
  public static final FloatType FLOAT64 = new FloatType(64);

  /** {@code u}. */
  public static final DataType UTF8 = new Utf8Type();

  private DataTypes() {}
}
