// SPDX-License-Identifier: Apache-2.0
/** The Kotlin API for device arrays: a DSL that builds them, typed views that read them, and flows for streams. */
module org.arbalest.coroutines {
  requires transitive kotlin.stdlib;
  requires transitive kotlinx.coroutines.core;
  requires transitive org.arbalest.device;

  exports org.arbalest.coroutines;

  provides org.arbalest.device.objects.ObjectProvider with
      org.arbalest.coroutines.DataClasses;
}
