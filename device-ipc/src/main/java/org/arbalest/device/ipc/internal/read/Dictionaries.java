// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.spi.ForeignArray;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries of a file or stream, as of the last message. One thread at a time changes them; batches may be read
 * meanwhile, if they do not use the changed ones.
 *
 * <p>Deltas are joined when a dictionary is used, because each join copies all values.
 */
final class Dictionaries implements AutoCloseable {
  private final Map<Long, Parts> byId = new ConcurrentHashMap<>();

  /**
   * One dictionary: its values, with indices in place of dictionary-encoded ones, and the description of their memory.
   */
  static final class Dictionary {
    private final DeviceArray values;
    private final long[] words;

    /** The inner dictionaries with which the values were validated. */
    private volatile List<Dictionary> validatedWith = List.of();

    private Dictionary(DeviceArray values, long[] words) {
      this.values = values;
      this.words = words;
    }

    DeviceArray values() {
      return values;
    }

    /** Returns the description: for each array what {@link ForeignArray#word} returns. */
    long[] words() {
      return words;
    }

    /** Returns whether the indices in the values were checked against these inner dictionaries, and no others. */
    boolean isValidatedWith(List<Dictionary> inner) {
      return validatedWith.equals(inner);
    }

    void setValidatedWith(List<Dictionary> inner) {
      validatedWith = List.copyOf(inner);
    }
  }

  /** A dictionary, and the deltas that are not part of it yet. */
  private static final class Parts {
    Dictionary dictionary;
    long bytes;
    final List<DeviceArray> deltas = new ArrayList<>();

    Parts(Dictionary dictionary, long bytes) {
      this.dictionary = dictionary;
      this.bytes = bytes;
    }

    void close() {
      dictionary.values.close();
      deltas.forEach(DeviceArray::close);
    }
  }

  boolean has(long id) {
    return byId.containsKey(id);
  }

  /**
   * Returns a dictionary with all of its deltas; null if it was not defined. The first call after a delta changes the
   * dictionary: batches that were read before keep the old one.
   */
  @Nullable
  Dictionary get(long id, MemoryManager memory) {
    Parts parts = byId.get(id);
    if (parts == null) return null;
    if (!parts.deltas.isEmpty()) join(parts, memory);
    return parts.dictionary;
  }

  /**
   * Adds a dictionary, or replaces the one with this id.
   *
   * @param values passes to this object, unless this call throws
   * @param described describes the memory of the values
   * @param bytes the size of the values, without the dictionaries that they use
   */
  void put(long id, DeviceArray values, ForeignArray described, long bytes) {
    long[] words = new long[described.words()];
    for (int i = 0; i < words.length; i++) words[i] = described.word(i);
    Parts old = byId.put(id, new Parts(new Dictionary(values, words), bytes));
    if (old != null) old.close();
  }

  /**
   * Adds values at the end of a dictionary, which exists.
   *
   * @param delta passes to this object if the result is at most {@code limit}
   * @param bytes the size of the values, as for {@link #put}
   * @param limit the most bytes of the dictionary
   * @return the bytes of the dictionary with all of its deltas
   */
  long append(long id, DeviceArray delta, long bytes, long limit) {
    Parts parts = byId.get(id);
    if (parts == null) throw new IllegalStateException("dictionary " + id + " is missing");
    long all = parts.bytes + bytes;
    if (all > limit) return all;
    parts.deltas.add(delta);
    parts.bytes = all;
    return all;
  }

  private static void join(Parts parts, MemoryManager memory) {
    List<DeviceArray> arrays = new ArrayList<>(parts.deltas);
    arrays.addFirst(parts.dictionary.values);
    DeviceArray all = DeviceArray.concat(arrays, memory, memory.device().defaultStream());
    try {
      all.synchronize();
      List<Long> words = new ArrayList<>();
      try (ArrayData data = ArrayData.of(all)) {
        describe(data, words);
      }
      parts.dictionary = new Dictionary(all, words.stream().mapToLong(word -> word).toArray());
    } catch (Throwable t) {
      all.close();
      throw t;
    }
    arrays.forEach(DeviceArray::close);
    parts.deltas.clear();
  }

  private static void describe(ArrayData data, List<Long> words) {
    words.addAll(List.of(data.length(), data.nullCount(), data.offset(), (long) data.buffers().size()));
    for (DeviceBuffer buffer : data.buffers()) {
      words.add(buffer == null ? 0 : buffer.address());
      words.add(buffer == null ? 0 : buffer.size());
    }
    for (ArrayData child : data.children()) describe(child, words);
    ArrayData values = data.dictionary();
    if (values != null) describe(values, words);
  }

  /** Closes some dictionaries, as far as they exist. */
  void remove(Collection<Long> ids) {
    for (Long id : ids) {
      Parts parts = byId.remove(id);
      if (parts != null) parts.close();
    }
  }

  @Override
  public void close() {
    byId.values().forEach(Parts::close);
    byId.clear();
  }
}
