// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.internal.exit.ExitGuard
import org.arbalest.device.spi.Callback
import org.arbalest.device.support.struct
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.Emulator
import org.arbalest.support.Leaving
import org.arbalest.support.Leaving.HALT
import org.arbalest.support.Leaving.PROCESS_EXIT
import org.arbalest.support.Leaving.RETURN
import org.arbalest.support.Leaving.SYSTEM_EXIT
import org.arbalest.support.NativeLibrary
import org.arbalest.support.PeerMoves
import org.arbalest.support.StructKind
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_DOUBLE
import java.lang.foreign.ValueLayout.JAVA_FLOAT
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.invoke.MethodHandles
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.FutureTask
import kotlin.reflect.KClass

/**
 * The exit of a process with a native library whose threads have called into the JVM, and which joins these threads in
 * its static destructor (JDK-8391662).
 *
 * A child exits only once, so one child makes many calls, each on the thread of its own pool. `Runtime.halt` runs no
 * shutdown hook, and the guard registers its handler during the call. Therefore each called function has its own child
 * there.
 */
class ProcessExitStressSpec : FunSpec({
    extension(CCompiler.needed)

    val children = Children(2)
    fun leave(how: Leaving, calls: List<Called>, vararg options: String, patience: Int = 5) =
        children.plan(PoolAtExit::class, listOf(how.name, "$patience") + calls.map { it.name }, options.toList())

    // The slow children start first: a thread hangs in each of them.
    val unguarded = leave(SYSTEM_EXIT, listOf(Called.RELEASE), "-Dorg.arbalest.exitGuard=false", patience = 1)
    val blocked = leave(SYSTEM_EXIT, Called.blocked, patience = 1)

    val guarded = listOf(SkipWithout { ExitGuard.whyOff().orElse(null) })

    for (how in Leaving.entries - PROCESS_EXIT) {
        for (calls in if (how == HALT) Called.byFunction else listOf(Called.returning)) {
            val process = leave(how, calls)
            for (called in calls) {
                test("the process exits by $how although a library joins its thread, which called $called [OWN-17]")
                    .config(extensions = guarded) { process.shouldHaveExchangedAndJoined(called) }
            }
            test("the process keeps its exit code after $how and calls of ${calls.joinToString()} [OWN-17]")
                .config(extensions = guarded) { process.shouldHaveLeft(how) }
        }
    }

    val checked = leave(SYSTEM_EXIT, Called.returning, "-Xcheck:jni")
    test("-Xcheck:jni reports no error of the exit guard [OWN-17]").config(extensions = guarded) {
        for (called in Called.returning) checked.shouldHaveExchangedAndJoined(called)
        checked.shouldHaveLeft(SYSTEM_EXIT)
    }

    test("the log warns when the shutdown starts if the guard is turned off [OWN-17]")
        .config(extensions = guarded) {
            unguarded.shouldSay("JDK-8391662", "org.arbalest.exitGuard=false")
            unguarded.shouldNotSay(EXCHANGED)
        }

    test("the guard is on exactly if the process hangs without it [OWN-17]") {
        val off = ExitGuard.whyOff()
        val jdk = "JDK ${Runtime.version()}"
        val advice = if (off.isEmpty) {
            "$jdk has no JDK-8391662, and needs no exit guard: lower LAST in AffectedJvm, or remove the guard"
        } else {
            "$jdk has JDK-8391662, and the exit guard is off: ${off.get()}. See AffectedJvm and JavaVmTable"
        }
        withClue("$advice\n${unguarded.child.output}") {
            unguarded.child.exitCode shouldBe if (off.isEmpty) HANGS else SYSTEM_EXIT.code
        }
    }

    val returned = leave(RETURN, listOf(Called.RELEASE), "-Dorg.arbalest.exitGuard=false")
    test("without the guard, a return from main does not hang, and the log has no warning [OWN-17]") {
        returned.shouldSay("pool ${Called.RELEASE.ordinal}: joined")
        returned.shouldHaveLeft(RETURN)
    }

    for ((called, function) in Called.blocked.zip(listOf("streamGetNext", "blocks"))) {
        test("the log names a library thread that is in a callback during the shutdown: $called [OWN-17]") {
            blocked.shouldSay("is in $function as the JVM shuts down", "ProcessExit.exit")
            blocked.shouldSay("pool ${called.ordinal}: its thread does not end")
            withClue(blocked.child.output) { blocked.child.exitCode shouldBe HANGS }
        }
    }

    test("Callback.stub rejects a missing method, and a result that native code cannot return [OWN-17]") {
        fun make(method: String, type: FunctionDescriptor) =
            shouldThrow<IllegalArgumentException> { Callback.stub(MethodHandles.lookup(), method, type) }.message!!
        make("nothing", FunctionDescriptor.ofVoid()) shouldContain "no static method nothing"
        for (result in listOf(JAVA_DOUBLE, JAVA_FLOAT, ArrowArrayStruct.LAYOUT)) {
            make("any", FunctionDescriptor.of(result)) shouldContain "not $result"
        }
    }

    for (guard in listOf("true", "false")) {
        val calls = listOf(Called.RELEASE, Called.BLOCKED_GET_NEXT)
        val process = leave(PROCESS_EXIT, calls, "-Dorg.arbalest.exitGuard=$guard")
        for (called in calls) {
            test("ProcessExit.exit runs the hooks but no library destructor: $called, exitGuard=$guard [OWN-18]") {
                process.shouldSay("called $called", "a hook has run")
                process.shouldNotSay("pool ${called.ordinal}: joining")
                process.shouldHaveLeft(PROCESS_EXIT)
            }
        }
    }

    for ((first, second) in listOf(SYSTEM_EXIT to PROCESS_EXIT, PROCESS_EXIT to SYSTEM_EXIT)) {
        val process = children.plan(TwoExits::class, listOf(first.name, second.name))
        test("the first of two exits sets the exit code: $first before $second [OWN-18]") {
            process.shouldSay("$second waits")
            withClue(process.child.output) { process.child.exitCode shouldBe first.code }
        }
    }
})

