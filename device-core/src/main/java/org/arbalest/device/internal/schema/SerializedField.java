// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.io.Serial;
import java.io.Serializable;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Metadata;

/** The Java serialization of a field: the arguments of its factory. */
record SerializedField(String name, DataType type, boolean nullable, Metadata metadata, long unknownFlags)
    implements Serializable {
  @Serial
  private Object readResolve() {
    return FieldImpl.of(this);
  }
}
