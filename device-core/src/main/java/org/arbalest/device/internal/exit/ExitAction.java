// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowArrayStream;
import org.arbalest.device.internal.abi.RawArrowDeviceArrayStream;
import org.arbalest.device.internal.abi.RawArrowSchema;

/** The action of a callback after the JVM has ended. */
public enum ExitAction {
  NOTHING(0, -1),
  REFUSE(1, -1),
  RELEASE_SCHEMA(2, RawArrowSchema.RELEASE),
  RELEASE_ARRAY(3, RawArrowArray.RELEASE),
  RELEASE_STREAM(4, RawArrowArrayStream.RELEASE),
  RELEASE_DEVICE_STREAM(5, RawArrowDeviceArrayStream.RELEASE);

  /** The index of the action's function in the page of code. */
  final int index;

  /** The offset of the word that a release clears in the struct; −1 if the action is not a release. */
  private final int release;

  ExitAction(int index, long release) {
    this.index = index;
    this.release = (int) release;
  }

  /** Returns the function that replaces the callback. */
  byte[] code(MachineCode machine) {
    if (release >= 0) return machine.clear(release);
    return machine.answer(this == REFUSE ? Errno.ECANCELED : 0);
  }
}
