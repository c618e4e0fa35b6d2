// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.AsyncArrayStream
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.abi.ArrowArrayStreamStruct
import org.arbalest.device.abi.ArrowArrayStruct
import org.arbalest.device.abi.ArrowAsyncHandlerStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.device.spi.Callback
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_FLOAT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.CountDownLatch

/** Leaving a process in which a library's threads have called back, which it joins in its static destructor (JDK-8391662). */
class ProcessExitSpec : FunSpec({
    extension(CCompiler.needed)

    fun leave(called: PoolAtExit.Called, how: Leaving, vararg options: String) =
        ChildJvm.run(PoolAtExit::class, called.name, how.name, options = options.toList())

    for (how in Leaving.entries - Leaving.PROCESS_EXIT) for (called in PoolAtExit.Called.entries - PoolAtExit.Called.blocked) {
        test("OWN-17 the process ends by $how though a library joins its thread, which called $called") {
            val child = leave(called, how)
            withClue(child.output) {
                child.output shouldContain "leaving"
                child.output shouldContain EXCHANGED // where the JDK is corrected it would end anyhow: the guard is seen by what it does
                child.output shouldContain "joined"
                child.output shouldNotContain "WARNING"
                child.output shouldNotContain "fatal error"
                child.exitCode shouldBe how.code
            }
        }
    }

    test("OWN-17 -Xcheck:jni finds nothing wrong with it") {
        val child = leave(PoolAtExit.Called.GET_NEXT, Leaving.SYSTEM_EXIT, "-Xcheck:jni")
        withClue(child.output) {
            child.output shouldContain "joined"
            child.output shouldNotContain "WARNING"
            child.exitCode shouldBe Leaving.SYSTEM_EXIT.code
        }
    }

    test("OWN-17 without the guard the log warns at the start of the shutdown") {
        val child = leave(PoolAtExit.Called.RELEASE, Leaving.SYSTEM_EXIT, "-Dorg.arbalest.exitGuard=false")
        withClue(child.output) {
            child.output shouldContain "JDK-8391662"
            child.output shouldContain "org.arbalest.exitGuard=false"
            child.output shouldNotContain EXCHANGED
            println("Without the guard the process ${if (child.exitCode == 99) "hangs" else "ends: this JDK has no JDK-8391662"}")
            child.exitCode shouldBeIn listOf(Leaving.SYSTEM_EXIT.code, 99)
        }
    }

    test("OWN-17 without the guard, and with a return from main, nothing hangs and the log says nothing") {
        val child = leave(PoolAtExit.Called.RELEASE, Leaving.RETURN, "-Dorg.arbalest.exitGuard=false")
        withClue(child.output) {
            child.output shouldContain "joined"
            child.output shouldNotContain "WARNING"
            child.exitCode shouldBe 0
        }
    }

    for ((called, function) in PoolAtExit.Called.blocked.zip(listOf("streamGetNext", "blocks"))) {
        test("OWN-17 a library's thread that is in a callback of ours as the JVM shuts down is named in the log: $called") {
            val child = leave(called, Leaving.SYSTEM_EXIT)
            withClue(child.output) {
                child.output shouldContain "is in $function as the JVM shuts down"
                child.output shouldContain "ProcessExit.exit"
                child.exitCode shouldBe 99
            }
        }
    }

    test("OWN-17 a backend's callback is a method that is there, and returns what a function can that stays out of the JVM") {
        fun make(method: String, type: FunctionDescriptor) =
            shouldThrow<IllegalArgumentException> { Callback.stub(MethodHandles.lookup(), method, type) }.message!!
        make("nothing", FunctionDescriptor.ofVoid()) shouldContain "no static method nothing"
        for (result in listOf(JAVA_DOUBLE, JAVA_FLOAT, ArrowArrayStruct.LAYOUT)) make("any", FunctionDescriptor.of(result)) shouldContain "not $result"
    }

    for (guard in listOf("true", "false")) for (called in listOf(PoolAtExit.Called.RELEASE, PoolAtExit.Called.BLOCKED_GET_NEXT)) {
        test("OWN-18 ProcessExit.exit runs the hooks, and no library's destructor: $called, exitGuard=$guard") {
            val child = leave(called, Leaving.PROCESS_EXIT, "-Dorg.arbalest.exitGuard=$guard")
            withClue(child.output) {
                child.output shouldContain "a hook has run"
                child.output shouldNotContain "joining"
                child.output shouldNotContain "WARNING"
                child.exitCode shouldBe Leaving.PROCESS_EXIT.code
            }
        }
    }

    for ((first, second) in listOf(Leaving.SYSTEM_EXIT to Leaving.PROCESS_EXIT, Leaving.PROCESS_EXIT to Leaving.SYSTEM_EXIT)) {
        test("OWN-18 of two exits the first gives the exit code: $first before $second") {
            val child = ChildJvm.run(TwoExits::class, first.name, second.name)
            withClue(child.output) {
                child.output shouldContain "$second waits"
                child.exitCode shouldBe first.code
            }
        }
    }
})

/** What the pool says when the guard has done its work. */
private const val EXCHANGED = "joining, with other functions of the JVM"

/** A process of its own, in which a second thread exits while a shutdown hook has the first exit wait. */
internal object TwoExits {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (first, second) = arguments.map(Leaving::valueOf)
        val shuttingDown = CountDownLatch(1)
        val late = Thread.ofPlatform().daemon().start {
            shuttingDown.await()
            second.leave()
        }
        Runtime.getRuntime().addShutdownHook(
            Thread {
                shuttingDown.countDown()
                while (late.stackTrace.none { it.className == "java.lang.Shutdown" }) Thread.onSpinWait()
                println("$second waits")
            },
        )
        EveryType.batch(0, 4).use { batch -> Arena.ofConfined().use { PeerMoves.release(it.struct(StructKind.ARRAY).also(batch.retain()::exportArray), StructKind.ARRAY) } }
        first.leave()
    }
}

