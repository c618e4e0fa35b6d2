// SPDX-License-Identifier: Apache-2.0
/**
 * What is known of an array without reading it: counts, smallest and largest values, in Arrow's own schema for them.
 *
 * <p>{@link org.arbalest.device.statistics.Statistics} reads an array of statistics that a producer gave, or computes those of an array. A {@link
 * org.arbalest.device.statistics.StatisticsBuilder} builds such an array, which is then exported as any other. {@link
 * org.arbalest.device.statistics.StatisticKeys} has the names that Arrow defines. Statistics are values: they need no release.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.compute(batch);
 * System.out.println(statistics.whole().rowCount());
 * System.out.println(statistics.column(batch.schema().indexOf("price")).max());
 *
 * try (DeviceArray forC = statistics.toArray()) {
 *   forC.exportArray(arrayOut, schemaOut);
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.statistics;

import org.jspecify.annotations.NullMarked;
