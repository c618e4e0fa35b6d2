// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.jspecify.annotations.Nullable;

/** Where dictionaries are loaded to, and which are, of one batch or of a stream's first: their structs must stay. */
final class LoadedDictionaries {
  final DictionaryProvider provider;

  /** The struct that each number was loaded from. */
  private final Map<Long, Long> nodes = new HashMap<>();

  LoadedDictionaries(DictionaryProvider provider) {
    this.provider = provider;
  }

  static @Nullable LoadedDictionaries of(@Nullable DictionaryProvider provider) {
    return provider == null ? null : new LoadedDictionaries(provider);
  }

  boolean has(long id) {
    return nodes.containsKey(id);
  }

  void add(long id, long node) {
    nodes.put(id, node);
  }

  /** Whether a struct has the very buffers that one was loaded from. */
  boolean isSame(long id, long node) {
    Long loaded = nodes.get(id);
    return loaded != null && hasSameBuffers(loaded, node);
  }

  private static boolean hasSameBuffers(long one, long other) {
    if (one == other) return true;
    if (ArrowArrayStruct.length(one) != ArrowArrayStruct.length(other) || ArrowArrayStruct.offset(one) != ArrowArrayStruct.offset(other)) return false;
    long buffers = ArrowArrayStruct.nBuffers(one);
    long children = ArrowArrayStruct.nChildren(one);
    if (buffers != ArrowArrayStruct.nBuffers(other) || children != ArrowArrayStruct.nChildren(other)) return false;
    for (int i = 0; i < buffers; i++) {
      if (ArrowArrayStruct.buffer(one, i) != ArrowArrayStruct.buffer(other, i)) return false;
    }
    for (int i = 0; i < children; i++) {
      if (!hasSameBuffers(ArrowArrayStruct.child(one, i), ArrowArrayStruct.child(other, i))) return false;
    }
    long below = ArrowArrayStruct.dictionary(one);
    long belowOther = ArrowArrayStruct.dictionary(other);
    return below == 0 ? belowOther == 0 : belowOther != 0 && hasSameBuffers(below, belowOther);
  }
}
