// SPDX-License-Identifier: Apache-2.0
/** Arrow files and streams (IPC) from and to device arrays, without Arrow Java. */
module org.arbalest.device.ipc {
  requires static aircompressor.v3;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive org.arbalest.device;
  requires flatbuffers.java;
  requires org.apache.arrow.format;

  exports org.arbalest.device.ipc;
}
