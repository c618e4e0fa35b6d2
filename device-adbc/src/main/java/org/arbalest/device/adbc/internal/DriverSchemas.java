// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.c.CData;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;

/** Conversions of schemas from drivers. */
final class DriverSchemas {
  private DriverSchemas() {}

  /** Reads the schema of batches, and releases it. The driver must ensure that it is the schema of a record batch. */
  static Schema importSchema(MemorySegment struct) {
    Field field = CData.importSchema(struct);
    if (field.type() instanceof StructType) return Schema.ofStruct(field);
    throw new DeviceException(Errno.EINVAL, "the schema of a record batch is a struct, not " + field.type());
  }
}
