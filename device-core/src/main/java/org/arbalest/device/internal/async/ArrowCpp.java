// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Recognises Arrow C++ by the library that contains one of its functions, independent of the file's name.
 *
 * <p>Recognises nothing if the dynamic linker cannot be queried, as on Windows, or if Arrow C++'s symbols were hidden.
 */
final class ArrowCpp {
  /** {@code arrow::GetBuildInfo()}. Its symbol contains no type of the C++ library, so it is the same in each build. */
  private static final String SYMBOL = "_ZN5arrow12GetBuildInfoEv";

  private static final int RTLD_LAZY = 1;
  private static final int RTLD_NOLOAD =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac") ? 0x10 : 4;

  /** {@code Dl_info}: the library's name and base, the nearest symbol's name and address. */
  private static final MemoryLayout INFO = MemoryLayout.sequenceLayout(4, JAVA_LONG);

  private static final @Nullable MethodHandle DLADDR =
      linker("dladdr", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final @Nullable MethodHandle DLOPEN =
      linker("dlopen", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT));
  private static final @Nullable MethodHandle DLSYM =
      linker("dlsym", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
  private static final @Nullable MethodHandle DLCLOSE = linker("dlclose", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

  /**
   * The last function that was found in Arrow C++. The result is kept for ever. If another library occupies this
   * address later, it is only cancelled with more care than it needs.
   */
  private static volatile long known;

  private ArrowCpp() {}

  private static @Nullable MethodHandle linker(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.defaultLookup().find(name).map(function -> linker.downcallHandle(function, type)).orElse(null);
  }

  /**
   * Returns whether this function is in Arrow C++ itself. The first call may take a millisecond, because the dynamic
   * linker searches all of a library's symbols.
   */
  static boolean contains(long function) {
    if (function == known) return true;
    if (DLADDR == null || DLOPEN == null || DLSYM == null || DLCLOSE == null) return false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(INFO);
      if ((int) DLADDR.invokeExact(function, info.address()) == 0) return false;
      long name = info.getAtIndex(JAVA_LONG, 0);
      long base = info.getAtIndex(JAVA_LONG, 1);
      long library = name == 0 ? 0 : (long) DLOPEN.invokeExact(name, RTLD_LAZY | RTLD_NOLOAD);
      if (library == 0) return false;
      long symbol = (long) DLSYM.invokeExact(library, arena.allocateFrom(SYMBOL).address());
      // The symbol is also found in libraries that the producer's library needs. A producer that only uses Arrow C++ is
      // not Arrow C++.
      boolean isOwn =
          symbol != 0 && (int) DLADDR.invokeExact(symbol, info.address()) != 0 && info.getAtIndex(JAVA_LONG, 1) == base;
      int _ = (int) DLCLOSE.invokeExact(library);
      if (isOwn) known = function;
      return isOwn;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
