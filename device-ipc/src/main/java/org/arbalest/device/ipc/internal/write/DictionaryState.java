// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.jspecify.annotations.Nullable;

/** The values of one dictionary that the output has so far. */
final class DictionaryState implements AutoCloseable {
  /**
   * The indices in the output for the values of a batch's dictionary.
   *
   * @param shift the number to add to each index, if there is no list
   * @param indices the index of each value; null for a shift
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Indices(long shift, int @Nullable [] indices) {
    static final Indices SAME = new Indices(0, null);
  }

  /**
   * A dictionary of a producer. Its own values begin at {@code base} in the dictionary of the output.
   *
   * @param signature the addresses of the values, which the array keeps alive; null for a copy
   * @param ends the first and the last value as text, to find equal parts quickly
   * @param more the values that the output did not have before; these and {@code indices} are null if it had none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Part(DeviceArray values, long @Nullable [] signature, String ends, long base,
      @Nullable DeviceArray more, int @Nullable [] indices) {
    Indices toIndices() {
      return new Indices(indices == null ? base : 0, indices);
    }

    void close() {
      values.close();
      if (more != null) more.close();
    }
  }

  /**
   * A dictionary that has some values of the output.
   *
   * @param more the values that the output does not have
   * @param indices the index of each value in the output
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record United(DeviceArray more, int[] indices) implements AutoCloseable {
    /** Returns whether the output has all values, in the same order. */
    boolean isInOrder() {
      boolean isInOrder = more.length() == 0;
      for (int i = 1; i < indices.length; i++) isInOrder &= indices[i - 1] <= indices[i];
      return isInOrder;
    }

