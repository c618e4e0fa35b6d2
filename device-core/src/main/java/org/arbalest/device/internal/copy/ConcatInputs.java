// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;

/**
 * The inputs for one array of a concatenation: from each input, some elements of a struct, or none. Several inputs may
 * have elements of the same struct.
 */
final class ConcatInputs {
  /** The index of the array that each input is from. */
  final int[] origins;

  /** The struct in each input. Its buffers and children have the layout of the type even if no elements are taken. */
  final long[] structs;

  /** The position of the first element in the struct's buffers. */
  final long[] starts;

  final long[] counts;

  /** The position of each input's elements in the result. */
  final long[] at;

  /** The validity bitmap of each input that has nulls among these elements, or 0. */
  final long[] validity;

  /** Creates inputs without elements of these structs, one from each array. */
  ConcatInputs(long[] structs) {
    this(identity(structs.length), structs);
  }

  private ConcatInputs(int[] origins, long[] structs) {
    this.origins = origins;
    this.structs = structs;
    this.starts = new long[structs.length];
    this.counts = new long[structs.length];
    this.at = new long[structs.length];
    this.validity = new long[structs.length];
  }

  private static int[] identity(int length) {
    int[] identity = new int[length];
    Arrays.setAll(identity, i -> i);
    return identity;
  }

  void set(int input, long start, long count) {
    starts[input] = start;
    counts[input] = count;
  }

  /** Returns inputs for the children at an index, without elements yet. */
  ConcatInputs children(int index) {
    return below(struct -> RawArrowArray.child(struct, index));
  }

  /** Returns inputs for the dictionaries, without elements yet. */
  ConcatInputs dictionaries() {
    return below(RawArrowArray::dictionary);
  }

  private ConcatInputs below(LongUnaryOperator of) {
    long[] below = new long[structs.length];
    for (int i = 0; i < below.length; i++) below[i] = of.applyAsLong(structs[i]);
    return new ConcatInputs(origins, below);
  }

  long buffer(int input, long index) {
    return RawArrowArray.buffer(structs[input], index);
  }

  /** Returns where the struct's own elements begin. */
  long offset(int input) {
    return RawArrowArray.offset(structs[input]);
  }

  /** Returns the number of elements of the struct. */
  long length(int input) {
    return RawArrowArray.length(structs[input]);
  }

  /** Returns whether an element is null. The index is relative to the first element of the input's part. */
  boolean isNull(int input, long element) {
    return validity[input] != 0 && !Bitmaps.get(validity[input], starts[input] + element);
  }

  /** Collects elements of structs in any order. Elements that follow each other become one input. */
  static final class Collected {
    private int[] origins = new int[8];
    private long[] structs = new long[8];
    private long[] starts = new long[8];
    private long[] counts = new long[8];
    private int size;

    /** Adds some elements of a struct, perhaps none. */
    void add(int origin, long struct, long start, long count) {
      int last = size - 1;
      if (last >= 0 && structs[last] == struct && starts[last] + counts[last] == start) {
        counts[last] += count;
        return;
      }
      if (size == structs.length) {
        origins = Arrays.copyOf(origins, 2 * size);
        structs = Arrays.copyOf(structs, 2 * size);
        starts = Arrays.copyOf(starts, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      origins[size] = origin;
      structs[size] = struct;
      starts[size] = start;
      counts[size++] = count;
    }

    boolean isEmpty() {
      return size == 0;
    }

    ConcatInputs inputs() {
      ConcatInputs inputs = new ConcatInputs(Arrays.copyOf(origins, size), Arrays.copyOf(structs, size));
      for (int i = 0; i < size; i++) inputs.set(i, starts[i], counts[i]);
      return inputs;
    }
  }
}
