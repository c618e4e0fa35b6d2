// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * One thing more that a driver of 1.1.0 says of an error.
 *
 * @param key what it is, as the driver calls it
 * @param value the bytes, whose meaning the key says; not copied
 */
@SuppressWarnings("ArrayRecordComponent") // bytes of a few; equals and hashCode look into them
public record AdbcErrorDetail(String key, byte[] value) implements Serializable {
  /** A detail. */
  public AdbcErrorDetail {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
  }

  /** The value as UTF-8. */
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
