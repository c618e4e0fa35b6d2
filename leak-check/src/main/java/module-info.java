// SPDX-License-Identifier: Apache-2.0
/** Fails tests that leave resources open, in JUnit or Kotest. The application provides its test framework. */
module org.arbalest.leakcheck {
  requires static kotest.framework.engine.jvm;
  requires static kotlin.stdlib;
  requires static kotlinx.coroutines.core;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;
  requires transitive org.arbalest.device;

  exports org.arbalest.leakcheck;
  exports org.arbalest.leakcheck.junit;
  exports org.arbalest.leakcheck.kotest;
}
