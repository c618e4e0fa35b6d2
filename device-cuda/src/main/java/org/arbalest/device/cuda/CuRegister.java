// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;

/** The driver API's functions that pin memory of others; see {@link Cu}. */
final class CuRegister {
  static final int PORTABLE = 1;
  static final int DEVICE_MAP = 2;
  static final int ALREADY_REGISTERED = 712;

  /** The attribute of a device that finds such memory where the CPU does. */
  static final int CAN_USE_HOST_POINTER = 91;

  private static final MethodHandle MEM_HOST_REGISTER = Cu.function("cuMemHostRegister_v2", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle MEM_HOST_UNREGISTER = Cu.function("cuMemHostUnregister", JAVA_LONG);

  private CuRegister() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int memHostRegister(long address, long bytes, int flags) {
    try {
      return (int) MEM_HOST_REGISTER.invokeExact(address, bytes, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memHostUnregister(long address) {
    try {
      return (int) MEM_HOST_UNREGISTER.invokeExact(address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }
}
