// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.NoSuchElementException;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectType;

/** Reads lists as arrays of primitives; throws for a null element. */
final class PrimitivesReader extends ValueReader {
  private final Class<?> component;

  PrimitivesReader(ColumnImpl column, ObjectType type) {
    super(column, type);
    this.component = type.type().componentType();
  }

  @Override
  Object read(long row) {
    Column list = column.getList(row);
    try {
      return array(list, ColumnImpl.unwrap(list).arraySize());
    } catch (NoSuchElementException e) {
      long at = 0;
      while (!list.isNull(at)) at++;
      throw Unreadable.ofNull(type.arguments().get(0)).at(at);
    }
  }

  private Object array(Column list, int size) {
    if (component == long.class) return list.toLongArray();
    if (component == double.class) return list.toDoubleArray();
    if (component == int.class) {
      int[] array = new int[size];
      for (int i = 0; i < size; i++) array[i] = (int) list.getLong(i);
      return array;
    }
    if (component == float.class) {
      float[] array = new float[size];
      for (int i = 0; i < size; i++) array[i] = (float) list.getDouble(i);
      return array;
    }
    if (component == short.class) {
      short[] array = new short[size];
      for (int i = 0; i < size; i++) array[i] = (short) list.getLong(i);
      return array;
    }
    if (component == boolean.class) {
      boolean[] array = new boolean[size];
      for (int i = 0; i < size; i++) array[i] = list.getBoolean(i);
      return array;
    }
    char[] array = new char[size];
    for (int i = 0; i < size; i++) array[i] = TextObjects.toChar(list.getString(i));
    return array;
  }
}
