// SPDX-License-Identifier: Apache-2.0
/** Conversions between Arrow Java's vectors and readers and device arrays, without a copy and without JNI. */
module org.arbalest.device.arrow {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive org.apache.arrow.memory.core;
  requires transitive org.apache.arrow.vector;
  requires transitive org.arbalest.device;

  exports org.arbalest.device.arrow;
}
