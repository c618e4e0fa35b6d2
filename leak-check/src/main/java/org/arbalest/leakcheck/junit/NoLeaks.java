// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.arbalest.leakcheck.LeakScope;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Fails the test, or each test of the class, if it leaves an array, a stream, an event or memory open. The error names
 * each open resource and the code that created it. See {@link LeakExtension}.
 *
 * <p>If JUnit runs tests in parallel, it runs the annotated ones one after another: they share a {@link ResourceLock}.
 *
 * <p>The counters belong to the whole process: annotate all other tests that create arrays at the same time, too, or
 * mark them {@code @Isolated}.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LeakExtension.class)
@ResourceLock(NoLeaks.RESOURCE_COUNTERS)
public @interface NoLeaks {
  /** The name of the resource that JUnit locks. */
  String RESOURCE_COUNTERS = "org.arbalest.device.monitoring.ResourceCounters";

  /** Returns the code that must leave nothing open. On a method it is always that test, regardless of this value. */
  LeakScope value() default LeakScope.TEST_AND_CLASS;
}
