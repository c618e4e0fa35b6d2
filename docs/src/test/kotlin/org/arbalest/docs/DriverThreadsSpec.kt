// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldNotBeEmpty
import org.arbalest.device.RecordBatch
import org.arbalest.device.cuda.CudaProvider
import org.arbalest.device.opencl.OpenClProvider
import org.arbalest.device.rocm.RocmProvider
import java.lang.classfile.ClassModel
import java.lang.classfile.Instruction
import java.lang.classfile.MethodModel
import java.lang.classfile.Opcode
import java.lang.classfile.instruction.InvokeDynamicInstruction
import java.lang.classfile.instruction.InvokeInstruction
import java.lang.classfile.instruction.MonitorInstruction
import java.lang.constant.DirectMethodHandleDesc
import java.lang.reflect.AccessFlag
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.ReentrantLock

/**
 * Tests that code on a driver's threads takes no locks. A lock goes to the thread that waits longest, which may be a
 * virtual thread without a carrier. If all carriers wait in calls for the driver, and the driver waits for its own
 * thread, then that thread must not wait for such a virtual thread. This deadlock occurred on an H100.
 */
class DriverThreadsSpec : FunSpec({
    /**
     * The methods that drivers call on their threads for queued work, and the methods by which these threads hand work
     * to other threads. Code of an application in its own host functions, such as a release, is not included.
     */
    val entries = listOf("device.internal.staging.HostJob", "device.internal.device.Wait").flatMap { owner ->
        listOf("hostFunction", "streamCallback", "eventCallback").map { "org.arbalest.$owner.$it" }
    } + listOf("Stub.releaseIfDone", "BatchStub.releaseAll").map { "org.arbalest.device.opencl.ClEvents$$it" } +
        listOf("spi.LateCalls.submit", "spi.LateCalls.give", "spi.LateCalls.goOn", "spi.EventPoller.add",
            "internal.exit.ExitGuard.called").map { "org.arbalest.device.$it" }

    val locks = Locks(listOf(RecordBatch::class, OpenClProvider::class, CudaProvider::class, RocmProvider::class)
        .flatMap { ClassFiles.beside(it.java) })

    test("queued work takes no lock on a driver's thread [DEV-62]") {
        locks.takenFrom { it in entries }.shouldBeEmpty()
    }

    test("all methods that the search starts from exist") {
        entries.filterNot { it.endsWith("HostJob.eventCallback") || it.endsWith("Wait.streamCallback") }
            .forAll { entry -> locks.methods { it == entry }.shouldNotBeEmpty() }
    }

    test("the search finds locks behind calls of any kind, and reports no method without a lock") {
        val planted =
            Locks(ClassFiles.beside(Locked::class.java).filter { "Locked" in it.thisClass().asInternalName() })
        planted.takenFrom { ".Locked." in it }.map { it.substringAfterLast('.') } shouldContainExactlyInAnyOrder
            listOf("monitor", "method", "get", "explicit", "queue")
    }
})

@Suppress("unused")
private object Locked {
    private val count = AtomicLong()
    private val jobs = LinkedBlockingQueue<Any>()

    fun none(): Long = count.incrementAndGet()

    fun monitor() {
        synchronized(count) { none() }
    }

    @Synchronized
    fun method() = Unit

    fun behindAnInterface(of: LockedCount): Int = of.get()

    fun explicit(lock: ReentrantLock): Boolean = lock.tryLock()

    fun queue() {
        jobs.add(1)
    }
}

private fun interface LockedCount {
    fun get(): Int
}

@Suppress("unused")
private class LockedCounter : LockedCount {
    @Synchronized
    override fun get(): Int = 1
}

/**
 * The methods of some classes that take locks and are reachable from other methods. Calls through an interface of the
 * JDK, such as Runnable, are not followed.
 */
