// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import java.util.function.Supplier;

/** The optional dependency that compresses, and that decompresses Zstandard. */
final class Aircompressor {
  private Aircompressor() {}

  /**
   * Returns what the supplier creates with the dependency's classes.
   *
   * @throws IllegalStateException if the dependency is missing
   */
  static <T> T load(String work, Supplier<T> part) {
    try {
      return part.get();
    } catch (NoClassDefFoundError e) {
      String missing = e.getMessage();
      if (missing == null || !missing.startsWith("io/airlift/compress/v3/")) throw e;
      throw new IllegalStateException(
          "cannot " + work + ": the library io.airlift:aircompressor-v3 is missing. Add it to the dependencies of the "
              + "application; on the module path, also add the module aircompressor.v3 (--add-modules)",
          e);
    }
  }
}
