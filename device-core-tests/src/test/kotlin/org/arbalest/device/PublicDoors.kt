// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.BooleanView
import org.arbalest.device.columns.ByteStringView
import org.arbalest.device.columns.Column
import org.arbalest.device.columns.ColumnView
import org.arbalest.device.columns.DoubleView
import org.arbalest.device.columns.FloatView
import org.arbalest.device.columns.IntView
import org.arbalest.device.columns.LongView
import org.arbalest.device.columns.Selection
import org.arbalest.device.columns.Tensor
import org.arbalest.device.internal.array.ArrayRelease
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.internal.schema.SchemaImporter
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.objects.Records
import org.arbalest.device.spi.ForeignArray
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.statistics.StatisticsBuilder
import org.arbalest.device.tensors.DLPack
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.reflect.Executable
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.lang.reflect.ParameterizedType
import java.lang.reflect.Type
import java.lang.reflect.TypeVariable
import java.lang.reflect.WildcardType
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
import java.util.function.DoublePredicate
import java.util.function.Function
import java.util.function.IntPredicate
import java.util.function.LongConsumer
import java.util.function.LongPredicate

/**
 * Returns the public classes in `org.arbalest.device` and the packages below it, without C structs, the SPI, internal
 * classes, and allocators, which an application implements and does not call.
 */
internal fun publicClasses(): List<Class<*>> {
    val here = Path.of(Field::class.java.protectionDomain.codeSource.location.toURI())
    val names = { root: Path ->
        Files.walk(root.resolve("org/arbalest/device")).use { paths ->
            paths.map { root.relativize(it).toString().replace('\\', '/') }.toList()
        }
    }
    val files = if (Files.isDirectory(here)) names(here)
    else FileSystems.newFileSystem(here).use { names(it.getPath("/")) }
    return files.filter { it.endsWith(".class") && !it.endsWith("package-info.class") }.map {
        it.removeSuffix(".class").replace('/', '.')
    }
        .filterNot { name ->
            listOf("spi", "internal").any { name.startsWith("org.arbalest.device.$it.") } || name.endsWith("Struct") ||
                name == "org.arbalest.device.MemoryAllocator" ||
                name.startsWith("org.arbalest.device.objects.Object") ||
                name == "org.arbalest.device.async.WakingSubscription"
        }.map { Class.forName(it) }
        .filter { type ->
            generateSequence<Class<*>>(type) { it.declaringClass }.all { Modifier.isPublic(it.modifiers) }
        }
}

