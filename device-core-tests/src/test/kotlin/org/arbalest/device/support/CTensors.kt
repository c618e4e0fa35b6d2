// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.internal.abi.RawDLManagedTensor
import org.arbalest.device.internal.abi.RawDLManagedTensorVersioned
import org.arbalest.device.internal.abi.RawDLTensor
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.tensors.DLTensorStruct
import org.arbalest.support.I32
import org.arbalest.support.I64
import org.arbalest.support.NativeLibrary
import org.arbalest.support.PTR
import org.arbalest.support.textAt
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemoryLayout
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.lang.foreign.ValueLayout.JAVA_LONG

/** A producer and a consumer of tensors in C. See `dlpack/tensors.c`. */
internal object CTensors {
    private val library = NativeLibrary.compile("dlpack/tensors.c", "dlpack/dlpack.h")

    private fun function(name: String, result: MemoryLayout?, vararg parameters: MemoryLayout) =
        Linker.nativeLinker().downcallHandle(
            library.findOrThrow(name),
            if (result == null) FunctionDescriptor.ofVoid(*parameters) else FunctionDescriptor.of(result, *parameters),
        )

    private val layoutFunction = function("tensor_layout", PTR)
    private val live = function("tensor_live", I64)
    private val twice = function("tensor_deleted_twice", I64)
    private val make = function("tensor_make", PTR, I32, I32, I64, I32, PTR)
    private val read = function("tensor_read", I64, PTR, I32, PTR)
    private val delete = function("tensor_delete", null, PTR, I32)
    private val deleteOnThreads = function("tensor_delete_on_threads", null, PTR, I64, I32, I32)
    private val deleteAtExit = function("tensor_delete_at_exit", null, PTR, I32)

    val layout: String get() = (layoutFunction.invoke() as MemorySegment).textAt()

    /** The number of native tensors whose deleter has not been called. */
    val liveTensors: Long get() = live.invoke() as Long

    /** The number of deleter calls for tensors whose deleter had been called before. */
    val deletedTwice: Long get() = twice.invoke() as Long

    /** The values that a producer writes into a tensor's struct, right or wrong. */
    class Said(
        val data: Long,
        val shape: LongArray?,
        val strides: LongArray? = null,
        val code: Int = DLTensorStruct.INT,
        val bits: Int = 64,
        val lanes: Int = 1,
        val ndim: Int = shape?.size ?: 0,
        val deviceType: Int = 1,
        val deviceId: Int = 0,
        val byteOffset: Long = 0,
        val major: Int = 1,
        val flags: Long = 0,
        val hasDeleter: Boolean = true,
    )

    /** Creates a native tensor. Each of its structs ends where readable memory ends. */
    fun make(form: DLPack, said: Said): MemorySegment = Arena.ofConfined().use { arena ->
        fun list(numbers: LongArray?) = when {
            numbers == null -> MemorySegment.NULL
            numbers.isEmpty() -> arena.allocate(8)
            else -> arena.allocateFrom(JAVA_LONG, *numbers)
        }
        val tensor = arena.allocate(DLTensorStruct.LAYOUT)
        val at = tensor.address()
        RawDLTensor.setData(at, said.data)
        RawDLTensor.setDeviceType(at, said.deviceType)
        RawDLTensor.setDeviceId(at, said.deviceId)
        RawDLTensor.setNdim(at, said.ndim)
        RawDLTensor.setCode(at, said.code)
        RawDLTensor.setBits(at, said.bits)
        RawDLTensor.setLanes(at, said.lanes)
        RawDLTensor.setShape(at, list(said.shape).address())
        RawDLTensor.setStrides(at, list(said.strides).address())
        RawDLTensor.setByteOffset(at, said.byteOffset)
        make.invoke(number(form), said.major, said.flags, if (said.hasDeleter) 1 else 0, tensor) as MemorySegment
    }

    /** Returns the elements, in order, of a tensor in memory that the CPU can read. */
    fun read(form: DLPack, tensor: MemorySegment, bytes: Long): ByteArray = Arena.ofConfined().use { arena ->
        val out = arena.allocate(maxOf(bytes, 1))
        check(read.invoke(tensor, number(form), out) as Long == bytes)
        out.asSlice(0, bytes).toArray(JAVA_BYTE)
    }

    /** Calls the deleter. */
    fun delete(form: DLPack, tensor: MemorySegment) {
        delete.invoke(tensor, number(form))
    }

    /** Calls the deleters on native threads that the JVM does not know. The threads have ended when this returns. */
    fun deleteOnThreads(
        form: DLPack,
        tensors: List<MemorySegment>,
        threads: Int,
    ): Unit = Arena.ofConfined().use { arena ->
        val list = arena.allocate(ADDRESS, tensors.size.toLong())
        tensors.forEachIndexed { i, tensor -> list.setAtIndex(ADDRESS, i.toLong(), tensor) }
        deleteOnThreads.invoke(list, tensors.size.toLong(), number(form), threads)
    }

    /** Calls the deleter on a native thread when the process ends. */
    fun deleteAtExit(form: DLPack, tensor: MemorySegment) {
        deleteAtExit.invoke(tensor, number(form))
    }

    private fun number(form: DLPack) = if (form == DLPack.VERSIONED) 1 else 0
}

/** The fields of a `DLTensor`. */
internal data class SeenTensor(
    val dtype: Triple<Int, Int, Int>,
    val shape: List<Long>,
    val strides: List<Long>,
    val data: Long,
    val byteOffset: Long,
    val device: Pair<Int, Int>,
)

internal fun DLPack.see(tensor: MemorySegment): SeenTensor {
    val at = if (this == DLPack.VERSIONED) RawDLManagedTensorVersioned.tensor(tensor.address())
    else RawDLManagedTensor.tensor(tensor.address())
    fun numbers(address: Long) = List(RawDLTensor.ndim(at)) {
        MemorySegment.ofAddress(address).reinterpret(8L * RawDLTensor.ndim(at)).getAtIndex(JAVA_LONG, it.toLong())
    }
    return SeenTensor(
        Triple(RawDLTensor.code(at), RawDLTensor.bits(at), RawDLTensor.lanes(at)), numbers(RawDLTensor.shape(at)),
        numbers(RawDLTensor.strides(at)), RawDLTensor.data(at), RawDLTensor.byteOffset(at),
        RawDLTensor.deviceType(at) to RawDLTensor.deviceId(at),
    )
}
