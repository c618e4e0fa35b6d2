// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import org.jspecify.annotations.Nullable;

/** The JVMs that need the exit guard: the HotSpot versions on Linux that have JDK-8391662. */
final class AffectedJvm {
  /** The oldest JDK that the library runs on. */
  static final int FIRST = 25;

  /**
   * The last JDK with the defect. ProcessExitStressSpec fails if a process without the guard ends on a JDK up to this
   * one.
   */
  static final int LAST = 27;

  private AffectedJvm() {}

  /** Returns whether a JDK of this feature version has the defect. */
  static boolean hasDefect(int version) {
    return FIRST <= version && version <= LAST;
  }

  /** Returns the reason why this JVM does not need the guard; null if it needs the guard. */
  static @Nullable String whyNot() {
    String os = System.getProperty("os.name", "");
    return whyNot(Runtime.version().feature(), System.getProperty("java.vm.name", ""), os);
  }

  static @Nullable String whyNot(int version, String vm, String os) {
    if (!hasDefect(version))
      return "JDK " + version + " is not one of " + FIRST + " to " + LAST + ", which have JDK-8391662";
    if (!vm.contains("OpenJDK") && !vm.contains("HotSpot")) return vm + " is not HotSpot";
    return os.equals("Linux") ? null : os + " is not Linux";
  }
}
