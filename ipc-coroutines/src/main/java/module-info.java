// SPDX-License-Identifier: Apache-2.0
/** The Kotlin API for Arrow files and streams (IPC): reading and writing them as flows. */
module org.arbalest.ipc.coroutines {
  requires transitive kotlin.stdlib;
  requires transitive kotlinx.coroutines.core;
  requires transitive org.arbalest.coroutines;
  requires transitive org.arbalest.device.ipc;

  exports org.arbalest.ipc.coroutines;
}
