// SPDX-License-Identifier: Apache-2.0
/**
 * A small binding to ADBC 1.1, the C interface by which databases hand out and take in Arrow streams.
 *
 * <p>{@link org.arbalest.samples.adbc.AdbcDriver} loads a driver's library, then database, connection and statement
 * follow as in any ADBC program. Streams are the C structs themselves, 40 bytes at an address the caller owns, so that
 * no batch is touched on its way to whoever imports it.
 */
@NullMarked
package org.arbalest.samples.adbc;

import org.jspecify.annotations.NullMarked;
