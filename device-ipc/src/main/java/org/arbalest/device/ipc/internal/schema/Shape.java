// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

/** The buffers of an array in a message, in the order of the format. */
public enum Shape {
  /** No buffers: the null type. */
  NULL(0, false),
  /** Bits. */
  BITS(2, true),
  /** Values of a fixed width. */
  FIXED(2, true),
  /** Offsets, and the bytes of text. */
  VARIABLE(3, true),
  /** Views, and any number of buffers of data. */
  VIEW(2, true),
  /** Offsets of lists, also of maps. */
  LIST(2, true),
  /** Offsets and sizes of lists. */
  LIST_VIEW(3, true),
  /** A bitmap only. Children have the same length. */
  STRUCT(1, true),
  /** A bitmap only. The child has a multiple of the length. */
  FIXED_LIST(1, true),
  /** The types of the values. */
  SPARSE_UNION(1, false),
  /** The types of the values, and their offsets. */
  DENSE_UNION(2, false),
  /** No buffers, but children. */
  RUN_ENDS(0, false);

  /** The number of buffers; without the data of views. */
  public final int buffers;

  /** Whether the first buffer is the validity bitmap. */
  public final boolean hasValidity;

  Shape(int buffers, boolean hasValidity) {
    this.buffers = buffers;
    this.hasValidity = hasValidity;
  }

  /** Returns whether the shape is a union, which had a validity bitmap in version 4 of the format. */
  public boolean isUnion() {
    return this == SPARSE_UNION || this == DENSE_UNION;
  }
}
