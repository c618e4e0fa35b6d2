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
 * Types with the same values in different layouts: text, binary and lists, with 32-bit offsets, 64-bit offsets or
 * views.
 */
public final class OtherLayout {
  private OtherLayout() {}

  /** Returns whether the types are layouts of the same values. It ignores the elements of lists. */
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
