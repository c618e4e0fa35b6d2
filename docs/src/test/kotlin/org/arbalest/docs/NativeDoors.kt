// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.ProcessExit
import org.arbalest.device.abi.ArrowArrayStreamStruct
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowAsyncHandlerStruct
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.ArrowSchemaStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool

/**
 * Calls whatever can be called first, twice, the second time on another thread, and prints what each throws; where C may be called, it says that it works. With
 * arguments it asks for the devices that they name instead.
 */
internal object NativeDoors {
    private val arena = Arena.global()
    private val field = Field.of("n", DataType.INT32)
    private val schema = Schema.of(field)
    private val array = arena.allocate(ArrowArrayStruct.LAYOUT)
    private val deviceArray = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
    private val schemaStruct = arena.allocate(ArrowSchemaStruct.LAYOUT)
    private val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
    private val deviceStream = arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT)
    private val handler = arena.allocate(ArrowAsyncHandlerStruct.LAYOUT)
    private val nobody = Flow.Publisher<DeviceArray> {}

    private val doors = mapOf<String, () -> Any?>(
        "field.exportSchema" to { field.exportSchema(schemaStruct) },
        "schema.exportSchema" to { schema.exportSchema(schemaStruct) },
        "AsyncArrayStream.connect" to { AsyncArrayStream.connect {} },
        "reader.exportStream" to { DeviceArrayReader.of(schema, listOf()).exportStream(stream) },
        "reader.exportDeviceArrayStream" to { DeviceArrayReader.of(schema, listOf()).exportDeviceArrayStream(deviceStream) },
        "DeviceArray.of" to { DeviceArray.of(Field.of("none", DataType.NULL), ArrayData.of(3, 3, listOf())) },
        "importArray" to { DeviceArray.importArray(array, schema) },
        "importArray with its schema" to { DeviceArray.importArray(array, schemaStruct) },
        "importDeviceArray" to { DeviceArray.importDeviceArray(deviceArray, schema) },
        "importDeviceArray with its schema" to { DeviceArray.importDeviceArray(deviceArray, schemaStruct) },
        "Schema.importSchema" to { Schema.importSchema(schemaStruct) },
        "importStream" to { DeviceArrayReader.importStream(stream) },
        "importDeviceArrayStream" to { DeviceArrayReader.importDeviceArrayStream(deviceStream) },
        "AsyncProducer.produce" to { AsyncProducer.produce(handler, AsyncSchema.of(schema, DeviceType.CPU), nobody, ForkJoinPool.commonPool()) },
        "AsyncProducer.produce of a reader" to {
            AsyncProducer.produce(handler, DeviceArrayReader.of(schema, listOf()), Metadata.empty(), ForkJoinPool.commonPool())
        },
        "importArray by addresses" to { DeviceArray.importArray(array.address(), schemaStruct.address()) },
        "importStream by an address" to { DeviceArrayReader.importStream(stream.address()) },
        "reader.exportStream to an address" to { DeviceArrayReader.of(schema, listOf()).exportStream(stream.address()) },
        "AsyncProducer.refuse" to { AsyncProducer.refuse(handler, RuntimeException()) },
        "a struct's field" to { ArrowArrayStruct.length(array.address()) },
        "Devices.cpu" to { Devices.cpu() },
        "Devices.device" to { Devices.device(DeviceType.CPU, 0) },
    )

    private fun Throwable.words() = "${javaClass.name}: $message" + (cause?.let { ", by $it" } ?: "")

    private fun knock() {
        for ((name, door) in doors) println("$name: " + (runCatching { door() }.exceptionOrNull()?.words() ?: "open"))
    }

    @JvmStatic
    fun main(args: Array<String>) {
        for (kind in args) {
            val type = mapOf("CUDA" to DeviceType.CUDA, "OPENCL" to DeviceType.OPENCL).getValue(kind)
            repeat(2) { println("$kind: ${runCatching { Devices.device(type, 0) }.exceptionOrNull()?.words() ?: "open"}") }
            println("$kind is ${Devices.availability(type)}")
        }
        if (args.isNotEmpty()) return
        if (runCatching { Devices.cpu() }.isSuccess) {
            Devices.cpu().batchBuilder(1).use { it.int32("n", intArrayOf(41)).build() }.use { it.exportArray(array) }
            DeviceArray.importArray(array, schema).use { println("works: ${it.column("n").getInt(0)}") }
            return
        }
        knock()
        Thread.ofPlatform().start { knock() }.join()
        print(Devices.describe())
        ProcessExit.exit(3)
    }
}
