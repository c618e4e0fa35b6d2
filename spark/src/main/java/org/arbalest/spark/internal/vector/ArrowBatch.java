// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import java.util.List;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A Spark batch that displays the columns of an array, by their names. */
public final class ArrowBatch extends ColumnarBatch {
  private final ArrowVector[] vectors;
  private @Nullable RecordBatch array;

  ArrowBatch(ArrowVector[] vectors) {
    super(vectors);
    this.vectors = vectors;
  }

  /** Returns the current array, borrowed until the next one. */
  public RecordBatch array() {
    RecordBatch current = array;
    if (current == null)
      throw new IllegalStateException("this batch is closed; Spark keeps a batch until it pulls the next one");
    return current;
  }

  /**
   * Returns whether the batch has the columns of a schema in its order. A union in Spark matches columns by position,
   * and not by name.
   */
  public boolean hasNames(Schema schema) {
    List<Field> fields = schema.fields();
    if (fields.size() != vectors.length) return false;
    for (int i = 0; i < vectors.length; i++) {
      if (!vectors[i].column().name().equals(fields.get(i).name())) return false;
    }
    return true;
  }

  /** Displays the columns of an array, which are the batch's, in place of the array before. */
  void show(RecordBatch next) {
    for (int i = 0; i < vectors.length; i++) vectors[i].show(next.column(i));
    setNumRows(Math.toIntExact(next.length()));
    array = next;
  }

  /** Returns the number of bytes of the current columns. */
  long bytes() {
    long bytes = 0;
    for (ArrowVector vector : vectors) bytes += ColumnBytes.of(vector.column());
    return bytes;
  }

  /** Clears the batch. Later reads throw an exception. */
  @Override
  public void close() {
    array = null;
    super.close();
  }
}