/** The message of a pool after the guard has replaced the JVM's functions. */
private const val EXCHANGED = "joining, with other functions of the JVM"

/** The exit code of a process in which a pool's thread does not end. */
private const val HANGS = 99

/** The seconds after which a child is killed. Many children share the processors. */
private val LIMIT: Long = 60L * Emulator.patience

/** Child processes that run in parallel, and start when the first result is needed. */
private class Children(private val parallel: Int) {
    private val planned = mutableListOf<Planned>()
    private val started by lazy {
        NativeLibrary.compile("peer/pool.c") // so that the children find it compiled
        val threads = Executors.newFixedThreadPool(parallel) { Thread.ofPlatform().daemon().unstarted(it) }
        planned.forEach { threads.execute(it.task) }
        threads.shutdown()
    }

    fun plan(main: KClass<*>, arguments: List<String>, options: List<String> = emptyList()): Planned {
        val quick = listOf("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
        val task = FutureTask {
            ChildJvm.run(main, *arguments.toTypedArray(), options = quick + options, seconds = LIMIT)
        }
        return Planned(task).also { planned += it }
    }

    inner class Planned(val task: FutureTask<ChildJvm>) {
        val child: ChildJvm get() = started.let { task.get() }

        fun shouldSay(vararg words: String) = withClue(child.output) { words.forEach { child.output shouldContain it } }

        fun shouldNotSay(words: String) = withClue(child.output) { child.output shouldNotContain words }

        /** Checks that the guard has replaced the functions, because a JDK without the defect would exit as well. */
        fun shouldHaveExchangedAndJoined(called: Called) =
            shouldSay("called $called", "pool ${called.ordinal}: $EXCHANGED", "pool ${called.ordinal}: joined")

        fun shouldHaveLeft(how: Leaving) {
            shouldSay("leaving")
            shouldNotSay("WARNING")
            shouldNotSay("fatal error")
            withClue(child.output) { child.exitCode shouldBe how.code }
        }
    }
}

/** The calls of a pool's thread, in the order in which a child makes them. */
internal enum class Called {
    /** A callback that a backend made. */
    CALLBACK,

    /** A callback that a backend made, and once more while the process exits. */
    CALLBACK_TWICE,

    /** More callbacks of backends than the guard has jumps, then the calls of [RELEASE_TWICE]. */
    MANY_CALLBACKS,

    /** `release` of an array. */
    RELEASE,

    /** `release` of an array, and of another array while the process exits. */
    RELEASE_TWICE,

    /** `get_next` of a stream. */
    GET_NEXT,

    /** `get_next` of a stream, and once more while the process exits. */
    GET_NEXT_TWICE,

    /** `on_error` and `release` of an async handler. */
    ASYNC,

    /** `get_next` of a stream whose source does not return. */
    BLOCKED_GET_NEXT,

    /** A callback that a backend made, and that does not return. */
    BLOCKED_CALLBACK,
    ;

    companion object {
        val blocked = listOf(BLOCKED_GET_NEXT, BLOCKED_CALLBACK)
        val returning = entries - blocked

        /**
         * Groups of calls; the last call of a group calls the function that the other calls of the group use as well.
         */
        val byFunction = listOf(
            listOf(CALLBACK, CALLBACK_TWICE),
            listOf(MANY_CALLBACKS, RELEASE, RELEASE_TWICE),
            listOf(GET_NEXT, GET_NEXT_TWICE),
            listOf(ASYNC),
        )
    }
}

/** A child process in which a second thread exits while a shutdown hook blocks the first exit. */
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
        Arena.ofConfined().use { arena ->
            val array = arena.struct(StructKind.ARRAY)
            CData.exportArray(numbers(4), array, CExport.DATA)
            PeerMoves.release(array, StructKind.ARRAY)
        }
        first.leave()
    }
}

