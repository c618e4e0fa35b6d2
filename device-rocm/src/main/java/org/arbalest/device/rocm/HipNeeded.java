// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.List;

/**
 * The functions of {@link Hip} that every release must have. They are separate from that table, because they are looked
 * up before the table can be linked.
 *
 * <p>All other functions are optional: without one, a feature is missing, or another function does the same.
 */
final class HipNeeded {
  /**
   * The names. None is newer than {@link Hip#OLDEST}. The newest comes first: an old release lacks at least that one.
   */
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
