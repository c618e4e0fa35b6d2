// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.fuzz

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ChildJvm
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.exists
import kotlin.io.path.name
import kotlin.io.path.readBytes
import kotlin.io.path.readLines

/**
 * Files, streams and LZ4 frames, searched by Jazzer: each seed once, then each target for some seconds in a separate
 * JVM, because a bug may crash it. The profile `full` adds Jazzer. `-Darbalest.fuzz.seconds=600` searches longer.
 * Findings are stored in `target/fuzz`; a copy in `src/test/fuzz/TARGET` becomes a seed.
 */
class IpcFuzzSpec : FunSpec({
    val seconds = Integer.getInteger("arbalest.fuzz.seconds", 6)
    val targets = listOf(FuzzFile, FuzzStream, FuzzLz4)

    for (target in targets) {
        val name = target::class.simpleName!!

        test("$name finds nothing in its seeds") {
            val seeds = Files.list(Path("src/test/fuzz", name)).use { it.sorted().toList() }
            for (seed in seeds) withClue(seed.name) { target.fuzz(seed.readBytes()) }
        }

        test("$name finds nothing in some seconds of searching") {
            val found = search(target, seconds)
            withClue(found.text) { found.isFailure shouldBe false }
        }
    }

    test("Jazzer finds a planted bug, and keeps its input") {
        val found = search(PlantedBug, 30)
        found.isFailure shouldBe true
        found.text shouldContain "the planted bug"
        found.last.take(3).toByteArray().decodeToString() shouldBe "ARR"
    }
}) {
    private class Found(val isFailure: Boolean, val text: String, val last: List<Byte>)

    private companion object {
        // The heap is limited because libFuzzer limits all resident memory. The default heap of a JVM on a large
        // machine exceeds that limit before the first collection.
        fun search(target: FuzzTarget, seconds: Int): Found {
            val name = target::class.simpleName!!
            val folder = Path("target/fuzz", name).toAbsolutePath().createDirectories()
            val last = folder.resolve("last")
            val seeds = Path("src/test/fuzz", name).toAbsolutePath()
            val child = ChildJvm.run(
                Class.forName("com.code_intelligence.jazzer.Jazzer").kotlin,
                "--target_class=${target::class.java.name}", "--instrumentation_includes=org.arbalest.**",
                "--custom_hook_excludes=**", "--disabled_hooks=*", "--reproducer_path=$folder",
                "-artifact_prefix=$folder/", "-max_total_time=$seconds", "-max_len=4096", "-timeout=20",
                "-rss_limit_mb=${4096 + peakMegabytes()}", "-print_final_stats=1",
                "${folder.resolve("corpus").createDirectories()}",
                *listOfNotNull("$seeds".takeIf { seeds.exists() }).toTypedArray(),
                options = listOf("-Xmx1g", "-XX:+EnableDynamicAgentLoading", "--sun-misc-unsafe-memory-access=allow",
                    "-D${FuzzTarget.LAST}=$last"),
                seconds = seconds + 300L,
            )
            val bytes = if (last.exists()) lastInput(last) else byteArrayOf()
            val text = "exit code ${child.exitCode}, last input ${bytes.toHexString()}\n${child.output}"
            return Found(child.exitCode != 0, text, bytes.toList())
        }

        /**
         * Returns the peak resident memory of this JVM. Linux counts it in the peak of its child, which libFuzzer's
         * limit applies to.
         */
        private fun peakMegabytes(): Long {
            val status = Path("/proc/self/status").takeIf { it.exists() }?.readLines().orEmpty()
            return status.firstOrNull { it.startsWith("VmHWM:") }?.let { it.filter(Char::isDigit).toLong() / 1024 } ?: 0
        }

        private fun lastInput(file: Path): ByteArray = ByteBuffer.wrap(file.readBytes()).let { data ->
            ByteArray(data.getInt()).also(data::get)
        }
    }
}