/** Valid arguments for one call of a method; closing this object closes them. */
internal class Examples(
    private val method: Executable,
    private val array: (() -> DeviceArray)? = null,
) : AutoCloseable {
    private val opened = ArrayDeque<AutoCloseable>()
    private val arena = Arena.ofConfined().also(opened::add)
    private val cpu = Devices.cpu()
    private fun <T : AutoCloseable> T.opened(): T = also(opened::add)

    private fun builder(): ColumnBuilder {
        val parameter = method.parameterTypes.first()
        val type = when (parameter) {
            String::class.java -> if (method.name == "child")
                NestedType.StructType(listOf(Field.of("name", DataType.INT8))) else DataType.UTF8
            BigDecimal::class.java -> DataType.decimal128(9, 0)
            UUID::class.java -> return BatchBuilder.of(cpu, 1).opened().column(Field.uuid("a"))
            OffsetDateTime::class.java -> return BatchBuilder.of(cpu, 1).opened()
                .column(Field.timestampWithOffset("a", ArrowTimeUnit.SECOND))
            ByteArray::class.java -> if (method.name == "append") DataType.BINARY else DataType.INT8
            BooleanArray::class.java -> DataType.BOOL
            FloatArray::class.java, DoubleArray::class.java -> DataType.FLOAT64
            ByteStringView::class.java -> DataType.UTF8
            Field::class.java -> if (method.name == "items") NestedType.ListType(Field.of("", DataType.INT8))
            else NestedType.StructType(listOf())
            else -> DataType.INT64
        }
        return BatchBuilder.of(cpu, 1).opened().column(Field.of("a", type))
    }

    private fun batch() = BatchBuilder.of(cpu, 1).use { it.int64("name", longArrayOf(1)).build() }.opened()

    private fun numbers(type: DataType) = BatchBuilder.of(cpu, 1)
        .use { it.column(Field.of("name", type)).appendNull().run { it.build() } }.opened().column(0)

    private fun texts() = BatchBuilder.of(cpu, 9).use { it.utf8("name", List(9) { "a" }).build() }.opened().column(0)
        .asByteStrings()

    fun of(type: Class<*>): Any = when (type) {
        java.lang.Long.TYPE -> if (method.name == "wrap" || method.name == "copyNonOwned") arena.allocate(8)
            .address() else 8L
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
        ExtensionCodec::class.java -> ExtensionCodec.of(
            "name",
            String::class.java,
            DataType.UTF8,
            { column, row -> column.getString(row) },
            { column, it -> column.append(it) },
        )
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
        CExport::class.java -> CExport.DATA
        CImport::class.java -> CImport.DATA.schema(Schema.of(listOf()))
        AsyncProducer::class.java -> AsyncProducer.failed(IllegalStateException("no stream"))
        MeteredMemory::class.java -> cpu.memory().metered()
        Array<String>::class.java -> arrayOf("name")
        Arena::class.java -> arena
        MemorySegment::class.java -> arena.allocate(256, 8)
        Runnable::class.java -> Runnable {}
        Executor::class.java -> Executor { it.run() }
        Consumer::class.java -> Consumer<Any> {}
        IntPredicate::class.java -> IntPredicate { false }
        LongPredicate::class.java -> LongPredicate { false }
        DoublePredicate::class.java -> DoublePredicate { false }
        Function::class.java -> Function<Any, Any> { it }
        Selection::class.java -> Selection.where(3) { it != 1L }
        LongView::class.java -> batch().column(0).asLongs()
        IntView::class.java -> numbers(DataType.INT32).asInts()
        DoubleView::class.java -> numbers(DataType.FLOAT64).asDoubles()
        FloatView::class.java -> numbers(DataType.FLOAT32).asFloats()
        BooleanView::class.java -> numbers(DataType.BOOL).asBooleans()
        LongConsumer::class.java -> LongConsumer {}
        Flow.Publisher::class.java -> Flow.Publisher<Any> {}
        DeviceType::class.java -> DeviceType.CPU
        Device::class.java -> cpu
        DeviceStream::class.java -> cpu.defaultStream()
        MemoryManager::class.java -> cpu.memory()
        MemoryPool::class.java -> MemoryPool.of(cpu.memory(), 4096).opened()
        DeviceBuffer::class.java -> cpu.allocate(8).opened()
        DeviceArray::class.java -> array?.invoke() ?: batch()
        RecordBatch::class.java -> batch()
        Column::class.java -> batch().asColumn()
        ColumnView::class.java, ByteStringView::class.java -> texts()
        BatchBuilder::class.java -> BatchBuilder.of(cpu, 1).opened()
        ColumnBuilder::class.java -> builder()
        DeviceArrayReader::class.java, RecordBatchReader::class.java ->
            RecordBatchReader.of(Schema.of(listOf()), listOf()).opened()
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
        ResourceCounters::class.java -> ResourceCounters.now()
        Any::class.java -> "value"
        Statistics.Target::class.java -> Statistics.builder().build().whole()
        StatisticsBuilder::class.java -> Statistics.builder()
        Interval::class.java -> Interval(1, 2, 3)
        Temporal::class.java -> LocalDateTime.MIN
        TemporalUnit::class.java -> ChronoUnit.DAYS
        MemoryAllocator::class.java -> CpuProvider().open(DeviceType.CPU, -1)
        DeviceArrayReader.Source::class.java -> object : DeviceArrayReader.Source<DeviceArray> {
            override fun next() = null
            override fun close() {}
        }
        ArrowTimeUnit::class.java -> ArrowTimeUnit.SECOND
        else -> if (type.isEnum) type.enumConstants.first()
        else throw NoSuchElementException("no example of $type for $method")
    }

    override fun close() {
        while (opened.isNotEmpty()) opened.removeLast().close()
    }
}

/**
 * The methods that the tests skip. `send` needs a peer, and `ArrayLinkSpec` tests it; `show` prints. The others also
 * work on a closed handle, or do not read the array yet.
 */
private val leftOut = setOf("send", "show", "device", "field", "schema", "asRecordBatch", "length", "structs",
    "isOpen", "close", "toString")

