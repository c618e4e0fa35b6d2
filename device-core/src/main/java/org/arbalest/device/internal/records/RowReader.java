// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.NoSuchElementException;
import org.arbalest.device.internal.read.ColumnImpl;
import org.jspecify.annotations.Nullable;

/** Reads structs as objects of a class. */
final class RowReader extends ValueReader {
  private final RowPlan plan;
  private final MethodHandle make;
  private final @Nullable ColumnImpl[] columns;
  private final @Nullable ValueReader[] readers;

  RowReader(ColumnImpl column, RowPlan plan, @Nullable ColumnImpl[] columns, @Nullable ValueReader[] readers) {
    super(column, plan.type);
    this.plan = plan;
    this.make = plan.make;
    this.columns = columns;
    this.readers = readers;
  }

  @Override
  Object read(long row) {
    try {
      return (Object) make.invokeExact(new At(this, row));
    } catch (NoSuchElementException e) {
      throw nullIn(row, e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(type.type().getName() + " cannot be made of row " + row, e);
    }
  }

  /** Returns the exception for a null in a primitive component. */
  private RuntimeException nullIn(long row, NoSuchElementException e) {
    for (int i = 0; i < columns.length; i++) {
      ColumnImpl part = columns[i];
      if (part == null || !plan.components.get(i).type().type().isPrimitive() || !part.isNull(row)) continue;
      return Unreadable.ofNull(plan.components.get(i).type()).under(plan.components.get(i).name());
    }
    return e; // the constructor of the class threw it
  }

  /** A row. Each leaf of the constructor reads one component from it. */
  static final class At {
    private static final Map<Class<?>, MethodHandle> LEAVES = Map.of(
        boolean.class, leaf("getBoolean", boolean.class), byte.class, leaf("getByte", byte.class), short.class,
        leaf("getShort", short.class),
        int.class, leaf("getInt", int.class), long.class, leaf("getLong", long.class), float.class,
        leaf("getFloat", float.class),
        double.class, leaf("getDouble", double.class));
    private static final MethodHandle OBJECT = leaf("getObject", Object.class);

    private final RowReader rows;
    private final long row;

    At(RowReader rows, long row) {
      this.rows = rows;
      this.row = row;
    }

    /**
     * Returns the handle that reads the component at a position with the constructor's type. A primitive that a codec
     * reads is first an object.
     */
    static MethodHandle leaf(Class<?> part, int position, boolean byCodec) {
      MethodHandle reads = byCodec ? OBJECT : LEAVES.getOrDefault(part, OBJECT);
      MethodHandle leaf = MethodHandles.insertArguments(reads, 1, position);
      return leaf.asType(MethodType.methodType(part, At.class));
    }

    private static MethodHandle leaf(String name, Class<?> returned) {
      try {
        return MethodHandles.lookup().findStatic(At.class, name, MethodType.methodType(returned, At.class, int.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(name, e);
      }
    }

    static boolean getBoolean(At at, int position) {
      return at.column(position).getBoolean(at.row);
    }

    static byte getByte(At at, int position) {
      return (byte) at.column(position).getLong(at.row);
    }

    static short getShort(At at, int position) {
      return (short) at.column(position).getLong(at.row);
    }

    static int getInt(At at, int position) {
      return (int) at.column(position).getLong(at.row);
    }

    static long getLong(At at, int position) {
      return at.column(position).getLong(at.row);
    }

    static float getFloat(At at, int position) {
      return (float) at.column(position).getDouble(at.row);
    }

    static double getDouble(At at, int position) {
      return at.column(position).getDouble(at.row);
    }

    static @Nullable Object getObject(At at, int position) {
      ValueReader reader = at.rows.readers[position];
      if (reader == null) throw new AssertionError(position);
      try {
        return reader.get(at.row);
      } catch (Unreadable e) {
        throw e.under(at.rows.plan.components.get(position).name());
      }
    }

    private ColumnImpl column(int position) {
      ColumnImpl column = rows.columns[position];
      if (column == null) throw new AssertionError(position);
      return column;
    }
  }
}
