// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import java.util.stream.Stream;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A cache to which two threads add values at once. */
public class RecentStress {
  private static final List<Field> SOME = fields("a", "b", "c", "d");
  private static final List<Field> OTHERS = fields("e", "f", "g", "h");

  private static List<Field> fields(String... names) {
    return Stream.of(names).map(name -> Field.of(name, DataType.INT8)).toList();
  }

  /** Each thread gets the values of its own fields, also while the cache is almost empty. */
  @JCStressTest
  @Outcome(id = "abcd, efgh", expect = ACCEPTABLE, desc = "each gets its own values")
  @Outcome(expect = FORBIDDEN, desc = "other values, or none")
  @State
  public static class TwoAdd {
    private final Recent<String> recent = new Recent<>();

    @Actor
    public void some(LL_Result r) {
      r.r1 = values(SOME);
    }

    @Actor
    public void others(LL_Result r) {
      r.r2 = values(OTHERS);
    }

    private String values(List<Field> fields) {
      StringBuilder all = new StringBuilder();
      for (Field field : fields) all.append(recent.get(field, Field::name));
      return all.toString();
    }
  }
}
