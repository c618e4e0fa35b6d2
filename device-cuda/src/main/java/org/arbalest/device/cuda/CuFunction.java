// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Collections;

/**
 * A function of the driver: one row of the table in {@link Cu}. A nested record is the shape of a call, with one letter
 * per argument: {@code L} for a long (a pointer, a handle or a size), {@code I} for an int, {@code H} for a handle of
 * 64 bytes by value. {@code L5} has five longs.
 *
 * <p>The shape declares both the native type and the Java method. The functions are constants, and the JIT compiler
 * trusts the fields of records to be final. It therefore inlines a call as if its method handle were a constant.
 */
sealed interface CuFunction {
  /** The layout of {@code CUipcMemHandle} and {@code CUipcEventHandle}. */
  MemoryLayout HANDLE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(CuIpc.HANDLE_BYTES, JAVA_BYTE));

  /** Returns the symbol in the library. */
  String name();

  /** Returns the first CUDA version with this function, as in {@code CUDA_VERSION}. */
  int since();

  /** Returns the handle by which the function is called. */
  MethodHandle handle();

  /** Returns a version as a text, such as 11.2 for 11020. */
  static String version(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** Returns the name that CUDA's documentation uses, without the version of the symbol. */
  default String label() {
    return name().endsWith("_v2") ? name().substring(0, name().length() - 3) : name();
  }

  /** Wraps an impossible exception: a call by a handle of the right type throws nothing. */
  private static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }

  /** Returns the layouts of a number of longs. */
  private static MemoryLayout[] longs(int count) {
    return Collections.nCopies(count, JAVA_LONG).toArray(MemoryLayout[]::new);
  }

  record I(String name, int since, MethodHandle handle) implements CuFunction {
    I(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_INT));
    }

    int call(int a) {
      try {
        return (int) handle.invokeExact(a);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L(String name, int since, MethodHandle handle) implements CuFunction {
    L(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG));
    }

    int call(long a) {
      try {
        return (int) handle.invokeExact(a);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record IL(String name, int since, MethodHandle handle) implements CuFunction {
    IL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_INT, JAVA_LONG));
    }

    int call(int a, long b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LI(String name, int since, MethodHandle handle) implements CuFunction {
    LI(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_INT));
    }

    int call(long a, int b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LII(String name, int since, MethodHandle handle) implements CuFunction {
    LII(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_INT, JAVA_INT));
    }

    int call(long a, int b, int c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LL(String name, int since, MethodHandle handle) implements CuFunction {
    LL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLI(String name, int since, MethodHandle handle) implements CuFunction {
    LLI(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    int call(long a, long b, int c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LIL(String name, int since, MethodHandle handle) implements CuFunction {
    LIL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    int call(long a, int b, long c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLL(String name, int since, MethodHandle handle) implements CuFunction {
    LLL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b, long c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLII(String name, int since, MethodHandle handle) implements CuFunction {
    LLII(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    }

    int call(long a, long b, int c, int d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLIL(String name, int since, MethodHandle handle) implements CuFunction {
    LLIL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    int call(long a, long b, int c, long d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLLL(String name, int since, MethodHandle handle) implements CuFunction {
    LLLL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b, long c, long d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLLIL(String name, int since, MethodHandle handle) implements CuFunction {
    LLLIL(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    int call(long a, long b, long c, int d, long e) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L5(String name, int since, MethodHandle handle) implements CuFunction {
    L5(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b, long c, long d, long e) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L6(String name, int since, MethodHandle handle) implements CuFunction {
    L6(String name, int since) {
      this(name, since, CuLibrary.link(name, since, longs(6)));
    }

    int call(long a, long b, long c, long d, long e, long f) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e, f);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L8(String name, int since, MethodHandle handle) implements CuFunction {
    L8(String name, int since) {
      this(name, since, CuLibrary.link(name, since, longs(8)));
    }

    int call(long a, long b, long c, long d, long e, long f, long g, long h) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e, f, g, h);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L9(String name, int since, MethodHandle handle) implements CuFunction {
    L9(String name, int since) {
      this(name, since, CuLibrary.link(name, since, longs(9)));
    }

    int call(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e, f, g, h, i);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LI7L3(String name, int since, MethodHandle handle) implements CuFunction {
    LI7L3(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
          JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, int b, int c, int d, int e, int f, int g, int h, long i, long j, long k) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e, f, g, h, i, j, k);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LH(String name, int since, MethodHandle handle) implements CuFunction {
    LH(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, HANDLE));
    }

    int call(long a, MemorySegment b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LHI(String name, int since, MethodHandle handle) implements CuFunction {
    LHI(String name, int since) {
      this(name, since, CuLibrary.link(name, since, JAVA_LONG, HANDLE, JAVA_INT));
    }

    int call(long a, MemorySegment b, int c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }
}
