// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.spi.ArrayStruct;
import org.jspecify.annotations.Nullable;

/** Where dictionaries are loaded to, and which are, of one batch or of a stream's first: their structs must stay. */
final class LoadedDictionaries {
  final DictionaryProvider provider;

  /** The struct that each number was loaded from. */
  private final Map<Long, ArrayStruct> nodes = new HashMap<>();

  LoadedDictionaries(DictionaryProvider provider) {
    this.provider = provider;
  }

  static @Nullable LoadedDictionaries of(@Nullable DictionaryProvider provider) {
    return provider == null ? null : new LoadedDictionaries(provider);
  }

  boolean has(long id) {
    return nodes.containsKey(id);
  }

  void add(long id, ArrayStruct node) {
    nodes.put(id, node);
  }

  /** Whether a struct has the very buffers that one was loaded from. */
  boolean isSame(long id, ArrayStruct node) {
    ArrayStruct loaded = nodes.get(id);
    return loaded != null && hasSameBuffers(loaded, node);
  }

  private static boolean hasSameBuffers(ArrayStruct one, ArrayStruct other) {
    if (one.equals(other)) return true;
    if (one.length() != other.length() || one.offset() != other.offset()) return false;
    int buffers = one.bufferCount();
    int children = one.childCount();
    if (buffers != other.bufferCount() || children != other.childCount()) return false;
    for (int i = 0; i < buffers; i++) {
      if (one.buffer(i) != other.buffer(i)) return false;
    }
    for (int i = 0; i < children; i++) {
      if (!hasSameBuffers(one.child(i), other.child(i))) return false;
    }
    if (one.hasDictionary() != other.hasDictionary()) return false;
    return !one.hasDictionary() || hasSameBuffers(one.dictionary(), other.dictionary());
  }
}
