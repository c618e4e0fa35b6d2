// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import com.tngtech.archunit.core.domain.JavaClass
import com.tngtech.archunit.core.domain.JavaModifier
import com.tngtech.archunit.core.importer.ClassFileImporter
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import kotlin.io.path.Path

/** Parts that the other twin has no use for; why, is in the packages' documentation. */
private val ONLY_CUDA = listOf("CuManaged", "CuMap", "Cuda", "FabricMemory", "Jcuda", "ManagedHints", "ManagedMemory", "Mappings", "MemoryAdvice")
private val ONLY_ROCM = listOf("HipThread", "Rocm")

/** What the other twin's part of that name does not do, but for the functions of the libraries. */
private val ONLY_CUDAS = mapOf(
    "Copies" to setOf("copyAndRecord", "copyAndRun"),
    "Gpu" to setOf("attribute", "context", "device", "hasFarPeers", "push"),
    "RocmDriver" to setOf("copyAndRecord"),
    "RocmSharing" to setOf("exportEvent", "openEvent", "record"),
    "Streams" to setOf("copyOf"),
    "Waits" to setOf("leave"),
)
private val ONLY_ROCMS = mapOf("HipErrors" to setOf("forget"), "Pool" to setOf("mallocAsync"), "Streams" to setOf("await"))

/** CUDA's and ROCm's backends are twins: who knows one, finds his way in the other. */
class TwinsSpec : FunSpec({
    val (cuda, rocm) = listOf("cuda", "rocm").map { name ->
        ClassFileImporter().importPath(Path("../device-$name/target/classes")).filter { it.isTopLevelClass && it.simpleName != "package-info" }
    }

    test("their parts have the same names, but for those that only one has") {
        rocm.map { it.simpleName } - ONLY_ROCM shouldContainExactlyInAnyOrder (cuda.map { it.simpleName } - ONLY_CUDA).map(::inRocm)
        cuda.map { it.simpleName }.filter { it in ONLY_CUDA } shouldContainExactlyInAnyOrder ONLY_CUDA
        rocm.map { it.simpleName }.filter { it in ONLY_ROCM } shouldContainExactlyInAnyOrder ONLY_ROCM
    }

    for (part in cuda.filter { it.simpleName !in ONLY_CUDA + listOf("Cu", "CuCopies", "CuIpc", "CuMemory", "CuRegister") }) {
        val name = inRocm(part.simpleName)

        test("$name does what ${part.simpleName} does, in the same words") {
            val twin = rocm.single { it.simpleName == name }
            part.words - twin.words shouldBe ONLY_CUDAS[name].orEmpty()
            twin.words - part.words shouldBe ONLY_ROCMS[name].orEmpty()
        }
    }
})

private fun inRocm(name: String): String = name.replace(Regex("^Cuda(?=[A-Z])"), "Rocm").replace(Regex("^Cu(?=[A-Z]|$)"), "Hip")

/** What others in the package may call. */
private val JavaClass.words: Set<String> get() = methods.filter { JavaModifier.PRIVATE !in it.modifiers }.map { it.name }.toSet()
