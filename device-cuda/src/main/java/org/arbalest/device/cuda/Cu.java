// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.arbalest.device.cuda.CuFunction.I;
import org.arbalest.device.cuda.CuFunction.IL;
import org.arbalest.device.cuda.CuFunction.L;
import org.arbalest.device.cuda.CuFunction.L5;
import org.arbalest.device.cuda.CuFunction.L6;
import org.arbalest.device.cuda.CuFunction.L8;
import org.arbalest.device.cuda.CuFunction.L9;
import org.arbalest.device.cuda.CuFunction.LH;
import org.arbalest.device.cuda.CuFunction.LHI;
import org.arbalest.device.cuda.CuFunction.LI;
import org.arbalest.device.cuda.CuFunction.LI7L3;
import org.arbalest.device.cuda.CuFunction.LII;
import org.arbalest.device.cuda.CuFunction.LIL;
import org.arbalest.device.cuda.CuFunction.LL;
import org.arbalest.device.cuda.CuFunction.LLI;
import org.arbalest.device.cuda.CuFunction.LLII;
import org.arbalest.device.cuda.CuFunction.LLIL;
import org.arbalest.device.cuda.CuFunction.LLL;
import org.arbalest.device.cuda.CuFunction.LLLIL;
import org.arbalest.device.cuda.CuFunction.LLLL;

/**
 * The table of the driver API's functions. An entry has the shape of the call, the name, and the first CUDA version
 * with the function, as in {@code CUDA_VERSION} and in {@code cudaTypedefs.h}. Error messages use the names in this
 * table, and the tests compare the simulated driver's versions with it.
 *
 * <p>Handles and pointers are longs; calls return a {@code CUresult}. {@link CuNeeded} lists the functions that every
 * driver must have. Any other function may be absent, and then returns {@link #NOT_SUPPORTED}.
 *
 * <p>The class is initialised after the library was found, and links all functions. No function is linked as a
 * {@linkplain java.lang.foreign.Linker.Option#critical critical} one: the driver may hold a lock that a thread in one
 * of the library's callbacks waits for.
 */
final class Cu {
  /**
   * The oldest CUDA version whose drivers are supported. It is a constant, so that it can be read before the class is
   * initialised.
   */
  static final int OLDEST = 10000;

  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_CONTEXT = 201;
  static final int INVALID_HANDLE = 400;
  static final int NOT_READY = 600;

  /** The errors of a text of kernels: no compiler, or one that is too old, for this GPU. */
  static final Set<Integer> CANNOT_TRANSLATE = Set.of(209, 218, 221, 222, 223);

  static final int PEER_ACCESS_ALREADY_ENABLED = 704;

  /** The hardware has a limit of peers, 8 on some machines; the driver can still copy. */
  static final int TOO_MANY_PEERS = 711;

  static final int NOT_PERMITTED = 800;
  static final int NOT_SUPPORTED = 801;
  static final int CAPTURE_IMPLICIT = 906;
  static final int CAPTURED_EVENT = 907;

  static final int INTEGRATED = 18;
  static final int COMPUTE_CAPABILITY_MAJOR = 75;
  static final int COMPUTE_CAPABILITY_MINOR = 76;
  static final int PAGEABLE_MEMORY_ACCESS = 88;
  static final int CONCURRENT_MANAGED_ACCESS = 89;
  static final int PAGEABLE_BY_HOST_PAGE_TABLES = 100;
  static final int MEMORY_POOLS_SUPPORTED = 115;

  static final int EVENT_BLOCKING_SYNC = 1;
  static final int EVENT_DISABLE_TIMING = 2;
  static final int STREAM_NON_BLOCKING = 1;

  /** {@code CU_STREAM_LEGACY}: an explicit handle of the legacy default stream, as is 0. */
  static final int LEGACY_STREAM = 1;
  static final int PER_THREAD_STREAM = 2;

