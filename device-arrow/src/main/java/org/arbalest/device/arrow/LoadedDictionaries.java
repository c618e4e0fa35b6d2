// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.arbalest.device.spi.ArrayStruct;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries that are already loaded into a provider, for one batch or for a stream's first. Their structs must
 * stay alive.
 */
final class LoadedDictionaries {
  final DictionaryProvider provider;

  /** The struct from which each dictionary was loaded, by its number. */
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

  /** Returns whether a struct has exactly the buffers from which a dictionary was loaded. */
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
