// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.support.adbc.FaultyDriver

/** The simulated driver of test-support, loaded as an ADBC driver. */
object Faulty {
    val c: FaultyDriver get() = FaultyDriver.full

    val driver: AdbcDriver by lazy { AdbcDriver.load(c.file) }

    /** The same driver as a driver of ADBC 1.0.0. */
    val old: AdbcDriver by lazy { AdbcDriver.load(c.file, "AdbcFaultyOldInit") }

    /** The same driver as a driver of the draft of ADBC 1.2.0. */
    val draft: AdbcDriver by lazy { driver.request(AdbcVersion.V1_2_0) }

    /** Runs [block] with a connection to a new database, whose table `t` has ten rows. */
    fun <T> connected(driver: AdbcDriver = this.driver, block: (AdbcConnection) -> T): T =
        driver.open(mapOf<String, Any>()).use { database -> database.connect().use(block) }
}
