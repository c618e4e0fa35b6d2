// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import io.kotest.core.spec.style.FunSpec
import org.arbalest.device.Device
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.interop.adbc.DuckDbJdbcValidationSpec
import org.arbalest.interop.adbc.FaultyValidationSpec
import org.arbalest.interop.arrowcpp.AceroSpec
import org.arbalest.interop.arrowcpp.ArrowCppEngine
import org.arbalest.interop.arrowcpp.ArrowCppSpec
import org.arbalest.interop.duckdb.DuckDbJdbcSpec
import org.arbalest.interop.duckdb.DuckDbNpmSpec
import org.arbalest.interop.vortex.VortexSpec
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.check.Plant
import org.arbalest.support.check.oneFailureContract
import org.arbalest.support.check.plants
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Gate

/** Tests that one failing or leaking test of the contract suites for engines and drivers is reported once. */
class InteropOneFailureSoakSpec : FunSpec({
    val few = plants(Cpu).drop(1)
    val kept = Plant("leak of batches that Arrow C++ keeps", "still open after") {
        val int64 = Types.all.first { it.name == "int64" }
        Batches.stream(int64) { if (it < 2) Batches.built(int64, 10 * it, 10) else null }.asStruct {
            ArrowCppEngine.take(it, int64)
        }
    }
    val database = Plant("leak of a database", "the driver has 1 more databases than before") {
        AdbcDriver.load(FaultyDriver.full.file).open(mapOf<String, Any>())
    }

    include(oneFailureContract(few + kept, ::ArrowCppSpec))
    include(oneFailureContract(few + database, ::FaultyValidationSpec))
    for (suite in listOf(::AceroSpec, ::VortexSpec, ::DuckDbJdbcSpec, ::DuckDbNpmSpec, ::DuckDbJdbcValidationSpec)) {
        include(oneFailureContract(few, suite))
    }
})

private object Cpu : Backend {
    override val device: Device = Devices.cpu()

    override fun gate(stream: DeviceStream): Gate? = null
}
