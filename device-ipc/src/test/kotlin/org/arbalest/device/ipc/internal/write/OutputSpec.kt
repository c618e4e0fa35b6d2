// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.ClosedByInterruptException
import java.nio.channels.WritableByteChannel
import java.nio.file.Path

class OutputSpec : FunSpec({
    class Failing(private val failure: IOException) : WritableByteChannel {
        override fun write(source: ByteBuffer): Int = throw failure

        override fun isOpen() = true

        override fun close() {}
    }

    fun failure(path: Path?, failure: IOException): IOException = Output(Failing(failure), path, true).use { output ->
        output.add(ByteBuffer.allocate(1))
        shouldThrow<IOException> { output.flush() }
    }

    test("an error of writing to a path names it, unless its class has a meaning [FIL-22]") {
        val full = IOException("No space left on device")
        failure(Path.of("some", "file"), full).message shouldBe "cannot write some/file: No space left on device"
        failure(null, full) shouldBe full
        val interrupted = ClosedByInterruptException()
        failure(Path.of("some", "file"), interrupted) shouldBe interrupted
    }
})
