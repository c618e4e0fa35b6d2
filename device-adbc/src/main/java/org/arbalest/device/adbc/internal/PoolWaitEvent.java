// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The wait of a thread for a connection of a pool. */
@Name("org.arbalest.AdbcPoolWait")
@Label("ADBC Pool Wait")
@Description("A thread waited for a connection of a pool, because none was idle")
@Category("Arbalest")
@Threshold("10 ms")
final class PoolWaitEvent extends Event implements PoolRecording.OfWait {
  @Label("Pool") String pool = "";

  @Label("Acquired")
  @Description("Whether the thread received a connection within the time limit") boolean acquired;

  @Override
  public void describe(String itsPool, boolean isAcquired) {
    try {
      end();
      if (!shouldCommit()) return;
      pool = itsPool;
      acquired = isAcquired;
      commit();
    } catch (VirtualMachineError _) { // no memory for the event: the wait has ended without it
    }
  }
}
