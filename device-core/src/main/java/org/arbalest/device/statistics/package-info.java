// SPDX-License-Identifier: Apache-2.0
/**
 * What is known of an array without reading it: counts, smallest and largest values, in Arrow's own schema for them.
 *
 * <p>{@link org.arbalest.device.statistics.Statistics} reads an array of statistics that a producer gave, or computes
 * those of an array. A {@link org.arbalest.device.statistics.StatisticsBuilder} takes what is known from elsewhere.
 * {@code toArray} makes an array of them, which is exported as any other. {@link
 * org.arbalest.device.statistics.StatisticKeys} has the names that Arrow defines. Statistics are values: they need no
 * release.
 *
 * <pre>{@code
 * Statistics statistics = Statistics.compute(batch);
 * System.out.println(statistics.whole().rowCount());
 * System.out.println(statistics.column(Statistics.columnIndex(batch.schema(), "price")).max());
 *
 * try (DeviceArray forC = statistics.toArray()) {
 *   CData.exportArray(forC, arrayOut, CExport.DATA.schemaTo(schemaOut));
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.statistics;

import org.jspecify.annotations.NullMarked;
