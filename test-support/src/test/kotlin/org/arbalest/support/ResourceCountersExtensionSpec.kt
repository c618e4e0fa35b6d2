// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.Devices
import org.arbalest.testkit.contract.Held
import java.lang.foreign.Arena
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

class ResourceCountersExtensionSpec : FunSpec({
    extension(CCompiler.needed)

    val passed = TestResult.Success(Duration.ZERO)
    val failed = TestResult.Failure(Duration.ZERO, AssertionError("its own"))

    suspend fun complaint(testCase: TestCase, body: () -> Unit): String {
        val result = ResourceCountersExtension.intercept(testCase, 100.milliseconds) {
            body()
            passed
        }
        return result.shouldBeInstanceOf<TestResult.Failure>().cause.message!!
    }

    test("a test that leaves nothing behind passes") {
        ResourceCountersExtension.intercept(testCase) { passed } shouldBe passed
    }

    test("the failure names a buffer that a test left open") {
        val left = mutableListOf<AutoCloseable>()
        complaint(testCase) { left += Devices.cpu().allocate(100) } shouldContain "buffers=1, bufferBytes=100\n"
        left.forEach { it.close() }
    }

    test("the failure names a schema of the C peer that a test did not release") {
        Arena.ofConfined().use { arena ->
            val schema = arena.allocate(StructKind.SCHEMA.size)
            complaint(testCase) { PeerNodes.schema(schema, "i") } shouldContain
                "the C peer has 1 more schemas than before"
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }

    test("the failure names a double release that the C peer detected") {
        Arena.ofConfined().use { arena ->
            val schema = arena.allocate(StructKind.SCHEMA.size)
            val twice = complaint(testCase) {
                PeerNodes.schema(schema, "i")
                PeerMoves.releaseTwice(schema, StructKind.SCHEMA)
            }
            twice shouldBe "the C peer saw 1 double releases"
        }
    }

    test("a leak fails only its own test, and the next test begins at zero") {
        val left = mutableListOf<AutoCloseable>()
        Arena.ofConfined().use { arena ->
            val schema = arena.allocate(StructKind.SCHEMA.size)
            complaint(testCase) {
                left += Devices.cpu().allocate(100)
                PeerNodes.schema(schema, "i")
            }
            ResourceCountersExtension.intercept(testCase) {
                Held.now().isZero shouldBe true
                CPeer.counts().schemas shouldBe 0
                passed
            } shouldBe passed
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
        left.forEach { it.close() }
    }

    /**
     * Runs a failing test whose thread holds a buffer and a schema of the C peer. Returns a function that lets the
     * thread release both.
     */
    suspend fun leftBy(testCase: TestCase): () -> Unit {
        val gate = CountDownLatch(1)
        lateinit var releasing: Thread
        ResourceCountersExtension.intercept(testCase) {
            val buffer = Devices.cpu().allocate(100)
            val schema = Arena.ofAuto().allocate(StructKind.SCHEMA.size)
            PeerNodes.schema(schema, "i")
            releasing = thread {
                gate.await()
                buffer.close()
                PeerMoves.release(schema, StructKind.SCHEMA)
            }
            failed
        } shouldBe failed
        return {
            gate.countDown()
            releasing.join()
        }
    }

    test("a release by a failed test's thread in the next test does not fail that test") {
        val release = leftBy(testCase)
        ResourceCountersExtension.intercept(testCase) {
            release()
            Held.now().isZero shouldBe true
            CPeer.counts().schemas shouldBe 0
            passed
        } shouldBe passed
    }

    test("a leak is named even after a release by an earlier test's thread") {
        val release = leftBy(testCase)
        val left = mutableListOf<AutoCloseable>()
        val schema = Arena.ofAuto().allocate(StructKind.SCHEMA.size)
        val words = complaint(testCase) {
            release()
            Held.now().isZero shouldBe true
            CPeer.counts().schemas shouldBe 0
            left += Devices.cpu().allocate(100)
            PeerNodes.schema(schema, "i")
        }
        words shouldContain "buffers=1, bufferBytes=100"
        words shouldContain "the C peer has 1 more schemas than before"
        PeerMoves.release(schema, StructKind.SCHEMA)
        left.forEach { it.close() }
    }

    test("a failing test keeps its own failure, even with a leak") {
        val left = mutableListOf<AutoCloseable>()
        ResourceCountersExtension.intercept(testCase) { left += Devices.cpu().allocate(1); failed } shouldBe failed
        left.forEach { it.close() }
    }
})
