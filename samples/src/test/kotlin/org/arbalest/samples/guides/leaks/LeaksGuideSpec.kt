// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.leaks

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.coroutines.*
import org.arbalest.device.Devices
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.arbalest.support.ResourceCountersExtension
import java.lang.management.ManagementFactory
import javax.management.ObjectName

/** Runs the snippets of docs/guides/leaks.md; LeakDocsSoakSpec of leak-check runs its tests. */
class LeaksGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (language in listOf("Java", "Kotlin")) {
        test("$language: a HandleWatch lists an open batch and the thread that created it") {
            lateinit var batch: RecordBatch
            val work: () -> Unit = { batch = Devices.cpu().batch { float64("price", doubleArrayOf(1.5)) } }
            val open = if (language == "Java") LeaksGuideJava.leftOpen(work) else leftOpen(work)
            batch.close()
            open.single() shouldStartWith "RecordBatch struct<price: float64>, 1 row, on CPU"
            open.single() shouldContain ", made by the thread ${Thread.currentThread().name}"
        }
    }

    test("Java: the beans are registered while the server runs") {
        val server = ManagementFactory.getPlatformMBeanServer()
        val names = listOf("org.arbalest:type=ResourceCounters", "org.arbalest:type=MemoryPool,name=\"staging\"")
            .map { ObjectName(it) }
        MemoryPool.of(Devices.cpu().memory(), 1L shl 20).use { pool ->
            LeaksGuideJava.monitored(pool) { names.map(server::isRegistered) shouldBe listOf(true, true) }
        }
        names.map(server::isRegistered) shouldBe listOf(false, false)
    }
})