private class Locks(classes: List<ClassModel>) {
    private class Method(val owner: String, val model: MethodModel) {
        val key = Key(model.methodName().stringValue(), model.methodType().stringValue())
        override fun toString() = "${owner.replace('/', '.')}.${key.name}"
    }

    private data class Key(val name: String, val type: String)

    private val byKey = classes.flatMap { type -> type.methods().map { Method(type.thisClass().asInternalName(), it) } }
        .groupBy { it.key }
    private val parents = classes.associate { type ->
        type.thisClass().asInternalName() to type.interfaces().map { it.asInternalName() } +
            listOfNotNull(type.superclass().orElse(null)?.asInternalName())
    }

    /** The class whose methods run only after a failure. */
    private val failures = "org/arbalest/device/internal/memory/Faults"

    /** The classes and methods of java.util.concurrent that never wait for another thread. */
    private val free = listOf("atomic/", "ConcurrentLinkedQueue.", "LinkedTransferQueue.add",
        "locks/LockSupport.unpark").map { "java/util/concurrent/$it" }

    /** The method that waits for helper threads that copy, none of which is virtual. */
    private val waitsForHelpers = "org.arbalest.device.internal.staging.HostCopies\$Job.await"

    fun methods(wanted: (String) -> Boolean): List<String> = byKey.values.flatten().map { "$it" }.filter(wanted)

    fun takenFrom(entry: (String) -> Boolean): List<String> {
        val next = ArrayDeque(byKey.values.flatten().filter { entry("$it") })
        val seen = next.toMutableSet()
        while (next.isNotEmpty()) {
            for (called in next.removeFirst().instructions().flatMap(::called)) if (seen.add(called)) next += called
        }
        return seen.filter { locks(it) }.map { "$it" }
    }

    private fun Method.instructions(): List<Instruction> =
        model.code().orElse(null)?.filterIsInstance<Instruction>().orEmpty()

    private fun locks(method: Method): Boolean = method.model.flags().has(AccessFlag.SYNCHRONIZED) ||
        method.instructions().any {
            it is MonitorInstruction && it.opcode() == Opcode.MONITORENTER ||
                it is InvokeInstruction && waits(it) && "$method" != waitsForHelpers
        }

    private fun waits(call: InvokeInstruction): Boolean {
        val (owner, name) = call.owner().asInternalName() to call.name().stringValue()
        return when {
            name == "<init>" -> false
            owner.startsWith("java/util/concurrent/") -> free.none { "$owner.$name".startsWith(it) }
            owner == "java/lang/Thread" -> name in listOf("join", "sleep", "start")
            else -> owner == "java/lang/Object" && name == "wait"
        }
    }

    private fun called(instruction: Instruction): List<Method> = when (instruction) {
        is InvokeInstruction -> {
            val mayBeOverridden = instruction.opcode() != Opcode.INVOKESTATIC &&
                instruction.opcode() != Opcode.INVOKESPECIAL
            find(instruction.owner().asInternalName(),
                Key(instruction.name().stringValue(), instruction.type().stringValue()), mayBeOverridden)
        }
        is InvokeDynamicInstruction -> instruction.bootstrapArgs().filterIsInstance<DirectMethodHandleDesc>().flatMap {
            find(it.owner().descriptorString().removePrefix("L").removeSuffix(";"),
                Key(it.methodName(), it.lookupDescriptor()), true)
        }
        else -> emptyList()
    }

    /** Returns the method of a class, or the inherited one, and the methods that override it if [mayBeOverridden]. */
    private fun find(owner: String, key: Key, mayBeOverridden: Boolean): List<Method> =
        if (owner == failures) emptyList() else byKey[key].orEmpty().filter {
            isA(owner, it.owner) || mayBeOverridden && owner.startsWith("org/arbalest/") && isA(it.owner, owner)
        }

    private fun isA(type: String, other: String): Boolean = type == other ||
        parents[type].orEmpty().any { isA(it, other) }
}
