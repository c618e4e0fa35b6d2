// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.AdbcVersion
import org.arbalest.support.CCompiler
import org.arbalest.support.adbc.FaultyDriver
import java.lang.foreign.MemoryLayout.PathElement.groupElement
import java.lang.foreign.StructLayout

class DriverTableSpec : FunSpec({
    val needed = listOf(CCompiler.commandNeeded)

    test("the structs of adbc.h have the layout that a C compiler gives them [ADB-01]").config(extensions = needed) {
        val c = FaultyDriver.full.layout.lines().filter(String::isNotBlank).associate { line ->
            line.split(' ').let { it[0] to it[1].toLong() }
        }
        val ours = buildMap {
            for (struct in listOf(ErrorStruct.LAYOUT, PartitionsStruct.LAYOUT, Signatures.Detail.LAYOUT))
                putAll(offsets(struct))
            put("AdbcDriver", AdbcFunction.sizeOfTable(AdbcVersion.V1_1_0))
            put("AdbcDraftDriver", AdbcFunction.sizeOfTable(AdbcVersion.V1_2_0))
            for (function in AdbcFunction.entries) {
                val table = if (function.since() == AdbcVersion.V1_2_0) "AdbcDraftDriver" else "AdbcDriver"
                put("$table.${function.member()}", function.offset())
            }
        }
        ours.filter { (name, offset) -> c[name] != offset }.toList().shouldBeEmpty()
        (c.keys.filter {
            it.substringBefore('.') in
                setOf("AdbcError", "AdbcErrorDetail", "AdbcPartitions", "AdbcDriver", "AdbcDraftDriver")
        } - ours.keys).toSet() shouldBe
            setOf("AdbcDriver.private_data", "AdbcDriver.private_manager", "AdbcDriver.release")
    }

    test("the table of each version is the first part of the next one [ADB-01]") {
        AdbcFunction.sizeOfTable(AdbcVersion.V1_2_0) shouldBe 528
        AdbcFunction.STATEMENT_REQUEST_SCHEMA.since() shouldBe AdbcVersion.V1_2_0
        AdbcFunction.STATEMENT_SET_OPTION_INT.since() shouldBe AdbcVersion.V1_1_0
        AdbcFunction.sizeOfTable(AdbcVersion.V1_0_0) shouldBe 232
        AdbcFunction.sizeOfTable(AdbcVersion.V1_1_0) shouldBe 464
        AdbcFunction.STATEMENT_SET_SUBSTRAIT_PLAN.since() shouldBe AdbcVersion.V1_0_0
        AdbcFunction.ERROR_GET_DETAIL_COUNT.since() shouldBe AdbcVersion.V1_1_0
    }
})

private fun offsets(struct: StructLayout): Map<String, Long> {
    val name = struct.name().get()
    return struct.memberLayouts().mapNotNull { it.name().orElse(null) }
        .associate { "$name.$it" to struct.byteOffset(groupElement(it)) } + (name to struct.byteSize())
}
