// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** The constants of the functions by which processes share memory; see {@link Hip}. */
final class HipIpc {
  /** {@code hipIpcMemLazyEnablePeerAccess}, the only flag. Up to ROCm 5.2 its value was 0. */
  static final int MEM_LAZY_ENABLE_PEER_ACCESS = 1;

  static final int OLD_MEM_LAZY_ENABLE_PEER_ACCESS = 0;
  static final int INVALID_DEVICE_POINTER = 17;
  static final long HANDLE_BYTES = 64;

  private HipIpc() {}
}
