// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.arbalest.device.internal.recording.Recording.OfWait;

/** The wait of a thread for work of a device, or for a task of an async stream. */
@Name("org.arbalest.Wait")
@Label("Wait")
@Description("A thread waited for work of a device, or for a task of an async stream")
@Category("Arbalest")
@Threshold("10 ms")
final class WaitEvent extends Event implements OfWait {
  @Label("For")
  @Description("event, stream or task") String what = "";

  @Label("Device") String device = "";

  @Override
  public void describe(String itsWhat, Object itsDevice) {
    try {
      end();
      if (!shouldCommit()) return;
      what = itsWhat;
      device = itsDevice.toString();
      commit();
    } catch (VirtualMachineError _) { // no memory for the event: the wait has succeeded without it
    }
  }
}
