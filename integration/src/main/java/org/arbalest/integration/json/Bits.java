// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.arbalest.device.DeviceBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bits in a buffer: a validity bitmap, or booleans.
 *
 * @param buffer the buffer; null for a bitmap whose bits are all set
 * @param unset the number of bits that are not set
 */
record Bits(@Nullable DeviceBuffer buffer, long unset) {
  /** Reads booleans, or zeros and ones. */
  static Bits read(Json json, Buffers buffers) {
    int count = json.size();
    DeviceBuffer buffer = buffers.allocate((count + 7) / 8);
    MemorySegment bits = buffer.segment();
    long unset = 0;
    for (int i = 0; i < count; i++) {
      if (!json.at(i).bool()) {
        unset++;
      } else {
        bits.set(ValueLayout.JAVA_BYTE, i / 8, (byte) (bits.get(ValueLayout.JAVA_BYTE, i / 8) | 1 << (i % 8)));
      }
    }
    return new Bits(buffer, unset);
  }

  /** Reads a validity bitmap, which has no buffer without a null. */
  static Bits validity(Json json, Buffers buffers) {
    Bits bits = read(json, buffers);
    return bits.unset == 0 ? new Bits(null, 0) : bits;
  }

  /** Returns whether a bit is set. */
  boolean get(long index) {
    return get(buffer, index);
  }

  /** Returns whether a bit is set; each bit of an absent bitmap is. */
  static boolean get(@Nullable DeviceBuffer buffer, long index) {
    return buffer == null || (buffer.segment().get(ValueLayout.JAVA_BYTE, index / 8) >> (index % 8) & 1) != 0;
  }

  /** Writes a validity bitmap as zeros and ones. */
  static void write(@Nullable DeviceBuffer buffer, long start, long count, ArrayNode to) {
    for (long i = start; i < start + count; i++) to.add(get(buffer, i) ? 1 : 0);
  }
}