/** A child process that exits after the threads of its pools have made the given calls. */
internal object PoolAtExit {
    private val pool = NativeLibrary.compile("peer/pool.c")
    private val arena = Arena.global()

    private val linker = Linker.nativeLinker()
    private val poolCall = linker.downcallHandle(
        pool.findOrThrow("pool_call"),
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
    )

    /** Calls a function on the thread of this call's pool. */
    private fun Called.run(function: Long, a: Long, b: Long = 0, c: Long = 0): Long =
        poolCall.invoke(ordinal, function, a, b, c) as Long

    private fun Called.endWith(function: Long) {
        val type = FunctionDescriptor.ofVoid(JAVA_INT, JAVA_LONG)
        linker.downcallHandle(pool.findOrThrow("pool_end_with"), type).invoke(ordinal, function)
    }

    private fun Called.release() {
        val array = arena.struct(StructKind.ARRAY).also { struct ->
            numbers(4).use { CData.exportArray(it, struct, CExport.DATA) }
        }
        run(RawArrowArray.release(array.address()), array.address())
        check(RawArrowArray.release(array.address()) == 0L)
    }

    private fun Called.releaseTwice() {
        val array = arena.struct(StructKind.ARRAY)
        numbers(4).use { batch ->
            CData.exportArray(batch.retain(), array, CExport.DATA)
            val release = RawArrowArray.release(array.address())
            run(release, array.address())
            CData.exportArray(batch, array, CExport.DATA)
            endWith(release)
        }
    }

    private fun stream(next: () -> RecordBatch?): Long {
        val struct = arena.struct(StructKind.STREAM)
        CData.exportStream(RecordBatchReader.of(numbers(1).use { it.schema() }, DeviceType.CPU) { next() },
            struct, CExport.DATA)
        return struct.address()
    }

    private fun Called.getNext(): Long {
        val stream = stream { numbers(4) }
        val array = arena.struct(StructKind.ARRAY).address()
        val function = RawArrowArrayStream.getNext(stream)
        check(run(function, stream, array).toInt() == 0 && RawArrowArray.release(array) != 0L)
        return function
    }

    private fun Called.async() {
        val handler = CData.importAsyncStream(CImport.DEVICE) { struct ->
            val handler = struct.address()
            run(RawArrowAsyncHandler.onError(handler), handler, Errno.EIO.toLong())
            run(RawArrowAsyncHandler.release(handler), handler)
        }
        handler.use { it.released().toCompletableFuture().handle { _, failed -> check(failed != null) }.join() }
    }

    private fun Called.callback(): Long {
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

    private fun Called.blockedCallback() {
        val function = Callback.stub(MethodHandles.lookup(), "blocks", FunctionDescriptor.ofVoid())
        Thread.ofPlatform().daemon().start { run(function, 0) }
        blocked.await()
    }

    private fun Called.blockedGetNext() {
        val pulled = CountDownLatch(1)
        val stream = stream {
            pulled.countDown()
            Thread.currentThread().join().let { null }
        }
        val array = arena.struct(StructKind.ARRAY).address()
        Thread.ofPlatform().daemon().start { run(RawArrowArrayStream.getNext(stream), stream, array) }
        pulled.await()
    }

    private fun Called.make() {
        when (this) {
            Called.CALLBACK -> callback()
            Called.CALLBACK_TWICE -> endWith(callback())
            Called.MANY_CALLBACKS -> {
                repeat(40) { callback() }
                releaseTwice()
            }
            Called.RELEASE -> release()
            Called.RELEASE_TWICE -> releaseTwice()
            Called.GET_NEXT -> getNext()
            Called.GET_NEXT_TWICE -> endWith(getNext())
            Called.ASYNC -> async()
            Called.BLOCKED_GET_NEXT -> blockedGetNext()
            Called.BLOCKED_CALLBACK -> blockedCallback()
        }
    }

    @JvmStatic
    fun main(arguments: Array<String>) {
        Runtime.getRuntime().addShutdownHook(Thread { println("a hook has run") })
        val patience = linker.downcallHandle(pool.findOrThrow("pool_patience"), FunctionDescriptor.ofVoid(JAVA_INT))
        patience.invoke(arguments[1].toInt())
        for (called in arguments.drop(2).map(Called::valueOf)) {
            called.make()
            println("called $called")
        }
        println("leaving")
        Leaving.valueOf(arguments[0]).leave()
    }
}
