// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.List;

/**
 * The functions of {@link Hip} without which nothing works. Apart from that table, because they are looked for before
 * it can be linked. What is not here is optional: without it a feature is missing, or another function does the same.
 */
final class HipNeeded {
  /** None is younger than {@link Hip#OLDEST}. The youngest comes first: an old release lacks that one at least. */
  static final List<String> NAMES = List.of(
      "hipDrvPointerGetAttributes", "hipRuntimeGetVersion", "hipGetErrorName", "hipGetLastError", "hipGetDeviceCount",
      "hipGetDevice", "hipSetDevice", "hipDeviceGetName", "hipDeviceTotalMem", "hipDeviceCanAccessPeer",
      "hipDeviceEnablePeerAccess", "hipStreamCreateWithFlags", "hipStreamDestroy", "hipStreamQuery",
      "hipStreamSynchronize", "hipStreamWaitEvent", "hipStreamAddCallback", "hipEventCreateWithFlags",
      "hipEventDestroy", "hipEventRecord", "hipEventQuery", "hipDeviceGetPCIBusId", "hipMemGetInfo", "hipMalloc",
      "hipFree", "hipHostMalloc", "hipHostFree", "hipHostRegister", "hipHostUnregister", "hipHostGetDevicePointer",
      "hipMemcpyAsync", "hipMemGetAddressRange");

  private HipNeeded() {}
}