/** A process of its own, which leaves when a thread of the pool has called back. */
internal object PoolAtExit {
    /** What the thread called. */
    enum class Called {
        /** `release` of an array. */
        RELEASE,

        /** `release` of an array; that of another one while the process exits. */
        RELEASE_TWICE,

        /** `get_next` of a stream. */
        GET_NEXT,

        /** `get_next` of a stream; once more while the process exits. */
        GET_NEXT_TWICE,

        /** `on_error` and `release` of an async handler. */
        ASYNC,

        /** A callback that a backend made. */
        CALLBACK,

        /** A callback that a backend made; once more while the process exits. */
        CALLBACK_TWICE,

        /** More callbacks of backends than the guard has jumps, each; `release` of an array, also while the process exits. */
        MANY_CALLBACKS,

        /** `get_next` of a stream whose source does not return. */
        BLOCKED_GET_NEXT,

        /** A callback that a backend made, and that does not return. */
        BLOCKED_CALLBACK,
        ;

        companion object {
            val blocked = listOf(BLOCKED_GET_NEXT, BLOCKED_CALLBACK)
        }
    }

    private val pool = NativeLibrary.compile("peer/pool.c")
    private val arena = Arena.global()

    private fun run(function: Long, a: Long, b: Long = 0, c: Long = 0): Long {
        val type = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)
        return Linker.nativeLinker().downcallHandle(pool.findOrThrow("pool_call"), type).invoke(function, a, b, c) as Long
    }

    private fun endWith(function: Long) {
        Linker.nativeLinker().downcallHandle(pool.findOrThrow("pool_end_with"), FunctionDescriptor.ofVoid(JAVA_LONG)).invoke(function)
    }

    private fun release() {
        val array = arena.struct(StructKind.ARRAY).also { struct -> EveryType.batch(0, 4).use { it.exportArray(struct) } }
        run(ArrowArrayStruct.release(array.address()), array.address())
        check(ArrowArrayStruct.release(array.address()) == 0L)
    }

    private fun releaseTwice() {
        val array = arena.struct(StructKind.ARRAY)
        EveryType.batch(0, 4).use { batch ->
            batch.retain().exportArray(array)
            val release = ArrowArrayStruct.release(array.address())
            run(release, array.address())
            batch.exportArray(array)
            endWith(release)
        }
    }

    private fun stream(next: () -> DeviceArray?): Long {
        val struct = arena.struct(StructKind.STREAM)
        DeviceArrayReader.of(EveryType.batch(0, 1).use { it.schema() }, DeviceType.CPU) { next() }.exportStream(struct)
        return struct.address()
    }

    private fun getNext(): Long {
        val stream = stream { EveryType.batch(0, 4) }
        val array = arena.struct(StructKind.ARRAY).address()
        val function = ArrowArrayStreamStruct.getNext(stream)
        check(run(function, stream, array).toInt() == 0 && ArrowArrayStruct.release(array) != 0L)
        return function
    }

    private fun async() {
        val handler = AsyncArrayStream.connect { struct ->
            val handler = struct.address()
            run(ArrowAsyncHandlerStruct.onError(handler), handler, Errno.EIO.toLong())
            run(ArrowAsyncHandlerStruct.release(handler), handler)
        }
        handler.use { it.released().toCompletableFuture().handle { _, failed -> check(failed != null) }.join() }
    }

    private fun callback(): Long {
        val function = Callback.stub(MethodHandles.lookup(), "next", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG))
        check(run(function, 41) == 42L)
        return function
    }

    @JvmStatic
    private fun next(number: Long) = number + 1

    private val blocked = CountDownLatch(1)

    @JvmStatic
    private fun blocks() {
        blocked.countDown()
        Thread.currentThread().join()
    }

    private fun blockedCallback() {
        val function = Callback.stub(MethodHandles.lookup(), "blocks", FunctionDescriptor.ofVoid())
        Thread.ofPlatform().daemon().start { run(function, 0) }
        blocked.await()
    }

    private fun blockedGetNext() {
        val pulled = CountDownLatch(1)
        val stream = stream {
            pulled.countDown()
            Thread.currentThread().join().let { null }
        }
        val array = arena.struct(StructKind.ARRAY).address()
        Thread.ofPlatform().daemon().start { run(ArrowArrayStreamStruct.getNext(stream), stream, array) }
        pulled.await()
    }

    @JvmStatic
    fun main(arguments: Array<String>) {
        Runtime.getRuntime().addShutdownHook(Thread { println("a hook has run") })
        when (Called.valueOf(arguments[0])) {
            Called.RELEASE -> release()
            Called.RELEASE_TWICE -> releaseTwice()
            Called.GET_NEXT -> getNext()
            Called.GET_NEXT_TWICE -> endWith(getNext())
            Called.ASYNC -> async()
            Called.CALLBACK -> callback()
            Called.CALLBACK_TWICE -> endWith(callback())
            Called.MANY_CALLBACKS -> {
                repeat(40) { callback() }
                releaseTwice()
            }
            Called.BLOCKED_GET_NEXT -> blockedGetNext()
            Called.BLOCKED_CALLBACK -> blockedCallback()
        }
        println("leaving")
        Leaving.valueOf(arguments[1]).leave()
    }
}
