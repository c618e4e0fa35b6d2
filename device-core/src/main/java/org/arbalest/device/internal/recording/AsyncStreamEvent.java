// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** The state of an async stream at one moment. */
@Name("org.arbalest.AsyncStream")
@Label("Async Stream")
@Description("The number of tasks of an async stream that wait, and the number of further requested tasks")
@Category("Arbalest")
@Period("1 s")
@StackTrace(false)
final class AsyncStreamEvent extends Event {
  @Label("Stream")
  @Description("The number of the stream among the open streams") long stream;

  @Label("Role")
  @Description("consumer or producer, as which this process takes part") String role = "";

  @Label("Queued")
  @Description("Tasks that wait for the subscriber; of a producer, "
      + "those that were announced and not extracted") long queued;

  @Label("Demand")
  @Description("Tasks that were requested and have not arrived") long demand;

  static void emit(long stream, String role, long queued, long demand) {
    AsyncStreamEvent event = new AsyncStreamEvent();
    event.stream = stream;
    event.role = role;
    event.queued = queued;
    event.demand = demand;
    event.commit();
  }
}
