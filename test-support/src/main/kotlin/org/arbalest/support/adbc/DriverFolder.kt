// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.databases

import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.testkit.SkipWithout
import java.nio.file.Path
import kotlin.io.path.exists

/**
 * Apache's ADBC drivers. No package registry of Java or Node has them, so the property `adbc.drivers` names the folder
 * of `libadbc_driver_NAME.so`. Tests are skipped without it, also with `CI=true`: `.ci/skips` names them.
 */
internal class DriverFolder(private val name: String) {
    private val folder = System.getProperty("adbc.drivers").orEmpty()
    private val file = "libadbc_driver_$name.so"

    private val missing: String? = when {
        folder.isEmpty() -> "no -Dadbc.drivers=FOLDER, which has $file"
        Path.of(folder, file).exists() -> null
        else -> "the folder $folder has no $file"
    }

    /** Skips each test if the driver, or what [also] names, is missing. */
    fun needed(also: () -> String? = { null }): SkipWithout = SkipWithout { missing ?: also() }

    /** The driver, found like that of any application: in a folder of drivers, by its file name. */
    val driver: AdbcDriver by lazy { AdbcDriver.load(Path.of(folder, file)) }
}
