// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.NestedType.DictionaryType;

/**
 * Writes the dictionaries of a batch that the output does not have yet, and finds the indices of their values in the
 * output.
 *
 * <p>Inner dictionaries come before the dictionaries whose values refer to them.
 */
final class DictionaryWriter implements AutoCloseable {
  /** Writes values of a dictionary. */
  interface Target {
    void write(IpcField field, DeviceArray values, boolean isDelta) throws IOException;
  }

  private static final int TO_DICTIONARY = -1;

  /** The values of the output, for each value of a dictionary, up to which the dictionary is compared with them. */
  private static final long CHEAP = 16;

  private final boolean mayReplace;
  private final boolean hasDeltas;
  private final Target target;
  private final Map<Long, DictionaryState> states = new HashMap<>();
  private final Map<Long, DictionaryState.Indices> indices = new HashMap<>();

  /** The way from the batch to the current array: positions of children, and {@link #TO_DICTIONARY}. */
  private int[] steps = new int[8];

  private int depth;

  /**
   * Creates a writer.
   *
   * @param mayReplace whether the output may replace a dictionary: a stream may, a file may not
   * @param hasDeltas whether a stream has deltas; a file has them in any case
   */
  DictionaryWriter(boolean mayReplace, boolean hasDeltas, Target target) {
    this.mayReplace = mayReplace;
    this.hasDeltas = hasDeltas;
    this.target = target;
  }

  /** Returns the indices in the output for the values of a field of the current batch. */
  DictionaryState.Indices indices(IpcField field) {
    return indices.getOrDefault(field.dictionaryId, DictionaryState.Indices.SAME);
  }

  /** Writes the missing values of the dictionaries of a batch, which the CPU can read. */
  void write(IpcSchema schema, RecordBatch batch) throws IOException {
    ArrayStruct struct = ArrayBridge.struct(batch);
    depth = 0;
    for (int i = 0; i < schema.columnCount(); i++) {
      IpcField column = schema.column(i);
      if (column.hasDictionary) writeBelow(column, struct.child(i), i, batch);
    }
  }

  /** Writes the dictionaries of the array that is one step below the current one; see {@link #write}. */
  private boolean writeBelow(IpcField field, ArrayStruct struct, int step, RecordBatch batch) throws IOException {
    if (depth == steps.length) steps = Arrays.copyOf(steps, 2 * depth);
    steps[depth++] = step;
    boolean isReplaced = write(field, struct, batch);
    depth--;
    return isReplaced;
  }

  /** Returns whether a dictionary of the field, or of its children, was replaced. */
  private boolean write(IpcField field, ArrayStruct struct, RecordBatch batch) throws IOException {
    boolean isReplaced = false;
    for (int i = 0; i < field.childCount(); i++) {
      IpcField child = field.child(i);
      if (child.hasDictionary) isReplaced |= writeBelow(child, struct.child(i), i, batch);
    }
    IpcField values = field.values;
    if (values == null) return isReplaced;
    ArrayStruct dictionary = struct.dictionary();
    boolean isInnerReplaced = values.hasDictionary && writeBelow(values, dictionary, TO_DICTIONARY, batch);
    DictionaryState state = states.computeIfAbsent(field.dictionaryId, _ -> new DictionaryState());
    DictionaryState.Indices known = isInnerReplaced ? null : state.indicesOf(dictionary);
    if (known != null) {
      indices.put(field.dictionaryId, known);
      return false;
    }
    try (DeviceArray array = openDictionary(values, batch)) {
      return write(field, array, DictionaryState.signature(dictionary), isInnerReplaced, state);
    }
  }

  /** Returns the dictionary of the current array by itself. The caller closes it. */
  private DeviceArray openDictionary(IpcField values, RecordBatch batch) {
    try (ArrayData root = ArrayData.of(batch)) {
      ArrayData data = root;
      for (int i = 0; i < depth; i++) data = steps[i] < 0 ? dictionary(data) : data.children().get(steps[i]);
      return DeviceArray.of(values.field, dictionary(data));
    }
  }

