// SPDX-License-Identifier: Apache-2.0
/** ADBC databases in Kotlin: queries as flows, calls that suspend and can be cancelled, transactions as blocks. */
module org.arbalest.adbc.coroutines {
  requires transitive kotlin.stdlib;
  requires transitive kotlinx.coroutines.core;
  requires transitive org.arbalest.coroutines;
  requires transitive org.arbalest.device.adbc;

  exports org.arbalest.adbc.coroutines;
}
