// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.support.ResourceCountersExtension

/** A file that ends too early is rejected when it is opened, because the footer is at its end. */
class ArrowFileTruncationSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun rejectsEachTruncation(input: Inputs, subjects: List<Subjects.Subject>, rows: Long) {
        val bytes = subjects.single { it.inputs == Inputs.files }.bytes
        input.read(bytes) shouldBe rows
        for (size in bytes.indices) withClue(size) {
            val thrown = shouldThrow<IpcException> { input.read(bytes.copyOf(size)) }
            check(thrown.position() in 0..size) { thrown }
        }
    }

    for (input in listOf(Inputs.FILE_CHANNEL, Inputs.FILE_SEGMENT)) {
        test("a file with every type, truncated at any byte, is rejected by $input [FIL-05]") {
            rejectsEachTruncation(input, Subjects.everyType(IpcCompression.NONE, rows = 2), 4)
        }
    }

    for (input in Inputs.files) {
        test("a file with dictionaries, truncated at any byte, is rejected by $input [FIL-05]") {
            rejectsEachTruncation(input, Subjects.deltas(IpcCompression.ZSTD), 6)
        }
    }
})
