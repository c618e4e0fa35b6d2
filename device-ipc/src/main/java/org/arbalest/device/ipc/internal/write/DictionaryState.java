// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.spi.ArrayStruct;
import org.jspecify.annotations.Nullable;

/** The values of one dictionary that the output has so far. */
final class DictionaryState implements AutoCloseable {
  /**
   * A dictionary of a producer, which begins at {@code base} in the dictionary of the output.
   *
   * @param signature the addresses of the values, which the array keeps alive; null for a copy
   * @param ends the first and the last value as text, to find equal parts quickly
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Part(DeviceArray values, long @Nullable [] signature, String ends, long base) {}

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
   * Returns the base of a dictionary that is in the same memory as the last one. That memory is still alive, so the
   * same addresses mean the same values.
   *
   * @return −1 if it is in other memory
   */
  long baseOf(ArrayStruct values) {
    if (parts.isEmpty()) return -1;
    Part last = parts.getLast();
    return last.signature != null && matched(last.signature, 0, values) == last.signature.length ? last.base : -1;
  }

  /**
   * Returns the base of a dictionary that was written: all values of a part, or the first values of the last part.
   *
   * @return −1 if no such values were written
   */
  long baseOf(DeviceArray values, long[] signature) {
    if (values.length() == 0 && !parts.isEmpty()) return 0; // no index needs a value
    String ends = ends(values);
    for (int i = parts.size() - 1; i >= 0; i--) {
      Part part = parts.get(i);
      if (part.values.length() != values.length() || !part.ends.equals(ends)) continue;
      if (!part.values.contentEquals(values)) continue;
      if (part.signature == null) return part.base;
      // the next batch probably has the same memory
      parts.set(i, new Part(values.retain(), signature, ends, part.base));
      part.values.close();
      return part.base;
    }
    return !parts.isEmpty() && isPrefix(values, parts.getLast().values) ? parts.getLast().base : -1;
  }

  /** Returns the length of the last part if a dictionary begins with its values; −1 otherwise. */
  long lengthOfPrefix(DeviceArray values) {
    if (parts.isEmpty()) return -1;
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

  /** Adds a dictionary behind the others, and returns its base. */
  long append(DeviceArray values, long[] signature) {
    if (!parts.isEmpty()) releaseSource();
    long base = total;
    parts.add(new Part(values.retain(), signature, ends(values), base));
    total += values.length();
    return base;
  }

  /** Replaces the last part by a copy, which does not keep the memory of its batch. */
  private void releaseSource() {
    Part last = parts.getLast();
    DeviceArray copy = last.values.copyTo(Devices.cpu());
    copy.synchronize();
    parts.set(parts.size() - 1, new Part(copy, null, last.ends, last.base));
    last.values.close();
  }

  /** Replaces the last part by a longer dictionary that begins with it, and returns its base. */
  long extend(DeviceArray values, long[] signature) {
    Part old = parts.removeLast();
    parts.add(new Part(values.retain(), signature, ends(values), old.base));
    total = old.base + values.length();
    old.values.close();
    return old.base;
  }

  private static String ends(DeviceArray values) {
    if (values.length() == 0) return "";
    try (DeviceArray first = values.slice(0, 1); DeviceArray last = values.slice(values.length() - 1, 1)) {
      return first.toString(1) + last.toString(1);
    }
  }

  @Override
  public void close() {
    parts.forEach(part -> part.values.close());
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
