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
 * A test, or the tests of a class, fail if they leave an array, a stream, an event or memory open, with what it is, and
 * where it was made. See {@link LeakExtension}.
 *
 * <p>Where JUnit runs tests in parallel, it runs those with this annotation one after another, by a
 * {@link ResourceLock}. What is open is counted for the whole process: others that make arrays at the same time have to
 * be annotated, too, or to be {@code @Isolated}.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LeakExtension.class)
@ResourceLock(NoLeaks.RESOURCE_COUNTERS)
public @interface NoLeaks {
  /** The resource that is locked. */
  String RESOURCE_COUNTERS = "org.arbalest.device.monitoring.ResourceCounters";

  /** What has to leave nothing open; of a method, it is the test, whatever this says. */
  LeakScope value() default LeakScope.TEST_AND_CLASS;
}
