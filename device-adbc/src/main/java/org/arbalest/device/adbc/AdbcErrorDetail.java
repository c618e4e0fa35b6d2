// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * An additional detail of an error, from a driver of ADBC 1.1.0.
 *
 * @param key the driver's name of the detail
 * @param value the bytes, whose meaning depends on the key; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // few bytes; equals and hashCode compare them
public record AdbcErrorDetail(String key, byte[] value) implements Serializable {
  /** Creates a detail. */
  public AdbcErrorDetail {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  /** Returns the value, decoded as UTF-8. */
  public String text() {
    return new String(value, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AdbcErrorDetail detail && key.equals(detail.key) && Arrays.equals(value, detail.value);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return key + " = " + text();
  }
}
