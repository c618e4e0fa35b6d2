// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The OpenCL loader, if it is installed. */
final class ClLibrary {
  private static final List<String> NAMES =
      List.of("libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL");

  /** The functions of OpenCL 2.0 without which nothing here works. */
  private static final List<String> NEEDED =
      List.of("clSVMAlloc", "clEnqueueSVMMemcpy", "clCreateCommandQueueWithProperties");

  private static volatile @Nullable SymbolLookup found;

  /** A test's functions, which stand before the loader's. */
  private static SymbolLookup preceding = _ -> Optional.empty();

  private ClLibrary() {}

  /** Null if it is there, else why it is not. Looks again each time that it was missing. */
  static @Nullable String missing() {
    return found != null ? null : missing(NAMES);
  }

  static @Nullable String missing(List<String> names) {
    for (String name : names) {
      SymbolLookup lookup;
      try {
        lookup = SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException _) {
        continue;
      }
      for (String function : NEEDED) {
        if (lookup.find(function).isEmpty()) return name + " has no function " + function + "; OpenCL 2.0 is needed";
      }
      SymbolLookup loader = lookup;
      SymbolLookup before = preceding;
      found = function -> before.find(function).or(() -> loader.find(function));
      return null;
    }
    return "no OpenCL library was found; looked for " + String.join(", ", names);
  }

  /** Puts a test's functions before the loader's; before anybody has looked for it. */
  static void precede(SymbolLookup functions) {
    if (found != null)
      throw new IllegalStateException("the OpenCL library is in use already: such tests need a process of their own");
    preceding = functions;
  }

  /** Only after {@link #missing()} said that it is there. */
  static SymbolLookup lookup() {
    SymbolLookup lookup = found;
    if (lookup == null) throw new IllegalStateException("the OpenCL library was not looked for");
    return lookup;
  }
}
