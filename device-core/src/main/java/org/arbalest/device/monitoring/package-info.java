// SPDX-License-Identifier: Apache-2.0
/**
 * What a process holds at the moment, for tests, dashboards and leak reports.
 *
 * <p>{@link org.arbalest.device.monitoring.ResourceCounters} counts arrays, buffers, readers, exports and waits. A
 * {@link org.arbalest.device.monitoring.HandleWatch} knows which handles are open, and where they were made. The MX
 * beans give the same numbers, and those of memory pools, to JConsole and to exporters, until their {@link
 * org.arbalest.device.monitoring.MXBeanRegistration} is closed. Counting costs nothing that could be measured, and is
 * always on.
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
