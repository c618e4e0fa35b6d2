// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.Objects;
import org.arbalest.device.DeviceType;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * The announcement of an async stream, which comes before its first task.
 *
 * @param schema the schema of each batch
 * @param deviceType the device type of each batch; device ids may vary
 * @param metadata the producer's metadata of the stream ({@code additional_metadata}), such as its number of rows; may
 *     be empty
 */
public record AsyncSchema(Schema schema, DeviceType deviceType, Metadata metadata) {
  /** Checks that no component is null. */
  public AsyncSchema {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(deviceType, "deviceType");
    Objects.requireNonNull(metadata, "metadata");
  }

  /** Creates the schema of a stream of record batches, without metadata. */
  public static AsyncSchema of(Schema schema, DeviceType deviceType) {
    return new AsyncSchema(schema, deviceType, Metadata.empty());
  }
}
