// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.ArrowDeviceArrayStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.leakcheck.junit.LeakExtension;
import org.arbalest.leakcheck.junit.NoLeaks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests that JUnitLeakSpec runs. Some leave resources open. */
final class Checked {
  /** Resources that the tests left open. The spec closes them. */
  static final List<AutoCloseable> LEFT = new ArrayList<>();

  private Checked() {}

  static RecordBatch make() {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 1)) {
      return builder.int32("n", new int[] {1}).build();
    }
  }

  private static void leave(AutoCloseable left) {
    LEFT.add(left);
  }

  @NoLeaks
  static class Each {
    @Test
    void closes() {
      make().close();
    }

    @Test
    void leavesAnArray() {
      leave(make());
    }

    @Test
    void leavesABuffer() {
      leave(Devices.cpu().allocate(100));
    }

    @Test
    void leavesThree() {
      leave(Devices.cpu().createStream());
      RecordBatch array = make();
      leave(array);
      leave(array.slice(0, 1));
      make().close();
    }

    @Test
    void leavesAnExport() {
      MemorySegment out = Arena.global().allocate(ArrowDeviceArrayStruct.LAYOUT);
      RecordBatch array = make();
      leave(() -> CData.importArray(out, CImport.DEVICE.schema(array.field())).close());
      CData.exportArray(array, out, CExport.DEVICE);
    }

    @Test
    void failsAnyway() {
      leave(make());
      throw new UnsupportedOperationException("its own");
    }
  }

  /** Fixtures: a test includes what its BeforeEach opens, and the class includes what BeforeAll opens. */
  @NoLeaks
  static class Fixtures {
    private static RecordBatch shared;
    private RecordBatch own;

    @BeforeAll
    static void open() {
      shared = make();
    }

    @AfterAll
    static void close() {
      shared.close();
    }

    @BeforeEach
    void openOwn() {
      own = make();
    }

    @AfterEach
    void closeOwn() {
      own.close();
    }

    @Test
    void uses() {
      own.retain().close();
      shared.retain().close();
    }
  }

  @NoLeaks
  static class SetUp {
    @BeforeAll
    static void open() {
      leave(make());
    }

    @Test
    void closes() {
      make().close();
    }

    @Nested
    class Inner {
      @Test
      void leavesToo() {
        leave(Devices.cpu().createStream());
      }
    }
  }

  /** Tests of which one passes an array to the next. */
  @NoLeaks(LeakScope.CLASS)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class Together {
    private static RecordBatch handedOn;

    @Test
    @Order(1)
    void opens() {
      handedOn = make();
    }

    @Test
    @Order(2)
    void closes() {
      handedOn.close();
    }
  }

  static class OneMethod {
    @Test
    @NoLeaks
    void leaves() {
      leave(make());
    }

    @Test
    void leavesUnasked() {
      leave(make());
    }
  }

  /** A class whose methods have annotations that override the class's. */
  @NoLeaks(LeakScope.CLASS)
  static class OneOfClass {
    @Test
    @NoLeaks
    void leaves() {
      leave(make());
    }

    @Test
    @Tests
    void leavesByComposed() {
      leave(make());
    }
  }

  @NoLeaks(LeakScope.TEST)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Tests {}

  @NoLeaks(LeakScope.CLASS)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Classes {}

  @Classes
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class ComposedTogether {
    private static RecordBatch handedOn;

    @Test
    @Order(1)
    void opens() {
      handedOn = make();
    }

    @Test
    @Order(2)
    void closes() {
      handedOn.close();
    }
  }

  @ExtendWith(LeakExtension.class)
  static class ByExtension {
    @Test
    void closes() {
      make().close();
    }
  }
}
