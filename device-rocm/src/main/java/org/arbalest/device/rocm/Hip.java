// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.rocm.HipFunction.I;
import org.arbalest.device.rocm.HipFunction.II;
import org.arbalest.device.rocm.HipFunction.ILLL;
import org.arbalest.device.rocm.HipFunction.L;
import org.arbalest.device.rocm.HipFunction.LHI;
import org.arbalest.device.rocm.HipFunction.LI;
import org.arbalest.device.rocm.HipFunction.LII;
import org.arbalest.device.rocm.HipFunction.LIL;
import org.arbalest.device.rocm.HipFunction.LL;
import org.arbalest.device.rocm.HipFunction.LLI;
import org.arbalest.device.rocm.HipFunction.LLL;
import org.arbalest.device.rocm.HipFunction.LLLI;
import org.arbalest.device.rocm.HipFunction.LLLIL;
import org.arbalest.device.rocm.HipFunction.LLLL;
import org.arbalest.device.rocm.HipFunction.None;
import org.arbalest.device.rocm.HipFunction.Text;

/**
 * The table of HIP's functions. An entry has the shape of the call, the name, and the first HIP version with the
 * function. Error messages use the names in this table, and the tests compare the simulated HIP's versions with it.
 *
 * <p>Versions are as in {@code HIP_VERSION}, without the patch. They come from the library's symbols
 * ({@code hip_hcc.map.in} in ROCm's {@code clr}), where everything older than 4.2 counts as 4.2.
 *
 * <p>Handles and pointers are longs; calls return a {@code hipError_t}. {@link HipNeeded} lists the functions that
 * every release must have. Any other function may be absent, and then returns {@link #NOT_SUPPORTED}. The table has no
 * function that takes a struct whose layout has changed, or a number whose meaning has changed in a later release.
 *
 * <p>The class is initialised after the library was found, and links all functions. No function is linked as a
 * {@linkplain java.lang.foreign.Linker.Option#critical critical} one: HIP may hold a lock that a thread in one of the
 * library's callbacks waits for.
 */
final class Hip {
  /**
   * The oldest HIP version that is supported. It is a constant, so that it can be read before the class is initialised.
   */
  static final int OLDEST = 5_02_00000;

  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int NO_DEVICE = 100;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_CONTEXT = 201;
  static final int INVALID_HANDLE = 400;
  static final int NOT_READY = 600;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;
  static final int NOT_SUPPORTED = 801;
  static final int CAPTURE_IMPLICIT = 906;
  static final int CAPTURED_EVENT = 907;

  static final int EVENT_BLOCKING_SYNC = 1;
  static final int EVENT_DISABLE_TIMING = 2;
  static final int STREAM_NON_BLOCKING = 1;

  /** The default stream, which waits for each stream that was not created with {@link #STREAM_NON_BLOCKING}. */
  static final int NULL_STREAM = 0;

  /** {@code hipStreamPerThread}: another stream on each OS thread. */
  static final int PER_THREAD_STREAM = 2;

  // Devices, streams and events.
  static final L RUNTIME_GET_VERSION = new L("hipRuntimeGetVersion", 4_02_00000);
  static final Text GET_ERROR_NAME = new Text("hipGetErrorName", 4_02_00000);
  static final None GET_LAST_ERROR = new None("hipGetLastError", 4_02_00000);
  static final L GET_DEVICE_COUNT = new L("hipGetDeviceCount", 4_02_00000);
  static final L GET_DEVICE = new L("hipGetDevice", 4_02_00000);
  static final I SET_DEVICE = new I("hipSetDevice", 4_02_00000);
  static final LII DEVICE_GET_NAME = new LII("hipDeviceGetName", 4_02_00000);
  static final LI DEVICE_TOTAL_MEM = new LI("hipDeviceTotalMem", 4_02_00000);
  static final LII DEVICE_CAN_ACCESS_PEER = new LII("hipDeviceCanAccessPeer", 4_02_00000);
  static final II DEVICE_ENABLE_PEER_ACCESS = new II("hipDeviceEnablePeerAccess", 4_02_00000);
  static final LI STREAM_CREATE = new LI("hipStreamCreateWithFlags", 4_02_00000);
  static final L STREAM_DESTROY = new L("hipStreamDestroy", 4_02_00000);
  static final L STREAM_QUERY = new L("hipStreamQuery", 4_02_00000);
  static final L STREAM_SYNCHRONIZE = new L("hipStreamSynchronize", 4_02_00000);
  static final LLI STREAM_WAIT_EVENT = new LLI("hipStreamWaitEvent", 4_02_00000);
  static final LLLI STREAM_ADD_CALLBACK = new LLLI("hipStreamAddCallback", 4_02_00000);
  static final LLL LAUNCH_HOST_FUNC = new LLL("hipLaunchHostFunc", 5_03_00000);
  static final LI EVENT_CREATE = new LI("hipEventCreateWithFlags", 4_02_00000);
  static final L EVENT_DESTROY = new L("hipEventDestroy", 4_02_00000);
  static final LL EVENT_RECORD = new LL("hipEventRecord", 4_02_00000);
  static final L EVENT_QUERY = new L("hipEventQuery", 4_02_00000);

