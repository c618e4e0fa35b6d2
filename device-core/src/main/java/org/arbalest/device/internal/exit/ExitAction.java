// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import org.arbalest.device.Errno;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.c.ArrowSchemaStruct;

/** The action of a callback after the JVM has ended. */
public enum ExitAction {
  NOTHING(0, -1),
  REFUSE(1, -1),
  RELEASE_SCHEMA(2, offsetOfRelease(ArrowSchemaStruct.LAYOUT)),
  RELEASE_ARRAY(3, offsetOfRelease(ArrowArrayStruct.LAYOUT)),
  RELEASE_STREAM(4, offsetOfRelease(ArrowArrayStreamStruct.LAYOUT)),
  RELEASE_DEVICE_STREAM(5, offsetOfRelease(ArrowDeviceArrayStreamStruct.LAYOUT));

  /** The index of the action's function in the page of code. */
  final int index;

  /** The offset of the word that a release clears in the struct; −1 if the action is not a release. */
  private final int release;

  ExitAction(int index, int release) {
    this.index = index;
    this.release = release;
  }

  /** Returns the function that replaces the callback. */
  byte[] code(MachineCode machine) {
    if (release >= 0) return machine.clear(release);
    return machine.answer(this == REFUSE ? Errno.ECANCELED : 0);
  }

  private static int offsetOfRelease(StructLayout struct) {
    return (int) struct.byteOffset(PathElement.groupElement("release"));
  }
}
