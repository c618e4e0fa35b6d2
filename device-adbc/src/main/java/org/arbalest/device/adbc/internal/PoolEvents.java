// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.arbalest.device.adbc.AdbcPool;
import org.jspecify.annotations.Nullable;

/** Makes events of pools. One event is kept to query whether it is enabled, so that a query makes no event. */
final class PoolEvents {
  private static final PoolWaitEvent WAIT = new PoolWaitEvent();

  private PoolEvents() {}

  static PoolRecording.@Nullable OfWait aWait() {
    if (!WAIT.isEnabled()) return null;
    try {
      var event = new PoolWaitEvent();
      event.begin();
      return event;
    } catch (VirtualMachineError _) { // no memory for the event: the wait continues without it
      return null;
    }
  }

  static void ofPools(Supplier<List<AdbcPool>> open) {
    FlightRecorder.addPeriodicEvent(PoolEvent.class, () -> open.get().forEach(PoolEvent::emit));
  }
}
