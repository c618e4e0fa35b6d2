// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.jspecify.annotations.Nullable;

/** What a bridge to another library reads of a {@code DeviceArray}, and nobody else needs; borrowed: to be used while the handle is open that it was asked of. */
public interface ArrayStructs {
  /** The address of the {@code ArrowArray} that describes the buffers, to be read and not released; of the handle's elements it has those from {@link #offset} on. */
  long structAddress();

  /** The element of the struct's buffers that is the handle's first one, whatever the struct's own offset is. */
  long offset();

  /** What {@code DeviceArray.wrap} was given as the memory's origin, also of a slice or a column: so a bridge knows its own memory when it comes back; otherwise null. */
  @Nullable
  Object origin();
}
