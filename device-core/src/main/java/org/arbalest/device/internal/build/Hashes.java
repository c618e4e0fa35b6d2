// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.internal.memory.NativeHeap;

/** Hashes and comparisons of values in memory. Dictionaries use them to find values that they already have. */
final class Hashes {
  static final long START = 0x9E3779B97F4A7C15L;

  private Hashes() {}

  /** Combines a hash with one more number. */
  static long mix(long hash, long value) {
    long product = (hash ^ value) * 0xD6E8FEB86659FD93L;
    return product ^ product >>> 32;
  }

  static long of(long address, long bytes) {
    long hash = mix(START, bytes);
    long i = 0;
    for (; bytes - i >= Long.BYTES; i += Long.BYTES) hash = mix(hash, NativeHeap.getLong(address + i));
    for (; i < bytes; i++) hash = mix(hash, NativeHeap.getByte(address + i));
    return hash;
  }

  static boolean same(long one, long other, long bytes) {
    long i = 0;
    for (; bytes - i >= Long.BYTES; i += Long.BYTES) {
      if (NativeHeap.getLong(one + i) != NativeHeap.getLong(other + i)) return false;
    }
    for (; i < bytes; i++) {
      if (NativeHeap.getByte(one + i) != NativeHeap.getByte(other + i)) return false;
    }
    return true;
  }

  /** Returns a hash of several values in order. */
  static long ofAll(ColumnBuilderImpl values, long from, long count) {
    long hash = mix(START, count);
    for (long i = 0; i < count; i++) hash = mix(hash, values.hashAt(from + i));
    return hash;
  }

  /** Returns whether two ranges of values are the same. */
  static boolean sameAll(ColumnBuilderImpl values, long one, long other, long count) {
    for (long i = 0; i < count; i++) {
      if (!values.sameAt(one + i, other + i)) return false;
    }
    return true;
  }
}
