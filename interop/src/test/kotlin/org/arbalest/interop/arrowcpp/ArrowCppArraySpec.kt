// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.interop.Batches
import org.arbalest.interop.EngineException
import org.arbalest.interop.Had
import org.arbalest.interop.Laid
import org.arbalest.interop.Types
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT

/** Tests single arrays: Arrow C++ compares our arrays by its own equality, and we read the arrays that it makes. */
class ArrowCppArraySpec : FunSpec({
    extension(Had.needed { ArrowCpp.shimMissing })
    extension(ResourceCountersExtension)

    fun cpp(array: DeviceArray, block: (CppArray) -> Unit) = CppArray.of(array).use(block)

    for (type in Types.all) {
        test("Arrow C++ finds arrays and slices of $type equal, whether we or Arrow C++ made the slices [ARR-12]") {
            cpp(Batches.laid(type, 0, 100)) { whole ->
                whole.validate()
                for ((from, count) in listOf(
                    0L to 100L, 1L to 99L, 3L to 8L, 13L to 40L, 64L to 36L, 99L to 1L, 50L to 0L, 100L to 0L,
                )) {
                    val ours = Batches.laid(type, 0, 100).use { all -> all.slice(0, 100).use { it.slice(from, count) } }
                    cpp(ours) { slice ->
                        slice.validate()
                        whole.slice(from, count).use { it.isEqualTo(slice) shouldBe true }
                    }
                    if (count == 0L) continue
                    cpp(Batches.laid(type, from.toInt(), count.toInt())) { alike ->
                        whole.slice(from, count).use { it.isEqualTo(alike) shouldBe true }
                    }
                }
            }
        }

        test("a sliced column of $type that Arrow C++ slices and returns keeps its values [ARR-12]") {
            Batches.laid(type, 0, 60).use { batch ->
                for (column in 1..2) {
                    val child = batch.retainChild(column)
                    cpp(child.use { it.slice(11, 30) }) { slice ->
                        slice.validate()
                        slice.slice(4, 20).use { part ->
                            part.export().use { back ->
                                cpp(back.slice(2, 10)) { again ->
                                    part.slice(2, 10).use { it.isEqualTo(again) shouldBe true }
                                }
                                values(back) shouldBe (15 until 35).map { Batches.plain(type.value(it)) }
                            }
                        }
                    }
                }
            }
        }

        if ("dictionary" !in type.name) { // the builders make other dictionaries
            test("Arrow C++ finds an array of $type from the builders equal to one laid by hand") {
                cpp(Batches.built(type, 0, 50)) { built ->
                    built.validate()
                    cpp(Batches.laid(type, 0, 50)) { built.isEqualTo(it) shouldBe true }
                    cpp(Batches.laid(type, 1, 50)) { built.isEqualTo(it) shouldBe false }
                }
            }
        }

        val concatenates = type.name !in setOf("sparse union", "sparse union, ids 5 and 3", "dense union") &&
            !type.name.startsWith("run-ends")
        if (concatenates) {
            test("an array of $type that Arrow C++ makes is read, sliced and returned to Arrow C++ [ARR-12]") {
                cpp(Laid.array(type.field, (0 until 20).map(type::value))) { first ->
                    cpp(Laid.array(type.field, (20 until 50).map(type::value))) { second ->
                        first.plus(second).use { both ->
                            both.export().use { theirs ->
                                values(theirs) shouldBe (0 until 50).map { Batches.plain(type.value(it)) }
                                cpp(theirs.slice(15, 20)) { back ->
                                    both.slice(15, 20).use { it.isEqualTo(back) shouldBe true }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    test("Arrow C++ prints the expected values of each type") {
        val meant = ArrowCppArraySpec::class.java.getResource("/org/arbalest/interop/arrow_cpp_values.txt")!!
            .readText().trim()
        // Arrow C++ prints arrays for the other types.
        val plain = Types.all.filterNot { "dictionary" in it.name || it.name.startsWith("run-ends") }
        plain.joinToString("\n") { type ->
            CppArray.of(Laid.array(type.field, (0 until 4).map(type::value))).use { array ->
                "${type.name}: ${(0L until 4).map(array::value)}"
            }
        } shouldBe meant
    }

    test("a thread of Arrow C++ releases an array that it shares [OWN-10]") {
        val array = Laid.array(Types.all.first { it.name == "struct" }.field, List(10) { null })
        CppArray.of(array).let { whole ->
            val part = whole.slice(2, 3)
            whole.close()
            part.closeOnThread()
        }
    }

    test("Arrow C++'s full validation rejects decreasing offsets") {
        val text = Types.all.first { it.name == "utf8" }
        val array = Laid.array(text.field, listOf("one", "two", "three"))
        array.asColumn().let { column ->
            MemorySegment.ofAddress(column.bufferAddress(1)).reinterpret(16).setAtIndex(JAVA_INT, 1, 7)
        }
        cpp(array) { broken -> shouldThrow<EngineException> { broken.validate() }.message shouldContain "offset" }
    }
})

private fun values(array: DeviceArray): List<Any?> = array.asColumn().let { column ->
    (0 until array.length()).map { Batches.plain(column.get(it)) }
}
