// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import org.arbalest.device.internal.recording.Recording.OfArray;

/** An operation on an array. */
abstract class ArrayEvent extends Event implements OfArray {
  @Label("Rows") long rows;

  @Label("Bytes")
  @Description("Memory that the array keeps; for an imported array, the memory that its buffers need, without the "
      + "data of texts; -1 if unknown")
  @DataAmount long bytes;

  @Label("Device") String device = "";

  @Label("Type") String type = "";

  @Override
  public final boolean isOver() {
    end();
    return shouldCommit();
  }

  @Override
  public final void describe(long itsRows, long itsBytes, Object itsDevice, String itsType) {
    rows = itsRows;
    bytes = itsBytes;
    device = itsDevice.toString();
    type = itsType;
    commit();
  }
}
