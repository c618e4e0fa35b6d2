// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.leaks;

import java.util.List;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.monitoring.HandleWatch;
import org.arbalest.device.monitoring.MXBeanRegistration;
import org.arbalest.device.monitoring.ResourceCounters;

/** The Java of docs/guides/leaks.md. */
final class LeaksGuideJava {
  private LeaksGuideJava() {}

  static List<String> leftOpen(Runnable work) {
    try (HandleWatch watch = HandleWatch.start()) {
      work.run();
      return watch.open().stream().map(open -> open.what() + ", made " + open.made().getMessage()).toList();
    }
  }

  static void monitored(MemoryPool pool, Runnable server) {
    try (MXBeanRegistration _ = ResourceCounters.registerMXBean();
        MXBeanRegistration _ = MXBeanRegistration.of(pool, "staging")) {
      server.run();
    }
  }
}
