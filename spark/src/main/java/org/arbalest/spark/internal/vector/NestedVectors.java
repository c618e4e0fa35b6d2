// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.Objects;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.arbalest.device.columns.Column;
import org.jspecify.annotations.Nullable;

/** Vectors of nested columns, and of nulls. */
final class NestedVectors {
  private NestedVectors() {}

  /** A vector whose rows are all null. */
  static final class Nothing extends ArrowVector {
    Nothing(DataType type) {
      super(type);
    }

    @Override
    boolean hasValidity() {
      return false;
    }

    @Override
    void onColumn(Column next) {}

    @Override
    public boolean isNullAt(int row) {
      at(row);
      return true;
    }
  }

  static final class Struct extends ArrowVector {
    private final ArrowVector[] children;

    Struct(DataType type, ArrowVector[] children) {
      super(type);
      this.children = children;
    }

    @Override
    void onColumn(Column next) {
      for (int i = 0; i < children.length; i++) children[i].show(next.column(i));
    }

    @Override
    public ArrowVector getChild(int ordinal) {
      return children[ordinal];
    }

    @Override
    public void close() {
      super.close();
      for (ArrowVector child : children) child.close();
    }
  }

  /** The ways to find the items of a row. */
  enum Extent {
    OFFSETS,
    LARGE_OFFSETS,
    VIEWS,
    LARGE_VIEWS,
    FIXED
  }

  /** A vector of lists of any kind, or of maps, whose items are structs of key and value. */
  static final class Items extends ArrowVector {
    private final Extent extent;
    private final int size;
    private final ArrowVector items;
    private long first;
    private long second;

    /**
     * Creates a vector with the type that Spark reads.
     *
     * @param size the number of items in each list, for {@link Extent#FIXED}
     */
    Items(DataType type, Extent extent, int size, ArrowVector items) {
      super(type);
      this.extent = extent;
      this.size = size;
      this.items = items;
    }

    @Override
    void onColumn(Column next) {
      first = extent == Extent.FIXED ? 0 : next.bufferAddress(1);
      second = extent == Extent.VIEWS || extent == Extent.LARGE_VIEWS ? next.bufferAddress(2) : 0;
      items.show(next.items());
    }

    @Override
    public @Nullable ColumnarArray getArray(int row) {
      if (isNullAt(row)) return null;
      long at = at(row);
      int start = start(at);
      return new ColumnarArray(items, start, checked(start, count(at, start)));
    }

    @Override
    public @Nullable ColumnarMap getMap(int row) {
      if (isNullAt(row)) return null;
      long at = at(row);
      int start = start(at);
      return new ColumnarMap(items.getChild(0), items.getChild(1), start, checked(start, count(at, start)));
    }

    /** Checks the number of items. Spark does not check it, and trusts the size that it receives. */
    private int checked(int start, int count) {
      Objects.checkFromIndexSize(start, count, items.length());
      return count;
    }

    private int start(long at) {
      return switch (extent) {
        case OFFSETS, VIEWS -> Memory.getInt(first + 4 * at);
        case LARGE_OFFSETS, LARGE_VIEWS -> Math.toIntExact(Memory.getLong(first + 8 * at));
        case FIXED -> Math.toIntExact(size * at);
      };
    }

    private int count(long at, int start) {
      return switch (extent) {
        case OFFSETS -> Memory.getInt(first + 4 * at + 4) - start;
        case LARGE_OFFSETS -> Math.toIntExact(Memory.getLong(first + 8 * at + 8) - start);
        case VIEWS -> Memory.getInt(second + 4 * at);
        case LARGE_VIEWS -> Math.toIntExact(Memory.getLong(second + 8 * at));
        case FIXED -> size;
      };
    }

    @Override
    public void close() {
      super.close();
      items.close();
    }
  }
}
