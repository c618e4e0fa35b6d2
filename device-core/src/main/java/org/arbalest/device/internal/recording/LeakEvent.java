// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A watched handle that became unreachable while it was open. */
@Name("org.arbalest.Leak")
@Label("Leak")
@Description("A handle became unreachable while it was open; -Dorg.arbalest.leaks selects the handles that are watched")
@Category("Arbalest")
@StackTrace(false)
final class LeakEvent extends Event {
  @Label("What") String what = "";

  @Label("Made")
  @Description("The thread and the stack that created the handle") String made = "";
}
