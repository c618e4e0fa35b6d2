// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ForeignArray;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Makes an array from vectors: it walks the vectors by their plan, retains their buffers, and records the addresses.
 */
final class VectorLender {
  /**
   * The size in bytes of a substitute buffer: the largest size that an array without elements needs. It stands for
   * buffers that Arrow Java does not have, and is never freed.
   */
  private static final int EMPTY = 64;

  private static final long ZEROS = Arena.global().allocate(EMPTY, EMPTY).address();

  /** An array that no thread uses now. */
  private static final AtomicReference<@Nullable ForeignArray> SPARE = new AtomicReference<>();

  private final ForeignArray array;
  private final VectorLoan loan;
  private final @Nullable DictionaryProvider dictionaries;

  private VectorLender(ForeignArray array, int buffers, @Nullable DictionaryProvider dictionaries) {
    this.array = array;
    this.loan = new VectorLoan(buffers);
    this.dictionaries = dictionaries;
  }

  private static ForeignArray takeSpare() {
    ForeignArray spare = SPARE.getAndSet(null);
    return spare == null ? new ForeignArray() : spare.clear();
  }

  /** Returns a record batch of a root's vectors. */
  static RecordBatch lend(VectorSchemaRoot root, @Nullable DictionaryProvider dictionaries) {
    RootPlan plan = RootPlan.of(root.getSchema(), dictionaries);
    ForeignArray array = takeSpare();
    try {
      return new VectorLender(array, plan.buffers, dictionaries).lend(plan, root);
    } finally {
      SPARE.set(array);
    }
  }

  /** Returns an array of one vector. */
  static DeviceArray lend(FieldVector vector, @Nullable DictionaryProvider dictionaries) {
    VectorPlan plan = ArrowSchemas.plan(vector.getField(), dictionaries);
    ForeignArray array = takeSpare();
    try {
      return new VectorLender(array, plan.buffers, dictionaries).lend(plan, vector);
    } finally {
      SPARE.set(array);
    }
  }

  private RecordBatch lend(RootPlan plan, VectorSchemaRoot root) {
    try {
      int rows = root.getRowCount();
      array.array(rows, 0, 0).buffer(0, 0);
      for (int i = 0; i < plan.columns.length; i++) {
        VectorPlan column = plan.columns[i];
        try {
          FieldVector vector = root.getVector(i);
          if (vector.getValueCount() != rows) throw rowsDiffer(vector.getValueCount(), rows);
          walk(column, vector, rows);
        } catch (RuntimeException e) {
          throw Unfit.of(e).under(column.field.name());
        }
      }
      return wrap(plan.schema.asField()).asRecordBatch();
    } catch (Throwable t) {
      throw undone(t);
    }
  }

  private DeviceArray lend(VectorPlan plan, FieldVector vector) {
    try {
      walkOne(plan, vector);
      return wrap(plan.field);
    } catch (Throwable t) {
      throw undone(t);
    }
  }

  private void walkOne(VectorPlan plan, FieldVector vector) {
    try {
      walk(plan, vector, vector.getValueCount());
    } catch (RuntimeException e) {
      throw Unfit.of(e);
    }
  }

  private DeviceArray wrap(Field field) {
    return ArrayBridge.wrap(field, array, Devices.cpu(), loan, loan::release);
  }

  private RuntimeException undone(Throwable t) {
    try {
      loan.release();
    } catch (Throwable later) {
      Releases.join(t, later);
    }
    if (t instanceof Error error) throw error;
    RuntimeException failure = Unfit.unchecked(t);
    return failure instanceof Unfit unfit ? unfit.toDeviceException() : failure;
  }

  private static Unfit rowsDiffer(int values, int rows) {
    return new Unfit("the vector has " + values + " values, but the root " + rows + " rows"
        + (values == 0 ? "; was it closed?" : ""));
  }

  /**
   * Adds {@code count} elements of a vector. This may exceed the vector's own value count: Arrow Java shortens the
   * vectors below a union, and the union's offsets may need more elements.
   */
  private void walk(VectorPlan plan, FieldVector vector, int count) {
    if (vector instanceof ExtensionTypeVector<?> extension) {
      walk(plan, (FieldVector) extension.getUnderlyingVector(), count);
      return;
    }
    plan.requireLike(vector);
    if (vector instanceof BaseFixedWidthVector fixed) {
      validity(count, fixed.getValidityBuffer());
      buffer(count, fixed.getDataBuffer());
    } else {
      buffers(plan, vector, count);
      children(plan, vector, count);
    }
    if (plan.dictionary != null) dictionary(plan, plan.dictionary);
  }

  /** Adds the array and its own buffers. */
  private void buffers(VectorPlan plan, FieldVector vector, int count) {
    switch (plan.minorType) {
      case NULL -> array.array(count, count, 0);
      case RUNENDENCODED -> array.array(count, 0, 0);
      case UNION, DENSEUNION -> {
        List<ArrowBuf> buffers = vector.getFieldBuffers();
        requireTypeIds(plan, buffers.getFirst(), count);
        array.array(count, 0, 0);
        for (int i = 0; i < buffers.size(); i++) buffer(count, buffers.get(i));
      }
      default -> {
        List<ArrowBuf> buffers = vector.getFieldBuffers(); // which writes the offsets that setValueCount left out
        validity(count, buffers.getFirst());
        for (int i = 1; i < buffers.size(); i++) buffer(count, buffers.get(i));
      }
    }
  }

