// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The copy of an array, or the queuing of its copy. */
@Name("org.arbalest.Copy")
@Label("Array Copy")
@Description("An array was copied; on a device with queues, the copies were queued and can still run")
@Category("Arbalest")
@Threshold("10 ms")
final class CopyEvent extends ArrayEvent {
  @Label("From Device") String from = "";

  @Override
  public void describe(long itsRows, long itsBytes, Object itsSource, Object itsDevice, String itsType) {
    from = itsSource.toString();
    describe(itsRows, itsBytes, itsDevice, itsType);
  }
}
