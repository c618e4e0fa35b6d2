// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.function.LongUnaryOperator;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;

/** The inputs for one array of a concatenation: from each input, some elements of a struct, or none. */
final class ConcatInputs {
  /** The struct in each input. Its buffers and children have the layout of the type even if no elements are taken. */
  final long[] structs;

  /** The position of the first element in the struct's buffers. */
  final long[] starts;

  final long[] counts;

  /** The position of each input's elements in the result. */
  final long[] at;

  /** The validity bitmap of each input that has nulls among these elements, or 0. */
  final long[] validity;

  /** Creates inputs without elements of these structs. */
  ConcatInputs(long[] structs) {
    this.structs = structs;
    this.starts = new long[structs.length];
    this.counts = new long[structs.length];
    this.at = new long[structs.length];
    this.validity = new long[structs.length];
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
    return new ConcatInputs(below);
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
}
