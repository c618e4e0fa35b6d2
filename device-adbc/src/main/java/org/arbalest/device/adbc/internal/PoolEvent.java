// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.arbalest.device.adbc.AdbcPool;

/** The connections of a pool at one moment. */
@Name("org.arbalest.AdbcPool")
@Label("ADBC Pool")
@Description("The connections of a pool, and the threads that wait for one")
@Category("Arbalest")
@Period("1 s")
@StackTrace(false)
final class PoolEvent extends Event {
  @Label("Pool") String pool = "";

  @Label("Borrowed")
  @Description("Connections that callers use") int borrowed;

  @Label("Idle") int idle;

  @Label("Waiting")
  @Description("Threads that wait for a connection") int waiting;

  @Label("Created") long created;

  @Label("Closed") long closed;

  @Label("Validation Failures") long validationFailures;

  @Label("Connect Failures")
  @Description("Attempts to connect that failed") long connectFailures;

  @Label("Bypassed Checks")
  @Description("Uses of idle connections without a check") long bypassedChecks;

  @Label("Expired")
  @Description("Connections that reached their maximum lifetime") long expired;

  @Label("Idle Timeouts")
  @Description("Connections that reached the idle limit") long idleTimeouts;

  @Label("Leaks")
  @Description("Uses of connections that took longer than the leak threshold") long leaks;

  static void emit(AdbcPool of) {
    AdbcPool.Statistics now = of.statistics();
    var event = new PoolEvent();
    event.pool = of.toString();
    event.borrowed = now.borrowed();
    event.idle = now.idle();
    event.waiting = now.waiting();
    event.created = now.created();
    event.closed = now.closed();
    event.validationFailures = now.validationFailures();
    event.connectFailures = now.connectFailures();
    event.bypassedChecks = now.bypassedChecks();
    event.expired = now.expired();
    event.idleTimeouts = now.idleTimeouts();
    event.leaks = now.leaks();
    event.commit();
  }
}
