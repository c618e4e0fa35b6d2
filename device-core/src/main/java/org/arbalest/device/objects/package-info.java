// SPDX-License-Identifier: Apache-2.0
/**
 * Rows as objects of Java classes.
 *
 * <p>{@link org.arbalest.device.objects.Records} reads the rows of a batch as records, and creates batches from
 * records. A component matches the column with its name, or with the name in
 * {@link org.arbalest.device.objects.ColumnName}. An {@link org.arbalest.device.objects.ExtensionCodec} reads and
 * writes the values of an extension type. An {@link org.arbalest.device.objects.ObjectProvider}, which
 * {@link java.util.ServiceLoader} finds, supports classes that are not records. {@code toList} reads all objects at
 * once: they do not depend on the array, and need no release. {@code rows} reads each object when the caller accesses
 * it, while the array is open.
 *
 * <pre>{@code
 * record Flight(String origin, @ColumnName("dest") String destination, @Nullable Integer delay) {}
 *
 * Records<Flight> flights = Records.of(Flight.class);
 * try (RecordBatch batch = flights.build(Devices.cpu().memory(), List.of(new Flight("LIS", "TXL", 3)))) {
 *   for (Flight flight : flights.toList(batch)) {
 *     System.out.println(flight.origin() + " to " + flight.destination());
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.objects;

import org.jspecify.annotations.NullMarked;
