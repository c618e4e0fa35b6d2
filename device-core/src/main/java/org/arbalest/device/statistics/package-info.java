// SPDX-License-Identifier: Apache-2.0
/**
 * The known properties of an array, without a read of its values: counts, smallest and largest values, in Arrow's
 * schema for statistics.
 *
 * <p>{@link org.arbalest.device.statistics.Statistics} reads an array of statistics from a producer, or computes the
 * statistics of an array. A {@link org.arbalest.device.statistics.StatisticsBuilder} collects statistics from other
 * sources. {@code toArray} converts statistics to an array, which the application exports like any other.
 * {@link org.arbalest.device.statistics.StatisticKeys} has the names that Arrow defines. Statistics are values, and
 * need no release.
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
