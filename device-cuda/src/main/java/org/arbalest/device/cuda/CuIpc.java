// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The driver API's functions by which processes share memory and events; see {@link Cu}. Handles are passed by value. */
final class CuIpc {
  static final int MEM_LAZY_ENABLE_PEER_ACCESS = 1;
  static final int EVENT_INTERPROCESS = 4;
  static final int IPC_EVENT_SUPPORTED = 125;
  static final int IS_LEGACY_IPC_CAPABLE = 10;
  static final int MAP_FAILED = 205;
  static final long HANDLE_BYTES = 64;

  private static final MemoryLayout HANDLE = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(HANDLE_BYTES, JAVA_BYTE));

  private static final MethodHandle MEM_GET_ADDRESS_RANGE = Cu.function("cuMemGetAddressRange_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle GET_MEM_HANDLE = Cu.optional("cuIpcGetMemHandle", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle OPEN_MEM_HANDLE = Cu.optional("cuIpcOpenMemHandle_v2", JAVA_LONG, HANDLE, JAVA_INT);
  private static final MethodHandle CLOSE_MEM_HANDLE = Cu.optional("cuIpcCloseMemHandle", JAVA_LONG);
  private static final MethodHandle GET_EVENT_HANDLE = Cu.optional("cuIpcGetEventHandle", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle OPEN_EVENT_HANDLE = Cu.optional("cuIpcOpenEventHandle", JAVA_LONG, HANDLE);

  private CuIpc() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int memGetAddressRange(long base, long bytes, long address) {
    try {
      return (int) MEM_GET_ADDRESS_RANGE.invokeExact(base, bytes, address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int getMemHandle(long handle, long address) {
    try {
      return (int) GET_MEM_HANDLE.invokeExact(handle, address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int openMemHandle(long address, MemorySegment handle, int flags) {
    try {
      return (int) OPEN_MEM_HANDLE.invokeExact(address, handle, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int closeMemHandle(long address) {
    try {
      return (int) CLOSE_MEM_HANDLE.invokeExact(address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int getEventHandle(long handle, long event) {
    try {
      return (int) GET_EVENT_HANDLE.invokeExact(handle, event);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int openEventHandle(long event, MemorySegment handle) {
    try {
      return (int) OPEN_EVENT_HANDLE.invokeExact(event, handle);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }
}
