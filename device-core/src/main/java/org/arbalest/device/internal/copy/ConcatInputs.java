// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.function.LongUnaryOperator;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.Bitmaps;

/** What one array of a concatenation is made of: from each input some elements of a struct, or none. */
final class ConcatInputs {
  /** The struct in each input; its buffers and children are those of the type, also where no elements are taken. */
  final long[] structs;

  /** Where the elements begin in the struct's buffers. */
  final long[] starts;

  final long[] counts;

  /** Where the elements of each input are in the result. */
  final long[] at;

  /** The validity bitmap of each input that has nulls among these elements, else 0. */
  final long[] validity;

  /** No elements of these structs. */
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

  /** No elements yet of the children at a position. */
  ConcatInputs children(int index) {
    return below(struct -> RawArrowArray.child(struct, index));
  }

  /** No elements yet of the dictionaries. */
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

  /** Where the struct's own elements begin. */
  long offset(int input) {
    return RawArrowArray.offset(structs[input]);
  }

  /** How many elements the struct has. */
  long length(int input) {
    return RawArrowArray.length(structs[input]);
  }

  /** Whether an element, counted from the first of the input's part, is null. */
  boolean isNull(int input, long element) {
    return validity[input] != 0 && !Bitmaps.get(validity[input], starts[input] + element);
  }
}