  private void validity(int count, ArrowBuf validity) {
    boolean isThere = validity.capacity() > 0;
    array.array(count, isThere ? -1 : 0, 0);
    if (isThere) {
      buffer(count, validity);
    } else {
      array.buffer(0, 0);
    }
  }

  private void buffer(int count, ArrowBuf buffer) {
    long bytes = buffer.capacity();
    if (bytes == 0) {
      array.buffer(ZEROS, count == 0 ? EMPTY : 0);
      return;
    }
    loan.retain(buffer);
    array.buffer(buffer.memoryAddress(), bytes);
  }

  /** Rejects rows without a type, which only Arrow Java treats as nulls, and ids that are not in the schema. */
  private static void requireTypeIds(VectorPlan plan, ArrowBuf ids, int count) {
    long there = Math.min(count, ids.capacity());
    for (long row = 0; row < there; row++) {
      byte id = ids.getByte(row);
      if (!plan.hasTypeId(id)) {
        throw new Unfit("row " + row + " has the type id " + id + ", which " + plan.field.type()
            + " does not have: a union has no nulls of its own");
      }
    }
  }

  private void children(VectorPlan plan, FieldVector vector, int count) {
    VectorPlan[] plans = plan.children;
    if (vector instanceof DenseUnionVector union) {
      int[] needed = needed(plan, union, count);
      for (int i = 0; i < plans.length; i++) child(plans[i], plans[i].in(union, plan.typeIds[i]), needed[i]);
      return;
    }
    List<FieldVector> children = plan.children(vector);
    int needed = count > vector.getValueCount() ? neededBelow(vector, count) : 0;
    for (int i = 0; i < plans.length; i++) child(plans[i], children.get(i), needed);
    if (vector instanceof RunEndEncodedVector runs) requireRuns(runs.getRunEndsVector(), count);
  }

  /**
   * Returns the number of elements that each child of a union must have, from the offsets of its rows. Arrow Java
   * counts only the rows of each child.
   */
  private static int[] needed(VectorPlan plan, DenseUnionVector union, int count) {
    int[] needed = new int[plan.children.length];
    ArrowBuf ids = union.getTypeBuffer();
    ArrowBuf offsets = union.getOffsetBuffer();
    // core rejects an array whose buffers are too short
    long there = Math.min(count, Math.min(ids.capacity(), offsets.capacity() / Integer.BYTES));
    for (long row = 0; row < there; row++) {
      int offset = offsets.getInt(row * Integer.BYTES);
      if (offset < 0) throw new Unfit("row " + row + " has the offset " + offset);
      int child = plan.childOf(ids.getByte(row));
      needed[child] = Math.max(needed[child], VectorLoader.count(offset + 1L));
    }
    return needed;
  }

  /** Returns the number of elements that each child must have if the vector has more elements than its value count. */
  private static int neededBelow(FieldVector vector, int count) {
    return VectorLoader.count(
        switch (vector) {
          case StructVector _, UnionVector _ -> count;
          case FixedSizeListVector list -> (long) count * list.getListSize();
          case ListVector list -> at(list.getOffsetBuffer(), count, Integer.BYTES);
          case LargeListVector list -> at(list.getOffsetBuffer(), count, Long.BYTES);
          case ListViewVector views -> lastEnd(views.getOffsetBuffer(), views.getSizeBuffer(), count, Integer.BYTES);
          case LargeListViewVector views -> lastEnd(views.getOffsetBuffer(), views.getSizeBuffer(), count, Long.BYTES);
          default -> 0; // run ends: they themselves give the number of runs
        });
  }

  private static long lastEnd(ArrowBuf offsets, ArrowBuf sizes, int count, int width) {
    long last = 0;
    long there = Math.min(count, Math.min(offsets.capacity(), sizes.capacity()) / width);
    for (long row = 0; row < there; row++)
      last = Math.max(last, Math.addExact(at(offsets, row, width), at(sizes, row, width)));
    return last;
  }

  /**
   * Returns a number from a buffer; 0 after the end of the buffer, which core rejects later. The buffers that Arrow
   * Java received may be too short, and Arrow Java may not check bounds.
   */
  private static long at(ArrowBuf buffer, long index, int width) {
    if ((index + 1) * width > buffer.capacity()) return 0;
    return width == Integer.BYTES ? buffer.getInt(index * width) : buffer.getLong(index * width);
  }

  private static void requireRuns(FieldVector ends, int count) {
    ArrowBuf buffer = ends.getDataBuffer();
    int width = ((BaseFixedWidthVector) ends).getTypeWidth();
    int runs = ends.getValueCount();
    if ((long) runs * width > buffer.capacity()) return; // core rejects this
    long end =
        runs == 0 ? 0 : width == Short.BYTES ? buffer.getShort((runs - 1L) * width) : at(buffer, runs - 1L, width);
    if (end < count) throw new Unfit("the runs end at " + end + ", but the vector has " + count + " values");
  }

  private void child(VectorPlan plan, FieldVector child, int needed) {
    try {
      walk(plan, child, Math.max(child.getValueCount(), needed));
    } catch (RuntimeException e) {
      throw Unfit.of(e).under(plan.field.name());
    }
  }

  private void dictionary(VectorPlan plan, VectorPlan values) {
    try {
      FieldVector vector = VectorPlan.lookup(plan.dictionaryId, dictionaries).getVector();
      walk(values, vector, vector.getValueCount());
    } catch (RuntimeException e) {
      throw Unfit.of(e).under(Unfit.DICTIONARY);
    }
  }
}
