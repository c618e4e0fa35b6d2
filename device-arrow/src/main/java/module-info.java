// SPDX-License-Identifier: Apache-2.0
/** Arrow Java's vectors and readers from and to device arrays, without a copy and without JNI. */
module org.arbalest.device.arrow {
  requires static org.jspecify;
  requires transitive org.apache.arrow.memory.core;
  requires transitive org.apache.arrow.vector;
  requires transitive org.arbalest.device;

  exports org.arbalest.device.arrow;
}
