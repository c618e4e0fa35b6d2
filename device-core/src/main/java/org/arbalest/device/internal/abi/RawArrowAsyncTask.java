// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowAsyncTaskStruct;

/**
 * Access to {@link ArrowAsyncTaskStruct} by its address, without a check of the address. Pointers are {@code long}s.
 */
public final class RawArrowAsyncTask {
  /** The size of the struct in bytes. */
  public static final long SIZE = 16;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long EXTRACT_DATA = 0;
  public static final long PRIVATE_DATA = 8;

  private RawArrowAsyncTask() {}

  /**
   * Returns the function pointer {@code extract_data},
   * {@code int (*)(struct ArrowAsyncTask*, struct ArrowDeviceArray* out)}.
   */
  public static long extractData(long task) {
    return Memory.getLong(task + EXTRACT_DATA);
  }

  /** Writes {@code extract_data}. */
  public static void setExtractData(long task, long value) {
    Memory.putLong(task + EXTRACT_DATA, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static long privateData(long task) {
    return Memory.getLong(task + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long task, long value) {
    Memory.putLong(task + PRIVATE_DATA, value);
  }
}