    @Override
    public void close() {
      more.close();
    }
  }

  /** The dictionaries in the order of the output. All except the last have only values of their own. */
  private final List<Part> parts = new ArrayList<>();

  private long total;

  /** The number of values. */
  long total() {
    return total;
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /**
   * Returns the indices of a dictionary that is in the same memory as the last one. That memory is still alive, so the
   * same addresses mean the same values.
   *
   * @return null if it is in other memory
   */
  @Nullable
  Indices indicesOf(ArrayStruct values) {
    if (parts.isEmpty()) return null;
    Part last = parts.getLast();
    boolean isSame = last.signature != null && matched(last.signature, 0, values) == last.signature.length;
    return isSame ? last.toIndices() : null;
  }

  /**
   * Returns the indices of a dictionary that was written: all values of a part, or the first values of the last part.
   *
   * @return null if no such values were written
   */
  @Nullable
  Indices indicesOf(DeviceArray values, long[] signature) {
    if (values.length() == 0 && !parts.isEmpty()) return Indices.SAME; // no index needs a value
    String ends = ends(values);
    for (int i = parts.size() - 1; i >= 0; i--) {
      Part part = parts.get(i);
      if (part.values.length() != values.length() || !part.ends.equals(ends)) continue;
      if (!part.values.contentEquals(values)) continue;
      if (part.signature == null) return part.toIndices();
      // the next batch probably has the same memory
      parts.set(i, new Part(values.retain(), signature, ends, part.base, part.more, part.indices));
      part.values.close();
      return part.toIndices();
    }
    return !parts.isEmpty() && isPrefix(values, parts.getLast().values) ? parts.getLast().toIndices() : null;
  }

  /** Returns the length of the last part if a dictionary begins with its values; −1 otherwise. */
  long lengthOfPrefix(DeviceArray values) {
    if (parts.isEmpty() || parts.getLast().indices != null) return -1;
    DeviceArray last = parts.getLast().values;
    return last.length() < values.length() && isPrefix(last, values) ? last.length() : -1;
  }

  private static boolean isPrefix(DeviceArray start, DeviceArray whole) {
    if (start.length() > whole.length()) return false;
    try (DeviceArray prefix = whole.slice(0, start.length())) {
      return prefix.contentEquals(start);
    }
  }

  /** Removes all values, and adds a dictionary. */
  void replace(DeviceArray values, long[] signature) {
    close();
    append(values, signature);
  }

  /** Adds a dictionary behind the others, and returns its indices. */
  Indices append(DeviceArray values, long[] signature) {
    releaseSource();
    parts.add(new Part(values.retain(), signature, ends(values), total, null, null));
    total += values.length();
    return parts.getLast().toIndices();
  }

  /** Adds a dictionary that was united with the others, and returns its indices. */
  Indices add(United united, DeviceArray values, long[] signature) {
    releaseSource();
    parts.add(new Part(values.retain(), signature, ends(values), total, united.more.retain(), united.indices));
    total += united.more.length();
    return parts.getLast().toIndices();
  }

  /** Replaces the last part by its own values, in a copy that does not keep the memory of its batch. */
  private void releaseSource() {
    if (parts.isEmpty()) return;
    Part last = parts.getLast();
    DeviceArray own = last.more == null ? last.values : last.more;
    DeviceArray copy = own.copyTo(Devices.cpu());
    copy.synchronize();
    parts.removeLast();
    if (copy.length() == 0) {
      copy.close();
    } else {
      parts.add(new Part(copy, null, ends(copy), last.base, null, null));
    }
    last.close();
  }

  /** Replaces the last part by a longer dictionary that begins with it, and returns its indices. */
  Indices extend(DeviceArray values, long[] signature) {
    Part old = parts.removeLast();
    parts.add(new Part(values.retain(), signature, ends(values), old.base, null, null));
    total = old.base + values.length();
    old.close();
    return parts.getLast().toIndices();
  }

  /** Compares the values of a dictionary with those of the output. The caller closes the result. */
  United unite(Field field, DeviceArray values) {
    try (DeviceArray known = known();
        DeviceArray first = encoded(field, known);
        DeviceArray second = encoded(field, values);
        DeviceArray whole = DeviceArray.concat(List.of(first, second));
        ArrayData data = ArrayData.of(whole)) {
      int[] indices = new int[Math.toIntExact(values.length())];
      IntView united = whole.asColumn().indices().asInts();
      for (int i = 0; i < indices.length; i++) indices[i] = united.get(known.length() + i);
      try (DeviceArray all = DeviceArray.of(field, Objects.requireNonNull(data.dictionary()))) {
        return new United(all.slice(known.length(), all.length() - known.length()), indices);
      }
    }
  }

  /** Returns all values of the output, in order. The caller closes them. */
  private DeviceArray known() {
    List<DeviceArray> own = new ArrayList<>();
    for (Part part : parts) own.add(part.more == null ? part.values : part.more);
    return own.size() == 1 ? own.getFirst().retain() : DeviceArray.concat(own);
  }

  /** Returns a dictionary-encoded array of all values, one after the other. The caller closes it. */
  private static DeviceArray encoded(Field field, DeviceArray values) {
    int count = Math.toIntExact(values.length());
    try (DeviceBuffer indices = Devices.cpu().allocate((long) Integer.BYTES * count);
        ArrayData dictionary = ArrayData.of(values)) {
      for (int i = 0; i < count; i++) indices.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
      Field encoded = Field.of("", new DictionaryType(DataType.INT32, field, false));
      return DeviceArray.of(encoded,
          new ArrayData(count, 0, 0, Arrays.asList(null, indices), List.of(), dictionary));
    }
  }

  private static String ends(DeviceArray values) {
    if (values.length() == 0) return "";
    try (DeviceArray first = values.slice(0, 1); DeviceArray last = values.slice(values.length() - 1, 1)) {
      return first.toString(1) + last.toString(1);
    }
  }

  @Override
  public void close() {
    parts.forEach(Part::close);
    parts.clear();
    total = 0;
  }

  /** Returns the lengths and addresses of all buffers of an array. */
  static long[] signature(ArrayStruct struct) {
    LongStream.Builder words = LongStream.builder();
    addSignature(struct, words);
    return words.build().toArray();
  }

  private static void addSignature(ArrayStruct struct, LongStream.Builder words) {
    words.add(struct.length()).add(struct.offset());
    for (int i = 0; i < struct.bufferCount(); i++) words.add(struct.buffer(i));
    for (int i = 0; i < struct.childCount(); i++) addSignature(struct.child(i), words);
    if (struct.hasDictionary()) addSignature(struct.dictionary(), words);
  }

  /** Returns the position behind the words of an array in a signature; −1 if its words are other ones. */
  private static int matched(long[] signature, int from, ArrayStruct struct) {
    int buffers = struct.bufferCount();
    if (from < 0 || from + 2 + buffers > signature.length) return -1;
    if (signature[from] != struct.length() || signature[from + 1] != struct.offset()) return -1;
    int at = from + 2;
    for (int i = 0; i < buffers; i++) if (signature[at++] != struct.buffer(i)) return -1;
    for (int i = 0; i < struct.childCount(); i++) at = matched(signature, at, struct.child(i));
    return struct.hasDictionary() ? matched(signature, at, struct.dictionary()) : at;
  }
}