  // Devices, contexts, streams and events.
  static final I INIT = new I("cuInit", 2000);
  static final L DRIVER_GET_VERSION = new L("cuDriverGetVersion", 2020);
  static final IL GET_ERROR_NAME = new IL("cuGetErrorName", 6000);
  static final L DEVICE_GET_COUNT = new L("cuDeviceGetCount", 2000);
  static final LI DEVICE_GET = new LI("cuDeviceGet", 2000);
  static final LII DEVICE_GET_NAME = new LII("cuDeviceGetName", 2000);
  static final LI DEVICE_TOTAL_MEM = new LI("cuDeviceTotalMem_v2", 3020);
  static final LII DEVICE_GET_ATTRIBUTE = new LII("cuDeviceGetAttribute", 2000);
  static final LII DEVICE_CAN_ACCESS_PEER = new LII("cuDeviceCanAccessPeer", 4000);
  static final LI PRIMARY_CTX_RETAIN = new LI("cuDevicePrimaryCtxRetain", 7000);
  static final I PRIMARY_CTX_RELEASE_V2 = new I("cuDevicePrimaryCtxRelease_v2", 11000);
  static final I PRIMARY_CTX_RELEASE = new I("cuDevicePrimaryCtxRelease", 7000);
  static final L CTX_PUSH_CURRENT = new L("cuCtxPushCurrent_v2", 4000);
  static final L CTX_POP_CURRENT = new L("cuCtxPopCurrent_v2", 4000);
  static final L CTX_GET_CURRENT = new L("cuCtxGetCurrent", 4000);
  static final L CTX_GET_DEVICE = new L("cuCtxGetDevice", 2000);
  static final LI CTX_ENABLE_PEER_ACCESS = new LI("cuCtxEnablePeerAccess", 4000);
  static final LI STREAM_CREATE = new LI("cuStreamCreate", 2000);
  static final L STREAM_DESTROY = new L("cuStreamDestroy_v2", 4000);
  static final L STREAM_QUERY = new L("cuStreamQuery", 2000);
  static final L STREAM_SYNCHRONIZE = new L("cuStreamSynchronize", 2000);
  static final LL STREAM_GET_CTX = new LL("cuStreamGetCtx", 9020);
  static final LLL STREAM_GET_CTX_V2 = new LLL("cuStreamGetCtx_v2", 12050);
  static final LLI STREAM_WAIT_EVENT = new LLI("cuStreamWaitEvent", 3020);
  static final LLL LAUNCH_HOST_FUNC = new LLL("cuLaunchHostFunc", 10000);
  static final LI EVENT_CREATE = new LI("cuEventCreate", 2000);
  static final L EVENT_DESTROY = new L("cuEventDestroy_v2", 4000);
  static final LL EVENT_RECORD = new LL("cuEventRecord", 2000);
  static final L EVENT_QUERY = new L("cuEventQuery", 2000);
  static final L EVENT_SYNCHRONIZE = new L("cuEventSynchronize", 2000);

  // The capture mode of threads: see CuCapture.
  static final L THREAD_EXCHANGE_STREAM_CAPTURE_MODE = new L("cuThreadExchangeStreamCaptureMode", 10010);
  static final LL STREAM_IS_CAPTURING = new LL("cuStreamIsCapturing", 10000);

  // The identity of a GPU: see CuIdentity.
  static final LI DEVICE_GET_UUID = new LI("cuDeviceGetUuid_v2", 11040);
  static final LII DEVICE_GET_PCI_BUS_ID = new LII("cuDeviceGetPCIBusId", 4010);

  // Memory: see CuMemory.
  static final LL MEM_GET_INFO = new LL("cuMemGetInfo_v2", 3020);
  static final LL MEM_ALLOC = new LL("cuMemAlloc_v2", 3020);
  static final L MEM_FREE = new L("cuMemFree_v2", 3020);
  static final LLI MEM_HOST_ALLOC = new LLI("cuMemHostAlloc", 2020);
  static final L MEM_FREE_HOST = new L("cuMemFreeHost", 2000);
  static final LLI MEM_ALLOC_MANAGED = new LLI("cuMemAllocManaged", 6000);
  static final LL MEM_POOL_CREATE = new LL("cuMemPoolCreate", 11020);
  static final LI DEVICE_GET_MEM_POOL = new LI("cuDeviceGetMemPool", 11020);
  static final L MEM_POOL_DESTROY = new L("cuMemPoolDestroy", 11020);
  static final LIL MEM_POOL_SET_ATTRIBUTE = new LIL("cuMemPoolSetAttribute", 11020);
  static final LLL MEM_POOL_SET_ACCESS = new LLL("cuMemPoolSetAccess", 11020);
  static final LL MEM_POOL_TRIM_TO = new LL("cuMemPoolTrimTo", 11020);
  static final LLLL MEM_ALLOC_FROM_POOL_ASYNC = new LLLL("cuMemAllocFromPoolAsync", 11020);
  static final LL MEM_FREE_ASYNC = new LL("cuMemFreeAsync", 11020);
  static final LIL POINTER_GET_ATTRIBUTE = new LIL("cuPointerGetAttribute", 4000);

