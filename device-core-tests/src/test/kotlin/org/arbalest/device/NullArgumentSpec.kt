// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.spi.ForeignArray
import org.arbalest.device.spi.MemoryAllocator
import org.arbalest.support.CCompiler
import org.arbalest.support.LedgerExtension
import org.jspecify.annotations.Nullable
import java.lang.classfile.Attributes
import java.lang.classfile.ClassFile
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.reflect.Constructor
import java.lang.reflect.Executable
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.math.BigDecimal
import java.nio.file.FileSystems
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.time.LocalDateTime
import java.time.OffsetDateTime
import java.time.temporal.ChronoUnit
import java.time.temporal.Temporal
import java.time.temporal.TemporalUnit
import java.util.UUID
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import java.util.function.Consumer
import java.util.function.IntPredicate
import java.util.function.LongConsumer

/**
 * Calls whatever is public in `org.arbalest.device` with null for each reference that is not `@Nullable`, beside arguments that are right, and
 * expects a NullPointerException that names the parameter.
 */
class NullArgumentSpec : FunSpec({
    extension(CCompiler.needed)
    extension(LedgerExtension)

    /**
     * What the JDK makes of enums and records, and `AsyncArrayStream.subscribe`, which the Reactive Streams TCK asks, and which needs a producer.
     * An array of varargs is left out, too.
     */
    fun isLeftOut(method: Executable): Boolean =
        method.name == "equals" || method.name == "subscribe" || method.name == "valueOf" || Modifier.isAbstract(method.modifiers) || method.isSynthetic ||
            method.declaringClass.let { it.isEnum || it == DeviceStatus::class.java }

    fun classes(): List<Class<*>> {
        val here = Path.of(Field::class.java.protectionDomain.codeSource.location.toURI())
        val names = { root: Path -> Files.list(root.resolve("org/arbalest/device")).use { paths -> paths.map { it.fileName.toString() }.toList() } }
        val files = if (Files.isDirectory(here)) names(here) else FileSystems.newFileSystem(here).use { names(it.getPath("/")) }
        return files.filter { it.endsWith(".class") && it != "package-info.class" }.map { Class.forName("org.arbalest.device." + it.removeSuffix(".class")) }
            .filter { type -> generateSequence<Class<*>>(type) { it.declaringClass }.all { Modifier.isPublic(it.modifiers) } }
    }

    fun descriptor(method: Executable): String =
        method.parameterTypes.joinToString("", "(", ")") { it.descriptorString() } + if (method is Method) method.returnType.descriptorString() else "V"

    /** Whether an exception is by an explicit check, or by the first thing that was done with the argument. */
    fun names(thrown: NullPointerException, name: String, type: Class<*>): Boolean {
        val message = thrown.message.orEmpty()
        return message == name || message.endsWith("because \"$name\" is null") ||
            (name.startsWith("new") && message == name.removePrefix("new").replaceFirstChar(Char::lowercase)) ||
            (type == MemorySegment::class.java && message.endsWith("because \"segment\" is null"))
    }

    /** The names of the parameters, which javac keeps for debuggers. */
    fun names(method: Executable): List<String> {
        val type = method.declaringClass
        val bytes = checkNotNull(type.classLoader.getResourceAsStream(type.name.replace('.', '/') + ".class")).use { it.readAllBytes() }
        val name = if (method is Constructor<*>) "<init>" else method.name
        val model = ClassFile.of().parse(bytes).methods().single { it.methodName().equalsString(name) && it.methodType().equalsString(descriptor(method)) }
        val locals = model.code().get().findAttributes(Attributes.localVariableTable()).flatMap { it.localVariables() }.associate { it.slot() to it.name().stringValue() }
        var slot = if (Modifier.isStatic(method.modifiers)) 0 else 1
        return method.parameterTypes.map { parameter ->
            checkNotNull(locals[slot]) { "$method has no names" }.also { slot += if (parameter == java.lang.Long.TYPE || parameter == java.lang.Double.TYPE) 2 else 1 }
        }
    }

    /** What is right, made anew for each call, and closed behind it. */
    class Examples(val method: Executable) : AutoCloseable {
        private val opened = ArrayDeque<AutoCloseable>()
        private val arena = Arena.ofConfined().also(opened::add)
        private val cpu = Devices.cpu()
        private fun <T : AutoCloseable> T.opened(): T = also(opened::add)

        private fun builder(): ColumnBuilder {
            val parameter = method.parameterTypes.first()
            val type = when (parameter) {
                String::class.java -> if (method.name == "child") NestedType.StructType(listOf(Field.of("name", DataType.INT8))) else DataType.UTF8
                BigDecimal::class.java -> DataType.decimal128(9, 0)
                UUID::class.java -> return cpu.batchBuilder(1).opened().column(Extension.uuid("a"))
                OffsetDateTime::class.java -> return cpu.batchBuilder(1).opened().column(Extension.timestampWithOffset("a", TimeUnit.SECOND))
                ByteArray::class.java -> if (method.name == "append") DataType.BINARY else DataType.INT8
                BooleanArray::class.java -> DataType.BOOL
                FloatArray::class.java, DoubleArray::class.java -> DataType.FLOAT64
                ByteStrings::class.java -> DataType.UTF8
                Field::class.java -> if (method.name == "items") NestedType.ListType(Field.of("", DataType.INT8)) else NestedType.StructType(listOf())
                else -> DataType.INT64
            }
            return cpu.batchBuilder(1).opened().column(Field.of("a", type))
        }

        private fun batch() = cpu.batchBuilder(1).use { it.int64("name", longArrayOf(1)).build() }.opened()

        private fun texts() = cpu.batchBuilder(9).use { it.utf8("name", List(9) { "a" }).build() }.opened().column(0).asByteStrings()

        fun of(type: Class<*>): Any = when (type) {
            java.lang.Long.TYPE -> if (method.name == "wrap" || method.name == "copyNonOwned") arena.allocate(8).address() else 8L
            Integer.TYPE -> 1
            java.lang.Boolean.TYPE -> true
            java.lang.Double.TYPE -> 1.0
            String::class.java -> "name"
            BigDecimal::class.java -> BigDecimal.ONE
            Duration::class.java -> Duration.ofSeconds(1)
            UUID::class.java -> UUID(1, 2)
            OffsetDateTime::class.java -> OffsetDateTime.MIN
            Extension::class.java, Extension.Json::class.java -> Extension.Json()
            Extension.Opaque::class.java -> Extension.Opaque("a", "b")
            Extension.Other::class.java -> Extension.Other("a", null, null)
            ExtensionCodec::class.java -> ExtensionCodec.of("name", String::class.java, DataType.UTF8, { column, row -> column.getString(row) }, { column, it -> column.append(it) })
            ExtensionCodec.Reader::class.java -> ExtensionCodec.Reader { column, row -> column.getString(row) }
            ExtensionCodec.Writer::class.java -> ExtensionCodec.Writer<String> { column, it -> column.append(it) }
            Class::class.java -> String::class.java
            Any::class.java -> "value"
            ForeignArray::class.java -> ForeignArray()
            Tensor::class.java -> Tensor(listOf(), listOf(), listOf(), batch().asColumn())
            Interval::class.java -> Interval(1, 2, 3)
            Temporal::class.java -> LocalDateTime.MIN
            TemporalUnit::class.java -> ChronoUnit.DAYS
            Throwable::class.java -> RuntimeException("no")
            ByteArray::class.java -> ByteArray(1)
            ShortArray::class.java -> ShortArray(1)
            IntArray::class.java -> IntArray(1)
            LongArray::class.java -> LongArray(1)
            FloatArray::class.java -> FloatArray(1)
            DoubleArray::class.java -> DoubleArray(1)
            BooleanArray::class.java -> BooleanArray(1)
            List::class.java, Collection::class.java -> listOf<Any>()
            Set::class.java -> setOf<Any>()
            Map::class.java -> mapOf<String, String>()
            Array<Field>::class.java -> arrayOf<Field>()
            Array<AsyncQuirk>::class.java -> arrayOf<AsyncQuirk>()
            Array<String>::class.java -> arrayOf("name")
            Arena::class.java -> arena
            MemorySegment::class.java -> arena.allocate(256, 8)
            Runnable::class.java -> Runnable {}
            Executor::class.java -> Executor { it.run() }
            Consumer::class.java -> Consumer<Any> {}
            IntPredicate::class.java -> IntPredicate { false }
            LongConsumer::class.java -> LongConsumer {}
            Flow.Publisher::class.java -> Flow.Publisher<Any> {}
            DeviceType::class.java -> DeviceType.CPU
            Device::class.java -> cpu
            DeviceStream::class.java -> cpu.defaultStream()
            MemoryManager::class.java -> cpu.memory()
            MemoryPool::class.java -> MemoryPool.of(cpu.memory(), 1024).opened()
            DeviceBuffer::class.java -> cpu.allocate(8).opened()
            DeviceArray::class.java -> batch()
            Column::class.java -> batch().asColumn()
            ColumnValues::class.java, ByteStrings::class.java -> texts()
            BatchBuilder::class.java -> cpu.batchBuilder(1).opened()
            ColumnBuilder::class.java -> builder()
            DeviceArrayReader::class.java -> DeviceArrayReader.of(Schema.of(listOf()), listOf()).opened()
            SyncEvent::class.java -> cpu.defaultStream().record().opened()
            ArrayData::class.java -> ArrayData.of(0, 0, listOf())
            AsyncSchema::class.java -> AsyncSchema.of(Schema.of(listOf()), DeviceType.CPU)
            Field::class.java -> Field.of("name", NestedType.StructType(listOf()))
            Schema::class.java -> Schema.of(listOf())
            Class::class.java -> Interval::class.java
            Records::class.java -> Records.of(Interval::class.java)
            Metadata::class.java -> Metadata.empty()
            DataType::class.java -> DataType.INT8
            FlatType.IntType::class.java -> DataType.INT8
            NestedType.UnionMode::class.java -> NestedType.UnionMode.DENSE
            Ledger::class.java -> Ledger.now()
            Any::class.java -> "value"
            Statistics.Target::class.java -> Statistics.builder().build().whole()
            StatisticsBuilder::class.java -> Statistics.builder()
            Interval::class.java -> Interval(1, 2, 3)
            Temporal::class.java -> LocalDateTime.MIN
            TemporalUnit::class.java -> ChronoUnit.DAYS
            MemoryAllocator::class.java -> CpuProvider().open(DeviceType.CPU, -1)
            DeviceArrayReader.Source::class.java -> object : DeviceArrayReader.Source {
                override fun next() = null
                override fun close() {}
            }
            TimeUnit::class.java -> TimeUnit.SECOND
            else -> if (type.isEnum) type.enumConstants.first() else throw NoSuchElementException("no example of $type for $method")
        }

        override fun close() {
            while (opened.isNotEmpty()) opened.removeLast().close()
        }
    }

    test("null is refused at every public door, by a NullPointerException that names the parameter") {
        var asked = 0
        val wrong = mutableListOf<String>()
        for (type in classes()) {
            for (method in type.declaredConstructors.toList<Executable>() + type.declaredMethods) {
                if (!Modifier.isPublic(method.modifiers) || isLeftOut(method)) continue
                method.parameters.forEachIndexed { i, parameter ->
                    if (parameter.type.isPrimitive || parameter.isVarArgs || parameter.annotatedType.isAnnotationPresent(Nullable::class.java)) return@forEachIndexed
                    asked++
                    val name = names(method)[i]
                    val what = Examples(method).use { examples ->
                        try {
                            val arguments = method.parameterTypes.mapIndexed { j, it -> if (i == j) null else examples.of(it) }.toTypedArray()
                            if (method is Method) {
                                method.invoke(if (Modifier.isStatic(method.modifiers)) null else examples.of(method.declaringClass), *arguments)
                            } else {
                                (method as Constructor<*>).newInstance(*arguments)
                            }.let { (it as? AutoCloseable)?.close() }
                            "is accepted"
                        } catch (e: InvocationTargetException) {
                            val thrown = e.targetException
                            if (thrown is NullPointerException && names(thrown, name, parameter.type)) null else "$thrown"
                        } catch (e: NoSuchElementException) {
                            e.message
                        }
                    }
                    if (what != null) wrong += "${type.simpleName}.${method.name}(${method.parameterTypes.joinToString { it.simpleName }}) $name: $what"
                }
            }
        }
        asked shouldBeGreaterThan 100
        System.getProperty("arbalest.dump")?.let { Files.writeString(Path.of(it), wrong.joinToString("\n")) }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }
})
