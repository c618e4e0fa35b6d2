// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.inspectors.forAll
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.ChildJvm
import org.arbalest.support.PeerLibrary
import org.arbalest.support.gpu.CudaDouble
import org.arbalest.support.gpu.HipDouble
import java.nio.file.Path
import kotlin.io.path.copyTo
import kotlin.io.path.createTempDirectory
import kotlin.io.path.div
import kotlin.io.path.name

class BundleSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)

    val libraries by lazy { listOf(PeerLibrary.library, CudaDouble.library, HipDouble.library) }

    test("a compiled bundle runs, and needs no symbol newer than glibc 2.28 [CHK-06]") {
        val folder = createTempDirectory("bundle")
        compile(libraries, folder)
        libraries.map { folder / it.file.name }.forAll { Glibc("2.28").tooYoung(it) shouldBe mapOf() }
        complain(folder) shouldBe null
        val child = ChildJvm.run(UsesLibraries::class, options = listOf("-Darbalest.native=$folder"))
        withClue(child.output) { child.output.trim() shouldBe "0 $folder" }
        folder.toFile().deleteRecursively()
    }

    test("a bundle that needs a newer glibc, or is too large, is rejected [CHK-06]") {
        val folder = createTempDirectory("bundle")
        val peer = PeerLibrary.library.file
        peer.copyTo(folder / peer.name)
        val young = Glibc("2.2.5").tooYoung(peer)
        young["memcpy"] shouldBe "2.14" // the newest version of memcpy on x86-64
        val today = Glibc("2.28").tooYoung(peer)
        if (today.isEmpty()) complain(folder) shouldBe null else complain(folder).shouldNotBeNull() shouldContain
            "libpeer.so needs a glibc newer than 2.28, for "
        (folder / "large").toFile().outputStream().use { out -> repeat(64) { out.write(ByteArray(1 shl 20)) } }
        complain(folder).shouldNotBeNull() shouldContain "the limit is 63"
        folder.toFile().deleteRecursively()
    }

    test("functions are bound to the newest allowed version, and a function without one is named [CHK-06]") {
        val libc = Path.of("/proc/self/maps").toFile().readLines().map { it.substringAfterLast(' ') }
            .first { it.endsWith("/libc.so.6") }.let(Path::of)
        Glibc("2.28").header(setOf("memcpy", "pthread_create"), libc) shouldBe
            "__asm__(\".symver memcpy,memcpy@GLIBC_2.14\");\n__asm__(\".symver " +
            "pthread_create,pthread_create@GLIBC_2.2.5\");\n"
        Glibc("2.2.5").header(setOf("memcpy"), libc) shouldBe "__asm__(\".symver memcpy,memcpy@GLIBC_2.2.5\");\n"
        shouldThrow<IllegalStateException> { Glibc("2.28").header(setOf("gettid"), libc) }.message shouldBe
            "glibc 2.28 has no gettid, but a library calls it"
    }
})

internal object UsesLibraries {
    @JvmStatic
    fun main(args: Array<String>) {
        CudaDouble.load()
        check(CudaDouble.library.file.parent == PeerLibrary.library.file.parent)
        println("${CPeer.counts().allocations} ${PeerLibrary.library.file.parent}")
    }
}
