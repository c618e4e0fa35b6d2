// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.NestedType.DictionaryType;

/**
 * Writes the dictionaries of a batch that the output does not have yet, and computes how far the batch's indices move.
 *
 * <p>Inner dictionaries come before the dictionaries whose values refer to them.
 */
final class DictionaryWriter implements AutoCloseable {
  /** Writes values of a dictionary. */
  interface Target {
    void write(IpcField field, DeviceArray values, boolean isDelta) throws IOException;
  }

  private static final int TO_DICTIONARY = -1;

  private final boolean mayReplace;
  private final boolean hasDeltas;
  private final Target target;
  private final Map<Long, DictionaryState> states = new HashMap<>();
  private final Map<Long, Long> shifts = new HashMap<>();

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

  /** Returns the number to add to the indices of a field of the current batch. */
  long shift(IpcField field) {
    return shifts.getOrDefault(field.dictionaryId, 0L);
  }

  /** Writes the missing values of the dictionaries of a batch, which the CPU can read. */
  void write(IpcSchema schema, DeviceArray batch) throws IOException {
    ArrayStruct struct = ArrayBridge.struct(batch);
    depth = 0;
    for (int i = 0; i < schema.columnCount(); i++) {
      IpcField column = schema.column(i);
      if (column.hasDictionary) writeBelow(column, struct.child(i), i, batch);
    }
  }

  /** Writes the dictionaries of the array that is one step below the current one; see {@link #write}. */
  private boolean writeBelow(IpcField field, ArrayStruct struct, int step, DeviceArray batch) throws IOException {
    if (depth == steps.length) steps = Arrays.copyOf(steps, 2 * depth);
    steps[depth++] = step;
    boolean isReplaced = write(field, struct, batch);
    depth--;
    return isReplaced;
  }

  /** Returns whether a dictionary of the field, or of its children, was replaced. */
  private boolean write(IpcField field, ArrayStruct struct, DeviceArray batch) throws IOException {
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
    long base = isInnerReplaced ? -1 : state.baseOf(dictionary);
    if (base >= 0) {
      shifts.put(field.dictionaryId, base);
      return false;
    }
    try (DeviceArray array = openDictionary(values, batch)) {
      return write(field, array, DictionaryState.signature(dictionary), isInnerReplaced, state);
    }
  }

  /** Returns the dictionary of the current array by itself. The caller closes it. */
  private DeviceArray openDictionary(IpcField values, DeviceArray batch) {
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
    long base = isInnerReplaced ? -1 : state.baseOf(array, signature);
    boolean isReplaced = false;
    if (base < 0) {
      long known = mayExtend(field) && !isInnerReplaced ? state.lengthOfPrefix(array) : -1;
      if (known >= 0) {
        checkRange(field, state.total() - known + array.length());
        try (DeviceArray delta = array.slice(known, array.length() - known)) {
          target.write(field, delta, true);
        }
        base = state.extend(array, signature);
      } else if (isFirst || mayReplace) {
        target.write(field, array, false);
        state.replace(array, signature);
        base = 0;
        isReplaced = !isFirst;
      } else {
        checkOrder(field);
        checkRange(field, state.total() + array.length());
        target.write(field, array, true);
        base = state.append(array, signature);
      }
    }
    shifts.put(field.dictionaryId, base);
    return isReplaced;
  }

  /**
   * Returns whether a dictionary may be extended by a delta. A file has no other way. In a stream, other
   * implementations do not read deltas of values that have dictionaries themselves.
   */
  private boolean mayExtend(IpcField field) {
    return !mayReplace || (hasDeltas && field.values != null && !field.values.hasDictionary);
  }

  /** Throws if the order of the values has a meaning, which values behind those of another dictionary would change. */
  private static void checkOrder(IpcField field) {
    if (((DictionaryType) field.field.type()).ordered()) throw new DeviceException(Errno.EINVAL,
        "cannot write column \"" + field.field.name() + "\": its dictionary is ordered, and a batch has another one,"
            + " but a file has one dictionary for a column; write a stream, or convert the column to its values first,"
            + " with convertTo");
  }

  /** Throws if the indices of a field cannot count so many values. */
  private static void checkRange(IpcField field, long count) {
    IntType index = ((DictionaryType) field.field.type()).index();
    int bits = index.signed() ? index.bits() - 1 : index.bits();
    if (bits < 63 && count > 1L << bits) throw new DeviceException(Errno.EINVAL, "cannot write column \""
        + field.field.name() + "\": a file has one dictionary for a column, so the values of all batches' dictionaries"
        + " are added to it, and " + count + " values exceed the range of " + index
        + " indices; write a stream, or convert the column to wider indices or to its values first, with convertTo");
  }

  @Override
  public void close() {
    states.values().forEach(DictionaryState::close);
    states.clear();
  }
}
