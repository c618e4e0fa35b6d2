// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Malformed;

/** Views one behind the other, and the data buffers that they lead to, each once and whole. */
final class ConcatViews {
  private static final long VIEW = 16;

  /** Texts up to this size are in the view itself. */
  private static final int INLINE = 12;

  private record Data(long address, long size) {}

  private ConcatViews() {}

  static void measure(ConcatPlan plan, ConcatPlan.Node node, Parts parts) {
    Map<Data, Integer> kept = new LinkedHashMap<>();
    int[][] places = new int[parts.structs.length][];
    plan.each(parts, i -> places[i] = collect(parts, i, kept));
    node.buffers.add(plan.piece(VIEW * node.length, to -> plan.each(parts, i -> write(parts, i, places[i], to))));
    for (Data data : kept.keySet()) {
      node.buffers.add(plan.piece(data.size, to -> NativeHeap.copy(data.address, to, data.size)));
    }
  }

  /** Keeps the data buffers that an input's views lead to; returns the place of each in the result, or −1. */
  private static int[] collect(Parts parts, int input, Map<Data, Integer> kept) {
    int variadic = Math.toIntExact(Positions.variadic(parts.structs[input]));
    int[] places = new int[variadic];
    Arrays.fill(places, -1);
    for (long k = 0; k < parts.counts[input]; k++) {
      if (parts.isNull(input, k)) continue;
      long view = view(parts, input, k);
      int size = NativeHeap.getInt(view);
      if (size < 0) throw new Malformed("views[" + (parts.starts[input] + k) + "] has " + size + " bytes");
      if (size <= INLINE) continue;
      int index = NativeHeap.getInt(view + 8);
      if (index < 0 || index >= variadic) {
        throw new Malformed("views[" + (parts.starts[input] + k) + "] is in data buffer " + index + ", but there are " + variadic);
      }
      long known = NativeHeap.getLong(parts.buffer(input, variadic + 2) + Long.BYTES * (long) index);
      int at = NativeHeap.getInt(view + 12);
      if (at < 0 || size > known - at) {
        String where = "views[" + (parts.starts[input] + k) + "] has " + size + " bytes at " + at;
        throw new Malformed(where + ", but data buffer " + index + " has " + known);
      }
      if (places[index] >= 0) continue;
      Data data = new Data(parts.buffer(input, 2 + index), known);
      Integer there = kept.putIfAbsent(data, kept.size());
      places[index] = there == null ? kept.size() - 1 : there;
    }
    return places;
  }

  private static void write(Parts parts, int input, int[] places, long base) {
    for (long k = 0; k < parts.counts[input]; k++) {
      long from = view(parts, input, k);
      long to = base + VIEW * (parts.at[input] + k);
      boolean isNull = parts.isNull(input, k); // what is below a null may lead anywhere
      NativeHeap.putLong(to, isNull ? 0 : NativeHeap.getLong(from));
      NativeHeap.putLong(to + 8, isNull ? 0 : NativeHeap.getLong(from + 8));
      if (NativeHeap.getInt(to) > INLINE) NativeHeap.putInt(to + 8, places[NativeHeap.getInt(from + 8)]);
    }
  }

  private static long view(Parts parts, int input, long element) {
    return parts.buffer(input, 1) + VIEW * (parts.starts[input] + element);
  }
}