/** Returns the methods of an array, and the methods with an array as an argument. */
internal fun arrayDoors(): List<Method> {
    val all = publicClasses().flatMap { it.declaredMethods.toList() }.filter {
        Modifier.isPublic(it.modifiers) && !it.isSynthetic
    }
    val own = all.filter { isArray(it.declaringClass) && !Modifier.isStatic(it.modifiers) }
    val others = all.filter { door -> door.genericParameterTypes.any(::isOfArrays) }
    return (own + others).distinct().filter { it.name !in leftOut || (it.name == "toString" && it.parameterCount > 0) }
        .also { it.size shouldBeGreaterThan 40 }
}

/** Returns whether a method can be called with the array: some methods are only for batches. */
internal fun takes(door: Method, array: DeviceArray): Boolean {
    val receiver = listOfNotNull<Type>(door.declaringClass.takeUnless { Modifier.isStatic(door.modifiers) })
    return array is RecordBatch || (receiver + door.genericParameterTypes).none {
        it.typeName.removeSuffix(">").endsWith(RecordBatch::class.java.name)
    }
}

private fun isArray(type: Type): Boolean = when (type) {
    is WildcardType -> type.upperBounds.all(::isArray)
    is TypeVariable<*> -> type.bounds.all(::isArray)
    else -> type == DeviceArray::class.java || type == RecordBatch::class.java
}

private fun isOfArrays(type: Type): Boolean = isArray(type) ||
    (type is ParameterizedType && type.rawType == List::class.java && isArray(type.actualTypeArguments[0]))

internal fun title(door: Method): String =
    "${door.declaringClass.simpleName}.${door.name}(${door.parameterTypes.joinToString { it.simpleName }})"

@JvmRecord
internal data class DoorRow(val name: Long, val text: String)

/** Returns a batch with the columns that the examples need. */
internal fun doorBatch(): RecordBatch = BatchBuilder.of(Devices.cpu(), 3).use {
    it.int64("name", longArrayOf(1, 2, 3)).utf8("text", listOf("a", "b", "c")).build()
}

/** Returns the batch of [doorBatch] after an export and an import; [change] can modify the C struct in between. */
internal fun doorImport(change: (MemorySegment) -> Unit = {}): RecordBatch = Arena.ofConfined().use { arena ->
    val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
    val schema = arena.allocate(ArrowSchemaStruct.LAYOUT)
    doorBatch().use { CData.exportArray(it, out, CExport.DEVICE.schemaTo(schema)) }
    change(out)
    CData.importBatch(out, CImport.DEVICE.schema(schema))
}

/** Calls a method with an array, and releases the result. Returns the result, or the exception of the method. */
internal fun callDoor(
    door: Method,
    array: DeviceArray,
    field: Field = array.field(),
): Any? = Arena.ofConfined().use { arena ->
    val outs = List(2) { arena.allocate(256, 8) }
    var given = 0
    fun isOut(type: Class<*>) = door.name.startsWith("export") &&
        (type == MemorySegment::class.java || type == java.lang.Long.TYPE)
    Examples(door).use { examples ->
        fun argument(generic: Type, type: Class<*>): Any = when {
            type == DeviceArray::class.java -> array
            type == RecordBatch::class.java -> array.asRecordBatch()
            isOfArrays(generic) -> listOf(array)
            isOut(type) -> outs[given++].let { if (type == MemorySegment::class.java) it else it.address() }
            type == Field::class.java -> field
            type == Schema::class.java && field.type() is NestedType.StructType -> Schema.of(field.type().children())
            type == Class::class.java -> DoorRow::class.java
            type == Records::class.java -> Records.of(DoorRow::class.java)
            type == Integer.TYPE -> 0
            type == java.lang.Long.TYPE -> 1L
            else -> examples.of(type)
        }
        val receiver = if (Modifier.isStatic(door.modifiers)) null
        else argument(door.declaringClass, door.declaringClass)
        val arguments = door.parameters.map { argument(it.parameterizedType, it.type) }
        try {
            val answer = door.invoke(receiver, *arguments.toTypedArray())
            if (answer is MemorySegment) (receiver as DLPack).delete(answer)
            if (answer is AutoCloseable) answer.close()
            answer
        } catch (e: InvocationTargetException) {
            e.targetException
        } finally {
            ArrayRelease.release(outs[0].address())
            SchemaImporter.giveBack(outs[1].address())
        }
    }
}
