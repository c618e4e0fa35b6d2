// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.maps.shouldContainExactly
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.ArrowAsyncProducerStruct
import org.arbalest.device.c.ArrowAsyncTaskStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import java.lang.foreign.MemoryLayout.PathElement.groupElement
import java.lang.foreign.StructLayout
import java.lang.reflect.Modifier
import kotlin.jvm.optionals.getOrNull

/** Compares the offsets, which are numbers, with the layouts. `AbiLayoutSpec` checks these with a C compiler. */
class RawOffsetsSpec : FunSpec({
    val structs = mapOf(
        RawArrowSchema::class.java to ArrowSchemaStruct.LAYOUT,
        RawArrowArray::class.java to ArrowArrayStruct.LAYOUT,
        RawArrowArrayStream::class.java to ArrowArrayStreamStruct.LAYOUT,
        RawArrowDeviceArray::class.java to ArrowDeviceArrayStruct.LAYOUT,
        RawArrowDeviceArrayStream::class.java to ArrowDeviceArrayStreamStruct.LAYOUT,
        RawArrowAsyncHandler::class.java to ArrowAsyncHandlerStruct.LAYOUT,
        RawArrowAsyncProducer::class.java to ArrowAsyncProducerStruct.LAYOUT,
        RawArrowAsyncTask::class.java to ArrowAsyncTaskStruct.LAYOUT,
    )
    for ((raw, layout) in structs) {
        test("${raw.simpleName} has the offsets and the size of its layout") {
            constants(raw) shouldContainExactly offsets(layout)
        }
    }
})

private fun constants(raw: Class<*>): Map<String, Long> =
    raw.fields.filter { Modifier.isStatic(it.modifiers) }.associate { it.name to it.getLong(null) }

/** Returns the offsets as the constants name them. A struct within the struct, which comes first, has no constant. */
private fun offsets(layout: StructLayout): Map<String, Long> =
    layout.memberLayouts().filter { it !is StructLayout }.mapNotNull { it.name().getOrNull() }
        .associate { it.uppercase() to layout.byteOffset(groupElement(it)) } + ("SIZE" to layout.byteSize())
