// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import org.arbalest.coroutines.IntView
import org.arbalest.device.RecordBatch
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.cuda.CudaProvider
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.opencl.OpenClProvider
import org.arbalest.device.rocm.RocmProvider
import java.lang.classfile.MethodModel
import java.lang.classfile.TypeKind
import java.lang.classfile.instruction.InvokeInstruction
import java.lang.classfile.instruction.LoadInstruction
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.invoke.MethodHandle
import java.lang.ref.Reference
import java.lang.reflect.AccessFlag

/**
 * Tests the class files of all published modules that do not need Spark. The tests are here, since the module docs
 * depends on all of them.
 */
class AddressesSpec : FunSpec({
    /**
     * The methods that receive a segment only from their own module: the permanent scratch memory of a thread, or a
     * segment of an arena that is closed after the call.
     */
    val own = listOf("Device", "Managed", "Pinned", "Shareable", "Stream").map {
        "org.arbalest.device.cuda.${it}Memory.tryAllocate"
    } +
        listOf("tryCreate", "open", "map").map { "org.arbalest.device.cuda.Mappings.$it" } +
        listOf("attribute", "exportFabric", "openPlain").map { "org.arbalest.device.cuda.CudaSharing.$it" } +
        listOf(".sizeOf", ".importNow", "\$Access.set").map { "org.arbalest.device.cuda.PoolSharing$it" } +
        listOf("Device", "Pinned", "Shareable").map { "org.arbalest.device.rocm.${it}Memory.tryAllocate" } +
        listOf("cuda.Pool.tryAllocate", "cuda.Pool.set", "rocm.Pool.mallocAsync", "rocm.Pool.set").map {
            "org.arbalest.device.$it"
        } +
        listOf(
            "ResultSource.lastError", "StatementBinding.release", "PartitionsStruct.release", "ErrorStruct.hasDetails",
            "DriverTable.<init>", "DriverTable.release", "DriverErrors.ofStream", "DriverErrors.details",
            "DriverErrors.bytes", "PartitionsStruct.isFilled", "PartitionsStruct.pointer",
        )
            .map { "org.arbalest.device.adbc.internal.$it" } +
        "org.arbalest.device.ipc.internal.compress.Lz4Block.decode"

    /** The method that keeps the segment together with its unpin action, which contains the fence. */
    val keeper = "org.arbalest.device.internal.device.DeviceImpl.pin"

    /** The method that compares the addresses of segments, and copies by the segments themselves. */
    val comparer = "org.arbalest.device.internal.memory.NativeHeap.copyInParts"

    val modules = listOf(RecordBatch::class, IntView::class, OpenClProvider::class, CudaProvider::class,
        RocmProvider::class, AdbcDriver::class, ArrowFile::class)

    /** The only method of the guard that makes upcall stubs. */
    val upcalls = listOf("org.arbalest.device.internal.exit.ExitGuard.upcallStub")

    test("each method that takes the address of a segment parameter keeps the segment reachable [OWN-14]") {
        modules.flatMap { Addresses.unfenced(it.java) }.distinct() shouldContainExactlyInAnyOrder
            own + keeper + comparer + Addresses.checkers.map { it.replace('/', '.') + ".address" }
    }

    test("one method makes all upcall stubs, and guards them [OWN-17]") {
        modules.flatMap { Addresses.upcalls(it.java) } shouldContainExactlyInAnyOrder upcalls
    }

    test("the search finds a method that makes an upcall stub") {
        Addresses.upcalls(Forgetful::class.java).filter { "Forgetful" in it }
            .map { it.substringAfterLast('.') } shouldContainExactlyInAnyOrder listOf("upcall")
    }

    test("the search finds methods and lambdas that do not keep a segment reachable") {
        Addresses.unfenced(Forgetful::class.java).filter { "Forgetful" in it }.map {
            it.substringAfterLast('.').substringBefore('$')
        } shouldContainExactlyInAnyOrder
            listOf("none", "oneOfTwo", "lambda")
    }
})

@Suppress("unused")
private object Forgetful {
    fun none(segment: MemorySegment): Long = segment.address()

    fun all(segment: MemorySegment): Long = try {
        segment.address()
    } finally {
        Reference.reachabilityFence(segment)
    }

    fun oneOfTwo(a: MemorySegment, b: MemorySegment): Long =
        try {
            a.address() + b.address()
        } finally {
            Reference.reachabilityFence(b)
        }

    fun lambda(segment: MemorySegment): () -> Long = { segment.address() }

    fun upcall(target: MethodHandle): MemorySegment =
        Linker.nativeLinker().upcallStub(target, FunctionDescriptor.ofVoid(), Arena.global())

    fun ownSegment(): Long = MemorySegment.NULL.address()
}

private object Addresses {
    private val segment = MemorySegment::class.java.describeConstable().get()

    /** The classes whose method `address` takes the address of its segment, so that a caller of it does too. */
    val checkers = listOf("memory/Structs", "tensor/Managed", "array/HandleExport", "array/ArrayImport")
        .map { "org/arbalest/device/internal/$it" } + "org/arbalest/device/opencl/CStructs"

    /**
     * Returns the methods in the folder or jar of a class that take addresses and do not fence each segment among their
     * parameters.
     */
    fun unfenced(beside: Class<*>): List<String> = methods(beside, ::forgets)

    /** Returns the methods in the folder or jar of a class that make upcall stubs. */
    fun upcalls(beside: Class<*>): List<String> = methods(beside) { method ->
        method.code().orElse(null)?.any {
            it is InvokeInstruction && it.isCall("java/lang/foreign/Linker", "upcallStub")
        } == true
    }

    private fun methods(
        beside: Class<*>,
        wanted: (MethodModel) -> Boolean,
    ): List<String> = ClassFiles.beside(beside).flatMap { model ->
        model.methods().filter(wanted).map {
            "${model.thisClass().asInternalName().replace('/', '.')}.${it.methodName().stringValue()}"
        }
    }

    private fun forgets(method: MethodModel): Boolean {
        val code = method.code().orElse(null) ?: return false
        var next = if (method.flags().has(AccessFlag.STATIC)) 0 else 1
        val segments = mutableSetOf<Int>()
        for (type in method.methodTypeSymbol().parameterList()) {
            if (type == segment) segments += next
            next += TypeKind.from(type).slotSize()
        }
        var takes = false
        var loaded = -1
        for (instruction in code) {
            if (instruction is InvokeInstruction) {
                if (takesAddress(instruction)) takes = true
                if (instruction.isCall("java/lang/ref/Reference", "reachabilityFence")) segments -= loaded
            }
            if (instruction is LoadInstruction) loaded = instruction.slot()
        }
        return takes && segments.isNotEmpty()
    }

    private fun takesAddress(call: InvokeInstruction) =
        call.isCall("java/lang/foreign/MemorySegment", "address") || checkers.any { call.isCall(it, "address") }

    private fun InvokeInstruction.isCall(owner: String, name: String) = owner().asInternalName() == owner &&
        this.name().stringValue() == name
}
