// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.types.Field;

/** A builder of null columns. */
final class NullBuilder extends UnsupportedAppends {
  NullBuilder(BuildMemory memory, Field field) {
    super(memory, field);
  }

  @Override
  void writeNull() {}

  /** Appends a null without a bitmap, because the null layout has none. */
  @Override
  void addNull() {
    validity.appendValid();
  }

  @Override
  void addNulls(long count) {
    validity.appendValid(count);
  }

  @Override
  void appendFiller() {
    validity.appendValid();
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
  }

  @Override
  long hash(long row) {
    return Hashes.START;
  }

  @Override
  boolean same(long one, long other) {
    return true;
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }

  @Override
  ArrayData finish() {
    return ArrayData.of(length(), length(), List.of());
  }
}
