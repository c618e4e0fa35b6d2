// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

/** Tests of the C peer's async producer with the C peer's async consumer, through their bindings. */
class PeerProducerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val bytes = byteArrayOf(1, 0, 0, 0, 1, 0, 0, 0, 'k'.code.toByte(), 2, 0, 0, 0, 0, 'x'.code.toByte())

    test("the consumer receives the whole stream with its metadata [ASY-27]") {
        PeerProducer(batches = 20, rows = 10, streamMetadata = bytes, taskMetadata = bytes).use { producer ->
            PeerConsumer(window = 3).use { consumer ->
                producer.start(consumer.handler)
                consumer.join() shouldBe true
                val seen = consumer.results()
                seen.rows shouldBe 200
                seen.ends shouldBe 1
                seen.streamMetadata shouldBe bytes
                seen.lastMetadata shouldBe bytes
                seen.taskMetadata shouldBe 20
                producer.join() shouldBe true
            }
            producer.results().extracted shouldBe 20
        }
    }

    test("the consumer receives an error with its text and its binary metadata [ASY-21]") {
        val quirks = setOf(PeerProducer.Quirk.ERROR)
        PeerConsumer(window = 5).use { consumer ->
            PeerProducer(9, 10, quirks, at = 4, code = 5, message = "disk gone", errorMetadata = bytes)
                .use { it.start(consumer.handler) }
            consumer.join() shouldBe true
            val seen = consumer.results()
            seen.code shouldBe 5
            seen.message shouldBe "disk gone"
            seen.errorMetadata shouldBe bytes
            seen.tasks shouldBe 4
        }
    }

    test("a hang is recorded as a violation with a text") {
        PeerConsumer(window = 0, quirks = setOf(PeerConsumer.Quirk.NO_DEMAND)).use { consumer ->
            PeerProducer(2, 10).use { producer ->
                producer.start(consumer.handler)
                producer.join(timeoutMillis = 20) shouldBe false
                CPeer.counts().violation shouldContain "hang"
                CPeer.reset()
                consumer.request(2)
            }
        }
    }

    test("a producer like Arrow C++ works with a consumer like arrow-go [ASY-22]") {
        PeerConsumer(5, PeerConsumer.LIKE_ARROW_GO + PeerConsumer.Quirk.TOLERANT).use { consumer ->
            val producer = PeerProducer(50, 10, PeerProducer.LIKE_ARROW_CPP + PeerProducer.Quirk.TOLERANT)
            producer.start(consumer.handler)
            producer.close()
            producer.results().released shouldBe 1
            consumer.join() shouldBe true
            consumer.results().rows shouldBe 500
        }
    }
})
