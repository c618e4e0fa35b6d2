// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.ViewStruct;
import org.jspecify.annotations.Nullable;

/**
 * View columns: the views of all inputs in order, and the data buffers that they refer to, each once and complete. If
 * the views use little of a data buffer, only their values are copied, one after the other.
 */
final class ConcatViews {
  private record Place(long address, long size) {}

  /** A data buffer of the inputs. */
  private static final class Data {
    final long address;
    final long size;

    /** The bytes of the views that refer to it. Views that overlap count twice. */
    long used;

    /** The index of the data buffer in the result that has the bytes. */
    int index;

    /** The buffer of the result with the values only, and other buffers' values; null if the buffer is copied. */
    @Nullable Values values;

    Data(Place place) {
      this.address = place.address;
      this.size = place.size;
    }
  }

  /** A data buffer of the result with the values of some buffers, in the order of the views. */
  private static final class Values {
    long bytes;
    long at;

    /** The bytes that are written. */
    long written;
  }

  private final ConcatInputs inputs;
  private final Map<Place, Data> kept = new LinkedHashMap<>();

  /** The data buffers of each input, as far as its views refer to them. */
  private final @Nullable Data[][] places;

  private ConcatViews(ConcatInputs inputs) {
    this.inputs = inputs;
    this.places = new Data[inputs.structs.length][];
  }

  static void measure(ConcatPlan plan, ConcatPlan.Node node, ConcatInputs inputs) {
    new ConcatViews(inputs).measure(plan, node);
  }

  private void measure(ConcatPlan plan, ConcatPlan.Node node) {
    plan.each(inputs, i -> places[i] = collect(i));
    ConcatPlan.Buffer[] views = new ConcatPlan.Buffer[1];
    views[0] = plan.buffer(ViewStruct.SIZE * node.length,
        to -> plan.each(inputs, i -> write(i, places[i], to, to - views[0].at())));
    node.buffers.add(views[0]);
    int count = 0;
    List<Values> gathered = new ArrayList<>();
    for (Data data : kept.values()) {
      if (data.used > Integer.MAX_VALUE || !SpareMemory.isMostBytes(data.used, data.size)) {
        data.index = count++;
        node.buffers.add(plan.buffer(data.size, to -> NativeHeap.copy(data.address, to, data.size)));
      } else {
        data.values = values(gathered, data.used);
      }
    }
    for (Data data : kept.values()) {
      if (data.values != null) data.index = count + gathered.indexOf(data.values);
    }
    for (Values values : gathered) {
      ConcatPlan.Buffer buffer = plan.buffer(values.bytes, to -> {}); // written together with the views
      values.at = buffer.at();
      node.buffers.add(buffer);
    }
  }

  /** Returns the buffer for more values: the last one, or a new one, because an offset of a view has 31 bits. */
  private static Values values(List<Values> gathered, long more) {
    if (gathered.isEmpty() || gathered.getLast().bytes > Integer.MAX_VALUE - more) gathered.add(new Values());
    gathered.getLast().bytes += more;
    return gathered.getLast();
  }

  /** Keeps the data buffers that an input's views refer to. Returns each of them at its index, and null for others. */
  private @Nullable Data[] collect(int input) {
    int variadic = Math.toIntExact(ViewStruct.variadic(inputs.structs[input]));
    long sizes = ViewStruct.sizes(inputs.structs[input]);
    @Nullable Data[] own = new Data[variadic];
    for (long k = 0; k < inputs.counts[input]; k++) {
      if (inputs.isNull(input, k)) continue;
      long view = view(input, k);
      int size = ViewStruct.size(view);
      if (size < 0) throw new MalformedException("views[" + (inputs.starts[input] + k) + "] has " + size + " bytes");
      if (size <= ViewStruct.INLINE) continue;
      int index = ViewStruct.buffer(view);
      String fault = ViewStruct.fault(inputs.starts[input] + k, size, index, ViewStruct.offset(view), variadic, sizes);
      if (fault != null) throw new MalformedException(fault);
      Data data = own[index];
      if (data == null) {
        Place place = new Place(inputs.buffer(input, 2 + index), ViewStruct.dataSize(inputs.structs[input], index));
        data = kept.computeIfAbsent(place, Data::new);
        own[index] = data;
      }
      data.used += size;
    }
    return own;
  }

  private void write(int input, @Nullable Data[] own, long to, long base) {
    for (long k = 0; k < inputs.counts[input]; k++) {
      long view = to + ViewStruct.SIZE * (inputs.at[input] + k);
      ViewStruct.copy(view(input, k), view, inputs.isNull(input, k));
      int size = ViewStruct.size(view);
      if (size <= ViewStruct.INLINE) continue;
      Data data = own[ViewStruct.buffer(view)];
      if (data == null) throw changed(input, k);
      ViewStruct.setBuffer(view, data.index);
      if (data.values == null) continue;
      int offset = ViewStruct.offset(view);
      long at = data.values.written;
      if (offset < 0 || size > data.size - offset || size > data.values.bytes - at) throw changed(input, k);
      NativeHeap.copy(data.address + offset, base + data.values.at + at, size);
      ViewStruct.setOffset(view, (int) at);
      data.values.written = at + size;
    }
  }

  /** Returns the error for a view that a producer has changed since it was checked. */
  private MalformedException changed(int input, long element) {
    return new MalformedException("views[" + (inputs.starts[input] + element) + "] changed while it was copied");
  }

  private long view(int input, long element) {
    return inputs.buffer(input, 1) + ViewStruct.SIZE * (inputs.starts[input] + element);
  }
}
