// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A function of HIP: one row of the table in {@link Hip}. A nested record is the shape of a call, with one letter per
 * argument: {@code L} for a long (a pointer, a handle or a size), {@code I} for an int, {@code H} for a handle of 64
 * bytes by value. {@code None} has no argument.
 *
 * <p>The shape declares both the native type and the Java method. The functions are constants, and the JIT compiler
 * trusts the fields of records to be final. It therefore inlines a call as if its method handle were a constant.
 */
sealed interface HipFunction {
  /** The layout of {@code hipIpcMemHandle_t}. */
  MemoryLayout HANDLE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(HipIpc.HANDLE_BYTES, JAVA_BYTE));

  /** Returns the symbol in the library, which is also the name in HIP's documentation. */
  String name();

  /** Returns the first HIP version with this function, as in {@code HIP_VERSION}, without the patch. */
  int since();

  /** Returns the handle by which the function is called. */
  MethodHandle handle();

  /** Returns a version as a text, such as 5.2 for 50221153. */
  static String version(int version) {
    return version / 10_000_000 + "." + version / 100_000 % 100;
  }

  /** Wraps an impossible exception: a call by a handle of the right type throws nothing. */
  private static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }

  /** The shape of the function that returns a text. */
  record Text(String name, int since, MethodHandle handle) implements HipFunction {
    Text(String name, int since) {
      this(name, since, HipLibrary.linkText(name, since, JAVA_INT));
    }

    String call(int a) {
      try {
        return ((MemorySegment) handle.invokeExact(a)).reinterpret(256).getString(0);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record None(String name, int since, MethodHandle handle) implements HipFunction {
    None(String name, int since) {
      this(name, since, HipLibrary.link(name, since));
    }

    int call() {
      try {
        return (int) handle.invokeExact();
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record I(String name, int since, MethodHandle handle) implements HipFunction {
    I(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_INT));
    }

    int call(int a) {
      try {
        return (int) handle.invokeExact(a);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record L(String name, int since, MethodHandle handle) implements HipFunction {
    L(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG));
    }

    int call(long a) {
      try {
        return (int) handle.invokeExact(a);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record II(String name, int since, MethodHandle handle) implements HipFunction {
    II(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_INT, JAVA_INT));
    }

    int call(int a, int b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LI(String name, int since, MethodHandle handle) implements HipFunction {
    LI(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_INT));
    }

    int call(long a, int b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LII(String name, int since, MethodHandle handle) implements HipFunction {
    LII(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_INT, JAVA_INT));
    }

    int call(long a, int b, int c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LL(String name, int since, MethodHandle handle) implements HipFunction {
    LL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b) {
      try {
        return (int) handle.invokeExact(a, b);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLI(String name, int since, MethodHandle handle) implements HipFunction {
    LLI(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    int call(long a, long b, int c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LIL(String name, int since, MethodHandle handle) implements HipFunction {
    LIL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    int call(long a, int b, long c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLL(String name, int since, MethodHandle handle) implements HipFunction {
    LLL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b, long c) {
      try {
        return (int) handle.invokeExact(a, b, c);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLLI(String name, int since, MethodHandle handle) implements HipFunction {
    LLLI(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    }

    int call(long a, long b, long c, int d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record ILLL(String name, int since, MethodHandle handle) implements HipFunction {
    ILLL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(int a, long b, long c, long d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLLL(String name, int since, MethodHandle handle) implements HipFunction {
    LLLL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    }

    int call(long a, long b, long c, long d) {
      try {
        return (int) handle.invokeExact(a, b, c, d);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LLLIL(String name, int since, MethodHandle handle) implements HipFunction {
    LLLIL(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }

    int call(long a, long b, long c, int d, long e) {
      try {
        return (int) handle.invokeExact(a, b, c, d, e);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  record LHI(String name, int since, MethodHandle handle) implements HipFunction {
    LHI(String name, int since) {
      this(name, since, HipLibrary.link(name, since, JAVA_LONG, HANDLE, JAVA_INT));
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
