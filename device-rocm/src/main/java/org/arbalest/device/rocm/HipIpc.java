// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** HIP's functions by which processes share memory; see {@link Hip}. Handles are passed by value. */
final class HipIpc {
  /** {@code hipIpcMemLazyEnablePeerAccess}, the one flag that there is; up to ROCm 5.2 it was 0. */
  static final int MEM_LAZY_ENABLE_PEER_ACCESS = 1;

  static final int OLD_MEM_LAZY_ENABLE_PEER_ACCESS = 0;
  static final int INVALID_DEVICE_POINTER = 17;
  static final long HANDLE_BYTES = 64;

  private static final MemoryLayout HANDLE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(HANDLE_BYTES, JAVA_BYTE));

  private static final MethodHandle MEM_GET_ADDRESS_RANGE = Hip.function("hipMemGetAddressRange", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle GET_MEM_HANDLE = Hip.optional("hipIpcGetMemHandle", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle OPEN_MEM_HANDLE = Hip.optional("hipIpcOpenMemHandle", JAVA_LONG, HANDLE, JAVA_INT);
  private static final MethodHandle CLOSE_MEM_HANDLE = Hip.optional("hipIpcCloseMemHandle", JAVA_LONG);

  private HipIpc() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int memGetAddressRange(long base, long bytes, long address) {
    try {
      return (int) MEM_GET_ADDRESS_RANGE.invokeExact(base, bytes, address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int getMemHandle(long handle, long address) {
    try {
      return (int) GET_MEM_HANDLE.invokeExact(handle, address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int openMemHandle(long address, MemorySegment handle, int flags) {
    try {
      return (int) OPEN_MEM_HANDLE.invokeExact(address, handle, flags);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int closeMemHandle(long address) {
    try {
      return (int) CLOSE_MEM_HANDLE.invokeExact(address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }
}