  // The capture mode of threads: see HipCapture.
  static final L THREAD_EXCHANGE_STREAM_CAPTURE_MODE = new L("hipThreadExchangeStreamCaptureMode", 5_00_00000);
  static final LL STREAM_IS_CAPTURING = new LL("hipStreamIsCapturing", 4_03_00000);

  // The identity of a GPU: see HipIdentity.
  static final LI DEVICE_GET_UUID = new LI("hipDeviceGetUuid", 5_01_00000);
  static final LII DEVICE_GET_PCI_BUS_ID = new LII("hipDeviceGetPCIBusId", 4_02_00000);

  // Memory: see HipMemory.
  static final LL MEM_GET_INFO = new LL("hipMemGetInfo", 4_02_00000);
  static final LL MALLOC = new LL("hipMalloc", 4_02_00000);
  static final L FREE = new L("hipFree", 4_02_00000);
  static final LLI HOST_MALLOC = new LLI("hipHostMalloc", 4_02_00000);
  static final L HOST_FREE = new L("hipHostFree", 4_02_00000);
  static final LI DEVICE_GET_MEM_POOL = new LI("hipDeviceGetMemPool", 5_01_00000);
  static final LL MEM_POOL_CREATE = new LL("hipMemPoolCreate", 5_01_00000);
  static final L MEM_POOL_DESTROY = new L("hipMemPoolDestroy", 5_01_00000);
  static final LIL MEM_POOL_SET_ATTRIBUTE = new LIL("hipMemPoolSetAttribute", 5_01_00000);
  static final LLL MEM_POOL_SET_ACCESS = new LLL("hipMemPoolSetAccess", 5_01_00000);
  static final LL MEM_POOL_TRIM_TO = new LL("hipMemPoolTrimTo", 5_01_00000);
  static final LLLL MALLOC_FROM_POOL_ASYNC = new LLLL("hipMallocFromPoolAsync", 5_01_00000);
  static final LL FREE_ASYNC = new LL("hipFreeAsync", 5_01_00000);
  static final ILLL DRV_POINTER_GET_ATTRIBUTES = new ILLL("hipDrvPointerGetAttributes", 5_00_00000);

  // Pages that the application allocated: see HipRegister.
  static final LLI HOST_REGISTER = new LLI("hipHostRegister", 4_02_00000);
  static final L HOST_UNREGISTER = new L("hipHostUnregister", 4_02_00000);
  static final LLI HOST_GET_DEVICE_POINTER = new LLI("hipHostGetDevicePointer", 4_02_00000);

  // Copies: see HipCopies.
  static final LLLIL MEMCPY_ASYNC = new LLLIL("hipMemcpyAsync", 4_02_00000);

  // Memory shared between processes: see HipIpc.
  static final LLL MEM_GET_ADDRESS_RANGE = new LLL("hipMemGetAddressRange", 4_02_00000);
  static final LL IPC_GET_MEM_HANDLE = new LL("hipIpcGetMemHandle", 4_02_00000);
  static final LHI IPC_OPEN_MEM_HANDLE = new LHI("hipIpcOpenMemHandle", 4_02_00000);
  static final L IPC_CLOSE_MEM_HANDLE = new L("hipIpcCloseMemHandle", 4_02_00000);

  /** A few words of memory for each thread, for results that are returned through pointers. */
  private static final ThreadLocal<MemorySegment> SCRATCH =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private Hip() {}

  /** Returns this thread's words. Their content is valid until the next call that uses them. */
  static MemorySegment scratch() {
    return SCRATCH.get();
  }
}
