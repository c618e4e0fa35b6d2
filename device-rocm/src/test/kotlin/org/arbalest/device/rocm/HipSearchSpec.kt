// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.nio.file.Files
import java.nio.file.Path

/** The order in which HIP's library is searched for, with the layouts of ROCm 5 to 10. */
class HipSearchSpec : FunSpec({
    val folder = tempdir().toPath().toRealPath()

    fun install(at: String, file: String): String {
        val lib = Files.createDirectories(folder.resolve(at).resolve("lib"))
        Files.createFile(lib.resolve(file))
        return "${Files.createSymbolicLink(lib.resolve("libamdhip64.so"), Path.of(file))}"
    }

    fun search(rocmPath: String? = null, maps: String = "", opt: String = "opt"): HipSearch {
        val file = Files.writeString(folder.resolve("maps"), maps)
        return HipSearch.of(file, rocmPath, folder.resolve(opt))
    }

    val five = install("opt/rocm-5.7.1", "libamdhip64.so.5.7.50701")
    val six = install("opt/rocm-6.4.1", "libamdhip64.so.6.4.60401")
    val seven = install("opt/rocm/core-7.14", "libamdhip64.so.7.14.60850")
    val ten = install("opt/rocm/core-10.0", "libamdhip64.so.7.14.70000")

    fun List<String>.paths() = filter { '/' in it }

    test("the installed releases are tried newest first, after the names that the linker finds [DEV-64]") {
        val names = search().names()
        names.take(3) shouldBe listOf("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
        names.paths() shouldBe listOf(ten, seven, six, five)
        search(opt = "none").names().paths() shouldBe listOf()
    }

    test("a library of major version 8 is tried, and its runtime's version decides [DEV-64]") {
        val eight = install("future/rocm/core-10.1", "libamdhip64.so.8.0")
        search(opt = "future").run {
            names().paths() shouldBe listOf(eight)
            refusal().shouldBeNull()
            others() shouldBe ""
        }
        search(maps = "7f0000001000-7f0000002000 r--p 00000000 08:01 78   $eight\n").refusal().shouldBeNull()
    }

    test("a loaded library comes first, then that of ROCM_PATH, wherever they are [DEV-64]") {
        val own = install("home/my rocm", "libamdhip64.so.6")
        val loaded = install("venv/rocm_sdk", "libamdhip64.so.7")
        val maps = listOf(
            "7f0000000000-7f0000001000 r--p 00000000 08:01 77   /usr/lib/libc.so.6",
            "7f0000001000-7f0000002000 r--p 00000000 08:01 78   $loaded",
            "7f0000002000-7f0000003000 r-xp 00001000 08:01 78   $loaded",
            "7f0000003000-7f0000004000 rw-p 00000000 00:00 0    [heap]",
        ).joinToString("\n")
        val found = search("$folder/home/my rocm", maps)
        found.names().take(3) shouldBe listOf(loaded, own, "libamdhip64.so.7")
        found.refusal().shouldBeNull()
    }

    test("an unread major version is not tried, and the message names it and the way out [DEV-64]") {
        val eleven = install("new/rocm-11.0", "libamdhip64.so.11.0.1")
        val found = search(opt = "new")
        found.names().paths() shouldBe listOf()
        found.refusal().shouldBeNull()
        found.others() shouldBe "; found $eleven, a major version that this backend was not compared with; use ROCm " +
            "5 to 7 or 10, a newer release of this backend, or -Darbalest.rocm.anyVersion=true at your own risk"
        val loaded = search(maps = "7f0000001000-7f0000002000 r--p 00000000 08:01 78   $eleven\n")
        loaded.refusal() shouldContain "the process has loaded $eleven, a major version"
        for (version in listOf(0, 5_02_21153, 7_14_60850, 10_00_00001)) HipSearch.refusal(version).shouldBeNull()
        HipSearch.refusal(8_01_00000) shouldContain "HIP is of ROCm 8.1, a major version"
    }
})
