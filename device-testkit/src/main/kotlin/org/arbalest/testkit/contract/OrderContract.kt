// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.Devices

/**
 * Tests of order. Work that waits sees the written data, and work that does not wait does not. A gate holds the writer
 * back.
 */
internal fun orderContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val cpu = Devices.cpu()

    test("a stream that waits for an event continues after it, and reads the written bytes [DEV-06]") {
        device.createStream().use { writer ->
            device.createStream().use { reader ->
                bytes(5000).use { source ->
                    device.allocate(5000).use { middle ->
                        device.allocate(5000).use { end ->
                            backend.held(writer) { gate ->
                                writer.copy(source, middle)
                                val written = writer.record()
                                reader.waitFor(written)
                                written.close() // the queue continues to wait
                                reader.copy(middle, end)
                                val read = reader.record()
                                read.isReady shouldBe (gate == null)
                                gate?.open()
                                read.use { it.synchronize() }
                            }
                            end.content() shouldBe source.content()
                        }
                    }
                }
            }
        }
    }

    test("a stream that does not wait for the event reads the old bytes [DEV-06]") {
        device.createStream().use { writer ->
            device.createStream().use { reader ->
                bytes(5000).use { source ->
                    bytes(5000, seed = 99).use { it.copyTo(device.memory()) }.use { middle ->
                        device.allocate(5000).use { end ->
                            backend.held(writer) { gate ->
                                writer.copy(source, middle)
                                reader.copy(middle, end)
                                reader.synchronize()
                                if (gate != null) end.content() shouldNotBe source.content()
                                gate?.open()
                                writer.synchronize()
                                backend.forgive()
                            }
                            middle.content() shouldBe source.content()
                        }
                    }
                }
            }
        }
    }

    test("a copy waits for its source's event, and is not ready before [DEV-04]") {
        device.createStream().use { writer ->
            device.createStream().use { reader ->
                numbers(1000).use { source ->
                    backend.held(writer) { gate ->
                        source.copyTo(device, writer).use { there ->
                            there.isReady shouldBe (gate == null)
                            there.copyTo(cpu, reader).use { back ->
                                back.isReady shouldBe (gate == null)
                                if (gate != null) {
                                    val error = runCatching { back.column("a").getLong(1) }
                                        .exceptionOrNull() as IllegalStateException
                                    error.message.orEmpty().contains("that has not completed") shouldBe true
                                }
                                gate?.open()
                                back.synchronize()
                                back.rows() shouldBe source.rows()
                            }
                        }
                    }
                }
            }
        }
    }

    test("a copy of text reads the offsets only after the array's event [DEV-04]") {
        device.createStream().use { writer ->
            batch(100).use { source ->
                backend.held(writer) { gate ->
                    source.copyTo(device, writer).use { there ->
                        val fetched = Thread.ofPlatform().unstarted { there.fetch() shouldBe source.rows() }
                        var failure: Throwable? = null
                        fetched.setUncaughtExceptionHandler { _, e -> failure = e }
                        fetched.start()
                        gate?.open()
                        fetched.join()
                        failure?.let { throw it }
                    }
                }
            }
        }
    }

    test("a stream waits for an array, and later work of the stream reads the array [DEV-06]") {
        device.createStream().use { writer ->
            device.createStream().use { reader ->
                bytes(800).use { source ->
                    val column = device.allocate(800)
                    backend.held(writer) { gate ->
                        writer.copy(source, column)
                        val field = org.arbalest.device.types.Field.of("n", org.arbalest.device.types.DataType.INT64)
                        org.arbalest.device.DeviceArray.of(
                            field, org.arbalest.device.ArrayData.of(100, 0, listOf(null, column)), writer,
                        ).use { array ->
                            array.isReady shouldBe (gate == null)
                            reader.waitFor(array)
                            val end = reader.record()
                            end.isReady shouldBe (gate == null)
                            gate?.open()
                            end.use { it.synchronize() }
                            array.isReady shouldBe true
                            array.copyTo(cpu).use {
                                it.synchronize()
                                it.asColumn().getLong(0) shouldBe
                                    source.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)
                            }
                        }
                    }
                }
            }
        }
    }

    test("order: a thousand copies in one stream run in order") {
        device.createStream().use { stream ->
            val buffers = List(3) { device.allocate(256) }
            val sources = List(10) { bytes(256, seed = it) }
            repeat(1000) { stream.copy(sources[it % 10], buffers[0]) }
            stream.copy(buffers[0], buffers[1])
            stream.copy(buffers[1], buffers[2])
            stream.synchronize()
            buffers[2].content() shouldBe sources[9].content()
            (buffers + sources).forEach { it.close() }
        }
    }

    test("order: a closed stream completes its queued work") {
        bytes(100).use { source ->
            device.allocate(100).use { target ->
                val stream = device.createStream()
                backend.held(stream) { gate ->
                    stream.copy(source, target)
                    val end = stream.record()
                    stream.close()
                    gate?.open()
                    end.use { it.synchronize() }
                }
                target.content() shouldBe source.content()
            }
        }
    }
}
