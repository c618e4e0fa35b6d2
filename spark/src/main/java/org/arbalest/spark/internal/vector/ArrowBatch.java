// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A batch of Spark's that shows columns of an array, by their names. */
public final class ArrowBatch extends ColumnarBatch {
  private final ArrowVector[] vectors;
  private @Nullable DeviceArray array;

  ArrowBatch(ArrowVector[] vectors) {
    super(vectors);
    this.vectors = vectors;
  }

  /** The array, which is borrowed, with the columns shown and perhaps others, in any order. */
  public DeviceArray array() {
    DeviceArray current = array;
    if (current == null) throw new IllegalStateException("nothing is shown any more");
    return current;
  }

  /**
   * Whether the columns shown are those of a schema, in its order: a union of Spark's goes by place, and not by name.
   */
  public boolean hasNames(Schema schema) {
    List<Field> fields = schema.fields();
    if (fields.size() != vectors.length) return false;
    for (int i = 0; i < vectors.length; i++) {
      if (!vectors[i].column().name().equals(fields.get(i).name())) return false;
    }
    return true;
  }

  /** Shows an array's columns, in place of those before. */
  void show(DeviceArray next, int[] columns) {
    for (int i = 0; i < vectors.length; i++) vectors[i].show(next.column(columns[i]));
    setNumRows(Math.toIntExact(next.length()));
    array = next;
  }

  /** How many bytes of memory are shown. */
  long bytes() {
    long bytes = 0;
    for (ArrowVector vector : vectors) bytes += ColumnBytes.of(vector.column());
    return bytes;
  }

  /** Shows nothing: what still reads gets an error. */
  @Override
  public void close() {
    array = null;
    super.close();
  }
}
