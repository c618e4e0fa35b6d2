// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import org.arbalest.testkit.SkipWithout
import java.nio.file.Path
import kotlin.io.path.exists

/**
 * Apache's ADBC drivers. No package registry of Java or Node has them, so the property `adbc.drivers` names the folder
 * of `libadbc_driver_NAME.so`. Tests are skipped without it, also with `CI=true`: `.ci/skips` names them.
 */
class DriverFolder(name: String) {
    private val folder = System.getProperty("adbc.drivers").orEmpty()
    private val file = "libadbc_driver_$name.so"

    private val missing: String? = when {
        folder.isEmpty() -> "no -Dadbc.drivers=FOLDER, which has $file"
        Path.of(folder, file).exists() -> null
        else -> "the folder $folder has no $file"
    }

    /** Skips each test if the driver, or what [also] names, is missing. */
    fun needed(also: () -> String? = { null }): SkipWithout = SkipWithout { missing ?: also() }

    /** The library. */
    val library: Path get() = Path.of(folder, file)
}
