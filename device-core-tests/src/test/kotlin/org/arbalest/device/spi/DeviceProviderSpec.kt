// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.maps.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.ArrayData
import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStatus
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.ext.ExtMemory
import org.arbalest.device.ext.PHANTOM
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind.DEVICE_ARRAY
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.net.URLClassLoader
import java.nio.file.Files

/** An application's own backend, and broken ones: those in ext/ExtBackend.kt. */
class DeviceProviderSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val host by lazy { Devices.device(DeviceType.WEBGPU, 0) }
    val phantom by lazy { Devices.device(DeviceType.WEBGPU, 1) }

    lateinit var arena: Arena
    beforeTest { arena = Arena.ofConfined() }
    afterTest {
        arena.close()
        ExtMemory.room.set(Int.MAX_VALUE)
        ExtMemory.live.shouldBeEmpty()
        ExtMemory.wrongFrees.shouldBeEmpty()
    }

    fun struct(): MemorySegment = arena.allocate(ArrowDeviceArrayStruct.LAYOUT).fill(0xA5.toByte())

    fun batch(device: Device): RecordBatch = BatchBuilder.of(device, 4).use { builder ->
        builder.int64("id", longArrayOf(10, 20, 30, 40)).utf8("name", listOf("a", null, "c".repeat(500), ""))
        builder.column(Field.of("tags", NestedType.ListType(Field.of("item", DataType.UTF8)))).run {
            items().append("x").append("y").append("z")
            appendList(1).appendNull().appendList(2).appendList(0)
        }
        builder.build()
    }

    /** Returns a batch of two int64 and two views with two variadic buffers, in memory that the CPU cannot access. */
    fun phantomBatch(): RecordBatch {
        val ints = ArrayData.of(2, 0, listOf(null, phantom.allocate(16)))
        val views = ArrayData.of(
            2, -1, listOf(phantom.allocate(1), phantom.allocate(32), phantom.allocate(700), phantom.allocate(0)),
        )
        val schema = Schema.of(Field.of("id", DataType.INT64), Field.of("text", FlatType.Utf8ViewType()))
        return RecordBatch.of(schema, ArrayData.of(2, 0, listOf(null), listOf(ints, views)))
    }

    test(
        "an application's own backend builds a batch on WEBGPU, and a C thread reads and frees it [DEV-09]",
    ) {
        val array = struct()
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        val onCpu = struct()
        CData.exportArray(batch(host), array, CExport.DEVICE.schemaTo(schema))
        CData.exportArray(batch(Devices.cpu()), onCpu, CExport.DEVICE)
        RawArrowDeviceArray.deviceType(array.address()) shouldBe 15
        RawArrowDeviceArray.deviceId(array.address()) shouldBe 0
        PeerNodes.checksum(array, schema) shouldBe PeerNodes.checksum(onCpu, schema)
        ExtMemory.live.size shouldBeGreaterThan 5
        PeerMoves.releaseOnThread(array, DEVICE_ARRAY)
        ExtMemory.live.shouldBeEmpty()
        PeerMoves.release(onCpu, DEVICE_ARRAY)
        CData.importSchema(schema)
    }

    test("an array from C on WEBGPU uses the application's backend, and is read if the CPU can [DEV-09]") {
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerStreams.batch(array, firstId = 0, rows = 10)
        val wrapped = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        PeerNodes.deviceArray(wrapped, array, deviceId = 0, deviceType = 15)
        CData.importBatch(
            wrapped, CImport.DEVICE.schema(Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8))),
        ).use {
            it.device() shouldBeSameInstanceAs host
            it.column("id").toLongArray().sum() shouldBe 45
        }
    }

    test("each device is opened once [DEV-09]") {
        repeat(3) { Devices.device(DeviceType.WEBGPU, 0) shouldBeSameInstanceAs host }
        phantom.isOpaque shouldBe false
        ExtMemory.opened.toList() shouldContainExactlyInAnyOrder listOf(0L, 1L)
    }

    test(
        "only the buffers are on the device: structs, lists and the sizes of variadic buffers are CPU memory [DEV-01]",
    ) {
        val array = phantomBatch()
        array.column("text").length() shouldBe 2
        val out = struct()
        CData.exportArray(array, out, CExport.DEVICE)
        val text = RawArrowArray.child(out.address(), 1)
        RawArrowArray.nBuffers(text) shouldBe 5
        for (i in 0L..3L) (RawArrowArray.buffer(text, i) >= PHANTOM) shouldBe true
        val sizes = MemorySegment.ofAddress(RawArrowArray.buffer(text, 4)).reinterpret(16)
        sizes.toArray(JAVA_LONG) shouldBe longArrayOf(700, 0)
        PeerMoves.releaseMoved(out, DEVICE_ARRAY)
    }

    test("no export, import, slice, child or release touches a buffer [DEV-01]") {
        val out = struct()
        val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
        CData.exportArray(phantomBatch(), out, CExport.DEVICE.schemaTo(schema))
        CData.importBatch(out, CImport.DEVICE.schema(schema)).use { array ->
            array.device() shouldBeSameInstanceAs phantom
            array.slice(1, 1).use { slice ->
                slice.retainChild(1).use { it.length() shouldBe 1 }
                val again = struct()
                CData.exportArray(slice.retain(), again, CExport.DEVICE)
                PeerMoves.releaseOnThread(again, DEVICE_ARRAY)
            }
            shouldThrow<DeviceException> { array.column("id").getLong(0) }.message!! shouldContain
                "WEBGPU:1, whose memory the CPU cannot read"
        }
    }

    test(
        "memory that the CPU cannot access has no segment, and the driver must copy a batch into it [DEV-01]",
    ) {
        phantom.isCpuAccessible shouldBe false
        phantom.allocate(8).use { buffer ->
            (buffer.address() >= PHANTOM) shouldBe true
            shouldThrow<DeviceException> { buffer.segment() }.errno() shouldBe Errno.ENOSYS
        }
        val error = shouldThrow<DeviceException> {
            BatchBuilder.of(phantom, 1).use { it.int64("id", longArrayOf(1)).build() }
        }
        error.message!! shouldContain "extCopy on WEBGPU:1 failed"
    }

    test("buffers on two devices are rejected before any export, and the caller still owns them [DEV-08]") {
        val buffers = listOf(host.allocate(16), Devices.cpu().allocate(16), phantom.allocate(16), phantom.allocate(16))
        fun pair(a: Int, b: Int) =
            ArrayData.of(2, 0, listOf(null), listOf(a, b).map { ArrayData.of(2, 0, listOf(null, buffers[it])) })
        val schema = Schema.of(Field.of("a", DataType.INT64), Field.of("b", DataType.INT64))
        for ((a, b) in listOf(0 to 1, 1 to 0, 0 to 2, 2 to 1)) {
            shouldThrow<IllegalArgumentException> { RecordBatch.of(schema, pair(a, b)) }
                .message!! shouldContain "on ${buffers[a].device()} and ${buffers[b].device()}"
        }
        val oneField = Schema.of(listOf(Field.of("a", DataType.INT64)))
        val mixed = ArrayData.of(2, 0, listOf(null), listOf(ArrayData.of(2, 0, listOf(buffers[0], buffers[1]))))
        shouldThrow<IllegalArgumentException> { RecordBatch.of(oneField, mixed) }
        RecordBatch.of(schema, pair(2, 3)).close()
        buffers.take(2).forEach { it.address() }
        buffers.forEach { it.close() }
    }

    test("the caller still owns its buffers if no array can be created from them [OWN-08]") {
        val buffer = host.allocate(16)
        val other = host.allocate(16)
        val schema = Schema.of(Field.of("a", DataType.INT64), Field.of("b", DataType.INT64))
        fun of(rows: Long, nulls: Long, vararg buffers: DeviceBuffer) =
            RecordBatch.of(schema,
                ArrayData.of(rows, 0, listOf(null), buffers.map { ArrayData.of(rows, nulls, listOf(null, it)) }),
            )
        shouldThrow<IllegalStateException> { of(2, 0, buffer, buffer) }.message!! shouldContain "given twice"
        shouldThrow<DeviceException> { of(3, 0, buffer, other) }.message!! shouldContain
            "$.a: the values need 24 bytes, but buffers[1] has 16"
        shouldThrow<DeviceException> { of(2, 1, buffer, other) }.message!! shouldContain
            "$.a: null_count = 1, but there is no validity bitmap"
        of(2, 0, buffer, other).close()
        shouldThrow<IllegalStateException> { of(2, 0, buffer, other) }.message!! shouldContain "closed, moved"
    }

    test("a batch whose driver runs out of memory leaves nothing, and throws the driver's error [DEV-14]") {
        var needed = 0
        while (true) {
            ExtMemory.room.set(needed)
            val error = runCatching { batch(host) }.onSuccess { it.close() }.exceptionOrNull() ?: break
            error.shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.ENOMEM
            error.message!! shouldContain "extAlloc on WEBGPU failed"
            ExtMemory.live.shouldBeEmpty()
            Held.now().buffers() shouldBe 0
            needed++
        }
        needed shouldBeGreaterThan 8
    }

    test("a device without a backend is unavailable, and the answer contains the reason [DEV-13]") {
        val answer = Devices.availability(DeviceType(42)).shouldBeInstanceOf<Availability.Missing>()
        answer.reason() shouldContain "no backend for DEVICE_TYPE_42"
        val error = shouldThrow<DeviceException> { Devices.device(DeviceType(42), 0) }
        error.errno() shouldBe Errno.ENOSYS
        error.message!! shouldContain "DEVICE_TYPE_42:0 is unavailable, because no backend"
        error.message!! shouldNotContain "add "
    }

    test("a backend without its service file, as in a merged jar, is reported as such [DEV-13]") {
        val folder = tempdir().toPath()
        val provider = folder.resolve("org/arbalest/device/rocm/RocmProvider.class")
        Files.createFile(Files.createDirectories(provider.parent).resolve(provider.fileName))
        val thread = Thread.currentThread()
        val before = thread.contextClassLoader
        URLClassLoader(arrayOf(folder.toUri().toURL())).use { merged ->
            thread.contextClassLoader = merged
            try {
                shouldThrow<DeviceException> { Devices.device(DeviceType.ROCM, 0) }.message!! shouldContain
                    "no backend for ROCM was found on the class path or module path: the classes of " +
                    "arbalest-device-rocm are there, but no file META-INF/services/" +
                    "org.arbalest.device.spi.DeviceProvider names them"
                shouldThrow<DeviceException> { Devices.device(DeviceType.CUDA, 0) }.message!! shouldContain "add "
            } finally {
                thread.contextClassLoader = before
            }
        }
    }

    test("a device with a backend of this project names the artifact [DEV-13]") {
        for ((type, artifact) in mapOf(
            DeviceType.CUDA to "arbalest-device-cuda",
            DeviceType.OPENCL to "arbalest-device-opencl",
            DeviceType.ROCM to "arbalest-device-rocm",
        )) {
            shouldThrow<DeviceException> { Devices.device(type, 0) }.message!! shouldContain
                "no backend for $type was found on the class path or module path: add org.arbalest:$artifact"
        }
    }

    test("availability and its reason are readable as text [DEV-13]") {
        Availability.Ready(1).toString() shouldBe "1 device"
        Availability.Ready(2).toString() shouldBe "2 devices"
        Availability.Ready(0).toString() shouldBe "no device"
        Availability.Missing("it is not").toString() shouldBe "unavailable, because it is not"
        DeviceStatus(DeviceType.CPU, Availability.Ready(1), listOf("a fast one")).toString() shouldBe
            "CPU: 1 device (a fast one)"
        DeviceStatus(DeviceType.CUDA, Availability.Missing("it is not"), listOf()).toString() shouldBe
            "CUDA: unavailable, because it is not"
    }

    test(
        "a backend that fails to load is reported with its cause, and other backends still work [DEV-13]",
    ) {
        val reason = Devices.availability(DeviceType.METAL).shouldBeInstanceOf<Availability.Missing>().reason()
        for (words in listOf(
            "NotThere",
            "ThrowingProvider",
            "no driver today",
            "UnlinkedProvider",
            "com/example/vulkan/Runtime",
            "TypelessProvider",
        )) {
            reason shouldContain words
        }
        Devices.availability(DeviceType.CPU) shouldBe Availability.Ready(1)
        Devices.availability(DeviceType.WEBGPU) shouldBe Availability.Ready(2)
    }

    test("a backend without its driver reports this, also if the search for the driver fails [DEV-13]") {
        shouldThrow<DeviceException> { Devices.device(DeviceType.ONEAPI, 0) }.message!! shouldContain
            "ONEAPI:0 is unavailable, because libze_loader.so.1 was not found"
        shouldThrow<DeviceException> { Devices.device(DeviceType.VPI, 0) }.message!! shouldContain "libvpi.so.3"
    }

    test("a device number beyond the existing ones is unavailable [DEV-13]") {
        shouldThrow<DeviceException> { Devices.device(DeviceType.WEBGPU, 2) }.message!! shouldContain
            "WEBGPU:2 is unavailable, because there are 2 devices of WEBGPU, counted from 0"
        shouldThrow<DeviceException> { Devices.device(DeviceType.WEBGPU, -1) }.errno() shouldBe Errno.ENOSYS
        ExtMemory.opened.distinct().filter { it !in 0L..1L }.shouldBeEmpty()
    }

    test(
        "a device that cannot be opened is an error; an array on it is opaque and can be released [DEV-14, DEV-18]",
    ) {
        shouldThrow<DeviceException> { Devices.device(DeviceType.HEXAGON, 0) }.message!! shouldContain
            "hexOpen on HEXAGON:0 failed: HEX_BUSY (7)"
        val array = arena.allocate(ArrowArrayStruct.LAYOUT)
        PeerStreams.batch(array, firstId = 0, rows = 1)
        val wrapped = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
        PeerNodes.deviceArray(wrapped, array, deviceId = 0, deviceType = 16)
        val schema = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8))
        CData.importArray(wrapped, CImport.DEVICE.schema(schema)).use {
            it.device().isOpaque shouldBe true
            val error = shouldThrow<DeviceException> { it.copyTo(Devices.cpu()) }
            error.message!! shouldContain "HEXAGON:0 is unavailable, because hexOpen on HEXAGON:0 failed: HEX_BUSY (7)"
        }
        CPeer.counts().releaseCalls shouldBe 3
    }
})
