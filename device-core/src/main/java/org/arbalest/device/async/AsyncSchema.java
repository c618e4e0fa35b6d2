// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.Objects;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * What an async stream announces before its first task.
 *
 * @param field the type of each array
 * @param deviceType the device type of each array; device ids may vary
 * @param metadata what the producer says about the stream, such as its number of rows ({@code additional_metadata});
 *     may be empty
 */
public record AsyncSchema(Field field, DeviceType deviceType, Metadata metadata) {
  /** Nothing is null. */
  public AsyncSchema {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(deviceType, "deviceType");
    Objects.requireNonNull(metadata, "metadata");
  }

  /** A stream of record batches without metadata. */
  public static AsyncSchema of(Schema schema, DeviceType deviceType) {
    return new AsyncSchema(schema.asField(), deviceType, Metadata.empty());
  }

  /**
   * The schema of a stream of record batches.
   *
   * @throws IllegalArgumentException if the arrays are not structs
   */
  public Schema schema() {
    return FieldImpl.unwrap(field).schema();
  }
}
