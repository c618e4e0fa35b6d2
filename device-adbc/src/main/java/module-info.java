// SPDX-License-Identifier: Apache-2.0
/** Access to databases through ADBC drivers: queries return device arrays, without a copy and without JNI. */
module org.arbalest.device.adbc {
  requires static com.google.errorprone.annotations;
  requires static java.management;
  requires static jdk.jfr;
  requires static org.jspecify;
  requires transitive org.arbalest.device;
  requires org.tomlj;

  exports org.arbalest.device.adbc;
}
