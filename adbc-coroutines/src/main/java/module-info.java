// SPDX-License-Identifier: Apache-2.0
/** The Kotlin API for ADBC databases: queries as flows, cancellable suspending calls, transactions as blocks. */
module org.arbalest.adbc.coroutines {
  requires transitive kotlin.stdlib;
  requires transitive kotlinx.coroutines.core;
  requires transitive org.arbalest.coroutines;
  requires transitive org.arbalest.device.adbc;

  exports org.arbalest.adbc.coroutines;
}