  // The placement of managed memory: see CuManaged.
  static final LLIL MEM_PREFETCH_ASYNC = new LLIL("cuMemPrefetchAsync", 8000);
  static final LLLIL MEM_PREFETCH_ASYNC_V2 = new LLLIL("cuMemPrefetchAsync_v2", 12020);
  static final LLII MEM_ADVISE = new LLII("cuMemAdvise", 8000);
  static final LLIL MEM_ADVISE_V2 = new LLIL("cuMemAdvise_v2", 12020);

  // Pages that the application allocated: see CuRegister.
  static final LLI MEM_HOST_REGISTER = new LLI("cuMemHostRegister_v2", 6050);
  static final L MEM_HOST_UNREGISTER = new L("cuMemHostUnregister", 4000);

  // Copies: see CuCopies.
  static final LLLL MEMCPY_ASYNC = new LLLL("cuMemcpyAsync", 4000);
  static final L6 MEMCPY_PEER_ASYNC = new L6("cuMemcpyPeerAsync", 4000);
  static final L8 MEMCPY_BATCH_ASYNC_V2 = new L8("cuMemcpyBatchAsync_v2", 13000);
  static final L9 MEMCPY_BATCH_ASYNC = new L9("cuMemcpyBatchAsync", 12080);

  // Memory and events shared between processes: see CuIpc.
  static final LLL MEM_GET_ADDRESS_RANGE = new LLL("cuMemGetAddressRange_v2", 3020);
  static final LL IPC_GET_MEM_HANDLE = new LL("cuIpcGetMemHandle", 4010);
  static final LHI IPC_OPEN_MEM_HANDLE_V2 = new LHI("cuIpcOpenMemHandle_v2", 11000);
  static final LHI IPC_OPEN_MEM_HANDLE = new LHI("cuIpcOpenMemHandle", 4010);
  static final L IPC_CLOSE_MEM_HANDLE = new L("cuIpcCloseMemHandle", 4010);
  static final LL IPC_GET_EVENT_HANDLE = new LL("cuIpcGetEventHandle", 4010);
  static final LH IPC_OPEN_EVENT_HANDLE = new LH("cuIpcOpenEventHandle", 4010);

  // Memory that is created, and mapped at reserved addresses: see CuMap.
  static final LLI MEM_GET_ALLOCATION_GRANULARITY = new LLI("cuMemGetAllocationGranularity", 10020);
  static final LLLL MEM_CREATE = new LLLL("cuMemCreate", 10020);
  static final L MEM_RELEASE = new L("cuMemRelease", 10020);
  static final LL MEM_RETAIN_ALLOCATION_HANDLE = new LL("cuMemRetainAllocationHandle", 11000);
  static final L5 MEM_ADDRESS_RESERVE = new L5("cuMemAddressReserve", 10020);
  static final LL MEM_ADDRESS_FREE = new LL("cuMemAddressFree", 10020);
  static final L5 MEM_MAP = new L5("cuMemMap", 10020);
  static final LL MEM_UNMAP = new LL("cuMemUnmap", 10020);
  static final LLLL MEM_SET_ACCESS = new LLLL("cuMemSetAccess", 10020);
  static final LLIL MEM_EXPORT_TO_SHAREABLE_HANDLE = new LLIL("cuMemExportToShareableHandle", 10020);
  static final LLI MEM_IMPORT_FROM_SHAREABLE_HANDLE = new LLI("cuMemImportFromShareableHandle", 10020);

  // Pools of other libraries that are shared between processes: see PoolSharing.
  static final LLIL MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE = new LLIL("cuMemPoolExportToShareableHandle", 11020);
  static final LLIL MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE = new LLIL("cuMemPoolImportFromShareableHandle", 11020);
  static final LL MEM_POOL_EXPORT_POINTER = new LL("cuMemPoolExportPointer", 11020);
  static final LLL MEM_POOL_IMPORT_POINTER = new LLL("cuMemPoolImportPointer", 11020);

  // Kernels: see KernelModule.
  static final LL MODULE_LOAD_DATA = new LL("cuModuleLoadData", 2000);
  static final LLL MODULE_GET_FUNCTION = new LLL("cuModuleGetFunction", 2000);
  static final LI7L3 LAUNCH_KERNEL = new LI7L3("cuLaunchKernel", 4000);

  /** A few words of memory for each thread, for results that are returned through pointers. */
  private static final ThreadLocal<MemorySegment> SCRATCH =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private Cu() {}

  /** Returns this thread's words. Their content is valid until the next call that uses them. */
  static MemorySegment scratch() {
    return SCRATCH.get();
  }
}
