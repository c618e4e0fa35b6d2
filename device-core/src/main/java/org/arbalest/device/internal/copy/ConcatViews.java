// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;

/** View columns: the views of all inputs in order, and the data buffers that they refer to, each once and complete. */
final class ConcatViews {
  private record Data(long address, long size) {}

  private ConcatViews() {}

  static void measure(ConcatPlan plan, ConcatPlan.Node node, ConcatInputs inputs) {
    Map<Data, Integer> kept = new LinkedHashMap<>();
    int[][] places = new int[inputs.structs.length][];
    plan.each(inputs, i -> places[i] = collect(inputs, i, kept));
    node.buffers
        .add(plan.buffer(ViewStruct.SIZE * node.length, to -> plan.each(inputs, i -> write(inputs, i, places[i], to))));
    for (Data data : kept.keySet()) {
      node.buffers.add(plan.buffer(data.size, to -> NativeHeap.copy(data.address, to, data.size)));
    }
  }

  /**
   * Keeps the data buffers that an input's views refer to. Returns the index of each data buffer in the result, or −1.
   */
  private static int[] collect(ConcatInputs inputs, int input, Map<Data, Integer> kept) {
    int variadic = Math.toIntExact(ViewStruct.variadic(inputs.structs[input]));
    long sizes = ViewStruct.sizes(inputs.structs[input]);
    int[] places = new int[variadic];
    Arrays.fill(places, -1);
    for (long k = 0; k < inputs.counts[input]; k++) {
      if (inputs.isNull(input, k)) continue;
      long view = view(inputs, input, k);
      int size = ViewStruct.size(view);
      if (size < 0) throw new MalformedException("views[" + (inputs.starts[input] + k) + "] has " + size + " bytes");
      if (size <= ViewStruct.INLINE) continue;
      int index = ViewStruct.buffer(view);
      String fault = ViewStruct.fault(inputs.starts[input] + k, size, index, ViewStruct.offset(view), variadic, sizes);
      if (fault != null) throw new MalformedException(fault);
      if (places[index] >= 0) continue;
      Data data = new Data(inputs.buffer(input, 2 + index), ViewStruct.dataSize(inputs.structs[input], index));
      Integer there = kept.putIfAbsent(data, kept.size());
      places[index] = there == null ? kept.size() - 1 : there;
    }
    return places;
  }

  private static void write(ConcatInputs inputs, int input, int[] places, long base) {
    for (long k = 0; k < inputs.counts[input]; k++) {
      long from = view(inputs, input, k);
      long to = base + ViewStruct.SIZE * (inputs.at[input] + k);
      ViewStruct.copy(from, to, inputs.isNull(input, k));
      if (ViewStruct.size(to) > ViewStruct.INLINE) ViewStruct.setBuffer(to, places[ViewStruct.buffer(from)]);
    }
  }

  private static long view(ConcatInputs inputs, int input, long element) {
    return inputs.buffer(input, 1) + ViewStruct.SIZE * (inputs.starts[input] + element);
  }
}
