// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.message.IpcOption
import org.apache.arrow.vector.types.MetadataVersion
import org.arbalest.device.DeviceException
import org.arbalest.device.arrow.ArrowVectors
import org.arbalest.device.ipc.IpcType.Shape
import org.arbalest.support.ResourceCountersExtension
import org.apache.arrow.vector.types.pojo.Schema as JavaSchema

/** Tests that this library reads what Arrow Java writes. [ArrowJavaTypesSoakSpec] tests each type by itself. */
class ArrowJavaWritesSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (shape in listOf(Shape.WHOLE, Shape.SLICED, Shape.EMPTY_SLICE)) {
        test("Arrow Java's files and streams of every type have its values: $shape [FIL-01]") {
            RootAllocator().use { allocator ->
                IpcType.batch(JavaLimit.without(shape), shape).use { batch ->
                    Format.some { format, codec ->
                        withClue("$format, $codec") {
                            format.shouldRead(ArrowJava.write(format, codec, batch, allocator), batch)
                        }
                    }
                }
            }
        }
    }

    test("Arrow Java's files and streams have its schema") {
        RootAllocator().use { allocator ->
            IpcType.batch(JavaLimit.without(Shape.WHOLE), Shape.WHOLE).use { batch ->
                for (format in Format.entries) {
                    format.read(ArrowJava.write(format, IpcCompression.NONE, batch, allocator)) {
                        it.schema() shouldBe batch.schema()
                    } shouldBe 1
                }
            }
        }
    }

    // of a union, version 4 has a validity bitmap, which Arrow Java does not write
    for (option in listOf(IpcOption(false, MetadataVersion.V4), IpcOption(true, MetadataVersion.V4),
        IpcOption(true, MetadataVersion.V5))) {
        val framing = if (option.write_legacy_ipc_format) "the framing before version 0.15" else "today's framing"
        test("Arrow Java's metadata version ${option.metadataVersion} with $framing is read [FIL-09]") {
            val types = JavaLimit.without(Shape.WHOLE)
                .filter { option.metadataVersion == MetadataVersion.V5 || "union" !in it.name }
            RootAllocator().use { allocator ->
                IpcType.batch(types, Shape.WHOLE).use { batch ->
                    Format.some { format, codec ->
                        withClue("$format, $codec") {
                            format.shouldRead(ArrowJava.write(format, codec, batch, allocator, option), batch)
                        }
                    }
                }
            }
        }
    }

    test("Arrow Java's batch without columns keeps its number of rows") {
        RootAllocator().use { _ ->
            for (format in Format.entries) {
                VectorSchemaRoot(JavaSchema(emptyList()), emptyList(), 5).use { root ->
                    val bytes = ArrowJava.write(format, IpcCompression.NONE, root, MapDictionaryProvider())
                    format.read(bytes) { it.length() shouldBe 5 } shouldBe 1
                }
            }
        }
    }

    test("Arrow Java's file or stream without batches has its schema") {
        RootAllocator().use { allocator ->
            IpcType.batch(JavaLimit.without(Shape.EMPTY), Shape.EMPTY).use { batch ->
                val dictionaries = MapDictionaryProvider()
                ArrowVectors.toVectorSchemaRoot(batch, allocator, dictionaries).use { root ->
                    for (format in Format.entries) {
                        val bytes = ArrowJava.write(format, IpcCompression.NONE, root, dictionaries) {}
                        format.read(bytes) { error("a batch of ${it.length()} rows") } shouldBe 0
                    }
                }
                dictionaries.dictionaryIds.forEach { dictionaries.lookup(it).vector.close() }
            }
        }
    }

    for ((type, shape) in JavaLimit.types) {
        val limit = JavaLimit.of(type, shape)!!
        test("Arrow Java cannot write $type, $shape: $limit") {
            RootAllocator().use { allocator ->
                IpcType.batch(listOf(type), shape).use { batch ->
                    val error = shouldThrow<DeviceException> {
                        ArrowJava.write(Format.STREAM, IpcCompression.NONE, batch, allocator)
                    }
                    error.message shouldContain limit.vectors
                }
            }
        }
    }
})
