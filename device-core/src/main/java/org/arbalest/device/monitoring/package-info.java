// SPDX-License-Identifier: Apache-2.0
/**
 * The current resources of a process, for tests, dashboards and leak reports.
 *
 * <p>{@link org.arbalest.device.monitoring.ResourceCounters} counts arrays, buffers, readers, exports and waits. A
 * {@link org.arbalest.device.monitoring.HandleWatch} lists the open handles and the places that created them. The MX
 * beans provide the same counters, and the statistics of memory pools, to JConsole and to exporters, until their
 * {@link org.arbalest.device.monitoring.MXBeanRegistration} is closed. The counters are always on; their cost is too
 * small to measure.
 *
 * <pre>{@code
 * ResourceCounters before = ResourceCounters.now();
 * runQuery();
 * ResourceCounters left = ResourceCounters.now().since(before);
 * if (!left.isZero()) {
 *   System.out.println("not released: " + left);
 * }
 *
 * try (MXBeanRegistration bean = ResourceCounters.registerMXBean()) {
 *   serve();
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.monitoring;

import org.jspecify.annotations.NullMarked;
