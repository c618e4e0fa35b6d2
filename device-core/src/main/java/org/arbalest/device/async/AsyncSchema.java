// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.Objects;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * The announcement of an async stream, which comes before its first task.
 *
 * @param field the type of each array
 * @param deviceType the device type of each array; device ids may vary
 * @param metadata the producer's metadata of the stream ({@code additional_metadata}), such as its number of rows; may
 *     be empty
 */
public record AsyncSchema(Field field, DeviceType deviceType, Metadata metadata) {
  /** Checks that no component is null. */
  public AsyncSchema {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(deviceType, "deviceType");
    Objects.requireNonNull(metadata, "metadata");
  }

  /** Creates the schema of a stream of record batches, without metadata. */
  public static AsyncSchema of(Schema schema, DeviceType deviceType) {
    return new AsyncSchema(schema.asField(), deviceType, Metadata.empty());
  }

  /**
   * Returns the schema of a stream of record batches.
   *
   * @throws IllegalArgumentException if the arrays are not structs
   */
  public Schema schema() {
    return FieldImpl.unwrap(field).schema();
  }
}
