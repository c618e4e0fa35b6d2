// SPDX-License-Identifier: Apache-2.0
/** Databases by their ADBC drivers: queries as device arrays, without a copy and without JNI. */
module org.arbalest.device.adbc {
  requires static org.jspecify;
  requires transitive org.arbalest.device;
  requires org.tomlj;

  exports org.arbalest.device.adbc;
}
