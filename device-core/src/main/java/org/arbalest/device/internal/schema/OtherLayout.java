// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;

/**
 * Types that have the same values in different buffers: text, binary and lists, with offsets of 32 or 64 bits or in
 * views.
 */
public final class OtherLayout {
  private OtherLayout() {}

  /** Whether one is another layout of the other, what is below lists aside. */
  public static boolean is(DataType one, DataType other) {
    return (isList(one) && isList(other)) || (isText(one) && isText(other)) || (isBinary(one) && isBinary(other));
  }

  private static boolean isList(DataType type) {
    return type instanceof ListType || type instanceof LargeListType || type instanceof ListViewType
        || type instanceof LargeListViewType;
  }

  private static boolean isText(DataType type) {
    return type instanceof Utf8Type || type instanceof LargeUtf8Type || type instanceof Utf8ViewType;
  }

  private static boolean isBinary(DataType type) {
    return type instanceof BinaryType || type instanceof LargeBinaryType || type instanceof BinaryViewType;
  }
}
