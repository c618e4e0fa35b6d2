// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/** The constants of the functions by which processes share memory and events; see {@link Cu}. */
final class CuIpc {
  static final int MEM_LAZY_ENABLE_PEER_ACCESS = 1;
  static final int EVENT_INTERPROCESS = 4;
  static final int IPC_EVENT_SUPPORTED = 125;
  static final int IS_LEGACY_IPC_CAPABLE = 10;
  static final int MAP_FAILED = 205;
  static final long HANDLE_BYTES = 64;

  private CuIpc() {}
}
