// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

/** A revision of {@code adbc.h}. */
public enum AdbcVersion {
  /** Queries, ingestion, metadata, partitions. */
  V1_0_0("1.0.0"),
  /** Also cancellation, options of all types that can be read, error details, statistics. */
  V1_1_0("1.1.0"),
  /** A draft, of August 2026: also several results, warnings, vendor codes, requested schemas. */
  @Experimental
  V1_2_0("1.2.0");

  private final String text;

  AdbcVersion(String text) {
    this.text = text;
  }

  /** Returns the version number: {@code 1.1.0}. */
  @Override
  public String toString() {
    return text;
  }
}
