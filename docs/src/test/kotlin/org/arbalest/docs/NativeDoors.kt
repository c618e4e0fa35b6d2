// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.ProcessExit
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool

/**
 * A program that makes each call that can be an application's first native call. It makes the calls twice, the second
 * time on another thread, and prints the exception of each. If native access is enabled, it prints that it works. With
 * arguments, it requests the devices with these names instead.
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
    private val nobody = Flow.Publisher<RecordBatch> {}

    private val doors = mapOf<String, () -> Any?>(
        "exportSchema" to { CData.exportSchema(field, schemaStruct) },
        "importSchema" to { CData.importSchema(schemaStruct) },
        "importArray" to { CData.importBatch(array, CImport.DATA.schema(schema)) },
        "importArray with its schema" to { CData.importBatch(array, CImport.DATA.schema(schemaStruct)) },
        "importArray of a device" to { CData.importArray(deviceArray, CImport.DEVICE.schema(schema)) },
        "importArray of a device with its schema" to {
            CData.importArray(deviceArray, CImport.DEVICE.schema(schemaStruct))
        },
        "importStream" to { CData.importStream(stream, CImport.DATA) },
        "importStream of a device" to { CData.importStream(deviceStream, CImport.DEVICE) },
        "exportStream" to { CData.exportStream(RecordBatchReader.of(schema, listOf()), stream, CExport.DATA) },
        "exportStream of a device" to {
            CData.exportStream(RecordBatchReader.of(schema, listOf()), deviceStream, CExport.DEVICE)
        },
        "importAsyncStream" to { CData.importAsyncStream(CImport.DEVICE) {} },
        "exportAsyncStream" to {
            CData.exportAsyncStream(AsyncProducer.of(AsyncSchema.of(schema, DeviceType.CPU), nobody), handler,
                ForkJoinPool.commonPool(), CExport.DEVICE)
        },
        "exportAsyncStream of a reader" to {
            CData.exportAsyncStream(AsyncProducer.of(RecordBatchReader.of(schema, listOf()), Metadata.empty()), handler,
                ForkJoinPool.commonPool(), CExport.DEVICE)
        },
        "exportAsyncStream of a failure" to {
            CData.exportAsyncStream(AsyncProducer.failed(RuntimeException()), handler, Runnable::run, CExport.DEVICE)
        },
        "RecordBatch.of" to { DeviceArray.of(Field.of("none", DataType.NULL), ArrayData.of(3, 3, listOf())) },
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
            repeat(2) {
                println("$kind: ${runCatching { Devices.device(type, 0) }.exceptionOrNull()?.words() ?: "open"}")
            }
            println("$kind is ${Devices.availability(type)}")
        }
        if (args.isNotEmpty()) return
        if (runCatching { Devices.cpu() }.isSuccess) {
            BatchBuilder.of(Devices.cpu(), 1).use { it.int32("n", intArrayOf(41)).build() }.use {
                CData.exportArray(it, array, CExport.DATA)
            }
            CData.importBatch(array, CImport.DATA.schema(schema)).use {
                println("works: ${it.column("n").getInt(0)}")
            }
            return
        }
        knock()
        Thread.ofPlatform().start { knock() }.join()
        print(Devices.describe())
        ProcessExit.exit(3)
    }
}
