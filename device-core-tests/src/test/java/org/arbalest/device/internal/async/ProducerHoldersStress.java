// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Set;
import org.arbalest.device.DeviceType;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** References to a producer struct of the library. */
public class ProducerHoldersStress {
  private static final AsyncSchema SCHEMA =
      new AsyncSchema(Schema.of(), DeviceType.CPU, Metadata.empty());

  private static final HeldByC STREAM = () -> HeldByC.Kind.PRODUCER;

  /** The extraction of the last task while the stream ends: the last reference frees the struct. */
  @JCStressTest
  @Outcome(id = "true", expect = ACCEPTABLE, desc = "freed")
  @Outcome(expect = FORBIDDEN, desc = "not freed: neither thread found itself to be the last")
  @State
  public static class ExtractWhileEnded {
    private final ProducerHolders holders = new ProducerHolders(STREAM, SCHEMA, Set.of());
    private final long handle = ProducerBlock.handle(holders.block().producer());

    public ExtractWhileEnded() {
      holders.retain(null);
    }

    @Actor
    public void extract() {
      holders.leave(null);
    }

    @Actor
    public void end() {
      holders.leave();
    }

    @Arbiter
    public void look(Z_Result r) {
      r.r1 = Slots.find(handle) == null;
    }
  }
}
