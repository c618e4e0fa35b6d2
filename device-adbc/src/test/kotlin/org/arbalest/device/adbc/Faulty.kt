// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.support.adbc.FaultyDriver

/** The faulty driver, loaded as a driver. */
object Faulty {
    val c: FaultyDriver get() = FaultyDriver.full

    val driver: AdbcDriver by lazy { AdbcDriver.load(c.file) }

    /** The same in its 1.0.0 form. */
    val old: AdbcDriver by lazy { AdbcDriver.load(c.file, "AdbcFaultyOldInit") }

    /** A connection to a database of its own, whose table `t` has ten rows. */
    fun <T> connected(driver: AdbcDriver = this.driver, block: (AdbcConnection) -> T): T =
        driver.open(mapOf<String, Any>()).use { database -> database.connect().use(block) }
}