  private static ArrayData dictionary(ArrayData data) {
    ArrayData values = data.dictionary();
    if (values == null) throw new IllegalStateException("the array has no dictionary");
    return values;
  }

  private boolean write(IpcField field, DeviceArray array, long[] signature, boolean isInnerReplaced,
      DictionaryState state) throws IOException {
    boolean isFirst = state.isEmpty();
    DictionaryState.Indices known = isInnerReplaced ? null : state.indicesOf(array, signature);
    boolean isReplaced = false;
    if (known == null) {
      long prefix = mayExtend(field) && !isInnerReplaced ? state.lengthOfPrefix(array) : -1;
      if (prefix >= 0) {
        checkRange(field, state.total() - prefix + array.length());
        try (DeviceArray delta = array.slice(prefix, array.length() - prefix)) {
          target.write(field, delta, true);
        }
        known = state.extend(array, signature);
      } else if (isFirst || mayReplace) {
        target.write(field, array, false);
        state.replace(array, signature);
        known = DictionaryState.Indices.SAME;
        isReplaced = !isFirst;
      } else {
        known = add(field, array, signature, state);
      }
    }
    indices.put(field.dictionaryId, known);
    return isReplaced;
  }

  /** Writes the values of another dictionary that the output does not have. */
  private DictionaryState.Indices add(IpcField field, DeviceArray array, long[] signature, DictionaryState state)
      throws IOException {
    IpcField values = Objects.requireNonNull(field.values);
    long sum = state.total() + array.length();
    boolean isOrdered = ((DictionaryType) field.field.type()).ordered();
    boolean isScarce = field.width <= Short.SIZE || !reaches(field, sum); // equal values must take no indices twice
    boolean isUnited = isOrdered || isScarce || state.total() / CHEAP <= array.length();
    if (values.hasDictionary || !isUnited) { // a united delta would have another inner dictionary than the batch
      if (isOrdered) throw isOrdered(field);
      checkRange(field, sum);
      target.write(field, array, true);
      return state.append(array, signature);
    }
    try (DictionaryState.United united = state.unite(values.field, array)) {
      if (isOrdered && !united.isInOrder()) throw isOrdered(field);
      checkRange(field, state.total() + united.more().length());
      if (united.more().length() > 0) target.write(field, united.more(), true);
      return state.add(united, array, signature);
    }
  }

  /**
   * Returns whether a dictionary may be extended by a delta. A file has no other way. In a stream, other
   * implementations do not read deltas of values that have dictionaries themselves.
   */
  private boolean mayExtend(IpcField field) {
    return !mayReplace || (hasDeltas && field.values != null && !field.values.hasDictionary);
  }

  /** Returns the error for an order of values, which values behind those of another dictionary would change. */
  private static DeviceException isOrdered(IpcField field) {
    return new DeviceException(Errno.EINVAL, "cannot write column \"" + field.field.name()
        + "\": its dictionary is ordered, and a batch has another one, but a file has one dictionary for a column;"
        + " write a stream, or convert the column to its values first, with convertTo");
  }

  /** Returns whether the indices of a field can count so many values. */
  private static boolean reaches(IpcField field, long count) {
    IntType index = ((DictionaryType) field.field.type()).index();
    int bits = index.signed() ? index.bits() - 1 : index.bits();
    return bits >= 63 || count <= 1L << bits;
  }

  /** Throws if the indices of a field cannot count so many values. */
  private static void checkRange(IpcField field, long count) {
    if (reaches(field, count)) return;
    throw new DeviceException(Errno.EINVAL, "cannot write column \"" + field.field.name()
        + "\": a file has one dictionary for a column, so the values of all batches' dictionaries are added to it, and "
        + count + " values exceed the range of " + ((DictionaryType) field.field.type()).index()
        + " indices; write a stream, or convert the column to wider indices or to its values first, with convertTo");
  }

  @Override
  public void close() {
    states.values().forEach(DictionaryState::close);
    states.clear();
  }
}
