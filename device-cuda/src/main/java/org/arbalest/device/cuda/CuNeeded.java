// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.List;

/**
 * The functions of {@link Cu} that every driver must have. They are separate from that table, because they are looked
 * up before the table can be linked.
 *
 * <p>All other functions are optional: without one, a feature is missing, or another function does the same.
 */
final class CuNeeded {
  /** The names. None is newer than {@link Cu#OLDEST}. The newest comes first: an old driver lacks at least that one. */
  static final List<String> NAMES = List.of(
      "cuLaunchHostFunc", "cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuDeviceGetCount", "cuDeviceGet",
      "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", "cuDeviceCanAccessPeer",
      "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxGetCurrent", "cuCtxGetDevice",
      "cuCtxEnablePeerAccess", "cuStreamCreate", "cuStreamDestroy_v2", "cuStreamQuery", "cuStreamSynchronize",
      "cuStreamGetCtx", "cuStreamWaitEvent", "cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventQuery",
      "cuEventSynchronize", "cuDeviceGetPCIBusId", "cuMemGetInfo_v2", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc",
      "cuMemFreeHost", "cuMemAllocManaged", "cuPointerGetAttribute", "cuMemHostRegister_v2", "cuMemHostUnregister",
      "cuMemcpyAsync", "cuMemcpyPeerAsync", "cuMemGetAddressRange_v2");

  private CuNeeded() {}
}
