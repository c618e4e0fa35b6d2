// SPDX-License-Identifier: Apache-2.0
/** Device arrays in Kotlin: a DSL that builds them, typed views that read them, Flow for streams. */
module org.arbalest.coroutines {
  requires transitive kotlin.stdlib;
  requires transitive kotlinx.coroutines.core;
  requires transitive org.arbalest.device;

  exports org.arbalest.coroutines;

  provides org.arbalest.device.objects.ObjectProvider with
      org.arbalest.coroutines.DataClasses;
}
