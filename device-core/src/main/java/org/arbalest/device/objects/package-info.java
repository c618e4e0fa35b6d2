// SPDX-License-Identifier: Apache-2.0
/**
 * Rows as objects of Java classes.
 *
 * <p>{@link org.arbalest.device.objects.Records} reads the rows of a batch as records, and builds batches of them; a
 * component is matched to a column by its name, or by {@link org.arbalest.device.objects.ColumnName}. An
 * {@link org.arbalest.device.objects.ExtensionCodec} says how the values of an extension type are read and written; an
 * {@link org.arbalest.device.objects.ObjectProvider}, which {@link java.util.ServiceLoader} finds, makes objects of
 * classes that are no records known. {@code toList} reads all objects now: they have nothing to do with the array any
 * more, and need no release. {@code rows} reads each when it is asked for, while the array is open.
 *
 * <pre>{@code
 * record Flight(String origin, @ColumnName("dest") String destination, @Nullable Integer delay) {}
 *
 * Records<Flight> flights = Records.of(Flight.class);
 * try (DeviceArray batch = flights.build(Devices.cpu().memory(), List.of(new Flight("LIS", "TXL", 3)))) {
 *   for (Flight flight : flights.toList(batch)) {
 *     System.out.println(flight.origin() + " to " + flight.destination());
 *   }
 * }
 * }</pre>
 */
@NullMarked
package org.arbalest.device.objects;

import org.jspecify.annotations.NullMarked;
