// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A reference count with a race. A stress run that does not fail on it cannot find other races either. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "freed once")
@Outcome(expect = FORBIDDEN, desc = "freed twice, or never")
@State
public class PlantedRace {
  private int holders = 2;
  private int freed;

  private void release() {
    holders--;
    if (holders == 0) freed++;
  }

  @Actor
  public void one() {
    release();
  }

  @Actor
  public void other() {
    release();
  }

  @Arbiter
  public void look(I_Result r) {
    r.r1 = freed;
  }
}
