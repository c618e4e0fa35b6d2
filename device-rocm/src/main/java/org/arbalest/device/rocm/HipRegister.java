// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;

/** HIP's functions that pin memory of others; see {@link Hip}. */
final class HipRegister {
  static final int PORTABLE = 1;
  static final int MAPPED = 2;

  private static final MethodHandle HOST_REGISTER = Hip.function("hipHostRegister", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle HOST_UNREGISTER = Hip.function("hipHostUnregister", JAVA_LONG);
  private static final MethodHandle HOST_GET_DEVICE_POINTER = Hip.function("hipHostGetDevicePointer", JAVA_LONG, JAVA_LONG, JAVA_INT);

  private HipRegister() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int hostRegister(long address, long bytes, int flags) {
    try {
      return (int) HOST_REGISTER.invokeExact(address, bytes, flags);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int hostUnregister(long address) {
    try {
      return (int) HOST_UNREGISTER.invokeExact(address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int hostGetDevicePointer(long out, long address) {
    try {
      return (int) HOST_GET_DEVICE_POINTER.invokeExact(out, address, 0);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }
}
