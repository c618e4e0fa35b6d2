// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import com.tngtech.archunit.base.DescribedPredicate
import com.tngtech.archunit.core.domain.AccessTarget
import com.tngtech.archunit.core.domain.JavaClass
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.lang.ArchRule
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.internal.memory.PlantedArrow
import java.io.File
import java.lang.module.ModuleFinder
import kotlin.io.path.Path

private const val DEVICE = "org.arbalest.device"

/** The internal packages of core, the lowest first. A package may use only the packages before it. */
private val ROOMS = listOf(
    "access", "abi", "recording", "management", "memory", "exit", "calls", "lifetime", "schema", "cpu", "staging",
    "device", "array", "sharing", "validate", "copy", "convert", "tensor", "read", "build", "records", "statistics",
    "stream", "async",
)

/**
 * The internal package to which each type of the public API belongs: the package that implements the type, or that uses
 * it as a value. Errors belong to all packages.
 */
private val FRONT = mapOf(
    "abi" to listOf(
        "ArrowArrayStreamStruct", "ArrowArrayStruct", "ArrowAsyncHandlerStruct", "ArrowAsyncProducerStruct",
        "ArrowAsyncTaskStruct", "ArrowDeviceArrayStreamStruct", "ArrowDeviceArrayStruct", "ArrowSchemaStruct",
        "Availability", "DeviceType", "DLManagedTensorStruct", "DLManagedTensorVersionedStruct", "DLTensorStruct",
        "Errno", "MemoryAllocator",
    ),
    "exit" to listOf("ProcessExit"),
    "management" to listOf("MXBeanRegistration"),
    "lifetime" to listOf("HandleWatch", "ResourceCounters", "ResourceCountersMXBean"),
    "schema" to listOf("DataType", "Extension", "Field", "FlatType", "Interval", "Metadata", "NestedType", "Schema",
        "ArrowTimeUnit"),
    "device" to listOf(
        "Device", "DeviceBuffer", "DeviceIdentity", "Devices", "DeviceStatus", "DeviceStream", "MemoryManager",
        "MemoryPool", "MemoryPoolMXBean", "MeteredMemory", "MeteredMemoryMXBean", "OutOfMemoryHandler", "SyncEvent",
    ),
    "array" to listOf("ArrayData", "Conversion", "DeviceArray", "RecordBatch", "Validation"),
    "sharing" to listOf("ArrayLink", "SharedArray"),
    "tensor" to listOf("DLPack"),
    "read" to listOf(
        "BooleanView", "ByteStringView", "ByteView", "Column", "ColumnView", "DoubleView", "ExtensionCodec",
        "FloatView", "HalfFloatView", "IntView", "LongView", "Runs", "Selection", "ShortView", "Tensor",
    ),
    "build" to listOf("BatchBuilder", "ColumnBuilder"),
    "statistics" to listOf("StatisticKeys", "Statistics", "StatisticsBuilder"),
    "records" to listOf("ColumnName", "ObjectConversion", "ObjectProvider", "ObjectShape", "ObjectType", "Records"),
    "stream" to listOf("DeviceArrayReader", "RecordBatchReader"),
    "async" to listOf("AsyncArrayStream", "AsyncProducer", "AsyncQuirk", "AsyncSchema", "AsyncTask", "CData",
        "CExport", "CImport", "WakingSubscription"),
).flatMap { (room, types) -> types.map { it to room } }.toMap()

/** The uses of a higher internal package by a type of the public API that are allowed, with the reason for each. */
private val DOORS = mapOf(
    "DeviceArray -> validate" to "array.validate(level)",
    "DeviceArray -> copy" to "array.copyTo(device), array.countNulls(stream), DeviceArray.concat(arrays)",
    "DeviceArray -> convert" to "array.convertTo(field), array.compact()",
    "DeviceArray -> read" to "array.asColumn(), array.filter(rows)",
    "RecordBatch -> convert" to "batch.select(paths), batch.pushDownNulls()",
    "RecordBatch -> read" to "batch.column(name)",
    "ExtensionCodec -> build" to "codec.append(builder, value)",
    "BatchBuilder -> records" to "batch.column(field, objects)",
    "MXBeanRegistration -> device" to "MXBeanRegistration.of(pool, name)",
    "DeviceStream -> array" to "stream.waitFor(array), stream.keepAlive(array)",
)

/** The artifacts that are Java modules, and their permanent names. */
private val MODULES =
    mapOf(
        "device-core" to DEVICE,
        "coroutines" to "org.arbalest.coroutines",
        "leak-check" to "org.arbalest.leakcheck",
        "adbc-coroutines" to "org.arbalest.adbc.coroutines",
        "ipc-coroutines" to "org.arbalest.ipc.coroutines",
    ) + listOf("opencl", "cuda", "rocm", "arrow", "adbc", "ipc").map { "device-$it" to "$DEVICE.$it" }

/** The packages of the public API for users, the root first. */
private val FRONT_PACKAGES = listOf(DEVICE) + listOf("types", "columns", "builders", "objects", "async", "tensors",
    "sharing", "statistics", "monitoring", "c").map { "$DEVICE.$it" }

/** All exported packages, the lowest first. A package may use only the packages before it. */
private val PUBLIC_PACKAGES = listOf("types", "columns", "", "builders", "objects", "async", "tensors", "sharing",
    "statistics", "monitoring", "c", "spi").map { "$DEVICE.$it".removeSuffix(".") }

class ArchitectureSpec : FunSpec({
    val core = ClassFileImporter().importPath(Path("../device-core/target/classes"))

    for (room in ROOMS) {
        test("the package $room uses no package above it, nor a public type that belongs to one") {
            looksDown(room).check(core)
        }
    }

    test("the check finds a dependency on a higher package") {
        val planted = ClassFileImporter().importClasses(PlantedArrow::class.java)
        shouldThrow<AssertionError> { looksDown("memory").check(planted) }.message shouldContain "RecordBatch"
    }

    test("the internal packages are free of cycles") {
        slices().matching("$DEVICE.internal.(*)..").should().beFreeOfCycles().check(core)
    }

    test("every class of core is in an internal package, or a public type that belongs to one") {
        val rooms = ROOMS.map { "$DEVICE.internal.$it" }
        val front = FRONT.keys + "DeviceException"
        val homeless = core.filter { it.packageName in FRONT_PACKAGES || it.packageName.startsWith("$DEVICE.internal") }
            .filterNot {
                it.packageName in rooms || it.outermost.substringAfterLast('.') in front ||
                    it.simpleName == "package-info"
            }
        homeless.map { it.name }.shouldBeEmpty()
    }

    test("public types use higher internal packages only in the allowed cases") {
        val reached = core.filter { it.packageName in FRONT_PACKAGES }.flatMap { type ->
            type.directDependenciesFromSelf.mapNotNull { arrow ->
                "${type.outermost.substringAfterLast('.')} -> ${arrow.targetClass.room}".takeIf {
                    type.room in ROOMS && rank(arrow.targetClass) > rank(type)
                }
            }
        }
        reached.distinct() shouldContainExactlyInAnyOrder DOORS.keys
    }

    test("no internal package reaches a higher package through a public type") {
        val entered = core.filter { "internal" in it.packageName }.flatMap { type ->
            type.methodCallsFromSelf.filter {
                it.targetOwner.packageName in FRONT_PACKAGES && it.target.rawReturnTypeRoom() > rank(type)
            }
        }
        entered.map { it.description }.shouldBeEmpty()
    }

    test("exported packages use each other only in the order of the manual") {
        val upward = core.filter { it.packageName in PUBLIC_PACKAGES }.flatMap { type ->
            type.directDependenciesFromSelf.map { it.targetClass }.filter {
                PUBLIC_PACKAGES.indexOf(it.packageName) > PUBLIC_PACKAGES.indexOf(type.packageName)
            }
                .map { "${type.name} -> ${it.name}" }
        }
        upward.distinct().shouldBeEmpty()
        ModuleFinder.of(Path("../device-core/target/classes")).findAll().single().descriptor().exports()
            .map { it.source() } shouldContainExactlyInAnyOrder PUBLIC_PACKAGES
    }

    test("errors depend only on the metadata that an async stream may add to them") {
        classes().that().haveFullyQualifiedName("$DEVICE.DeviceException").should()
            .onlyDependOnClassesThat(DescribedPredicate.describe("are allowed for errors") {
                !it.name.startsWith("$DEVICE.") ||
                    it.name in listOf("$DEVICE.DeviceException", "$DEVICE.Errno", "$DEVICE.types.Metadata")
            })
            .check(core)
    }

    test("the structs of the C interface depend only on the check of native access") {
        val isStruct = DescribedPredicate.describe<JavaClass>("are structs") {
            it.simpleName.endsWith("Struct") && it.packageName in listOf("$DEVICE.c", "$DEVICE.tensors") ||
                it.packageName == "$DEVICE.internal.abi"
        }
        val known = DescribedPredicate.describe<JavaClass>("are allowed for structs") {
            !it.name.startsWith("$DEVICE.") || isStruct.test(it) || it.packageName == "$DEVICE.internal.access"
        }
        classes().that(isStruct).should().onlyDependOnClassesThat(known).check(core)
    }

    test("the check of native access depends on no other package") {
        classes().that().resideInAPackage("$DEVICE.internal.access").should()
            .onlyDependOnClassesThat(DescribedPredicate.describe("are allowed for the lowest package") {
                !it.name.startsWith("$DEVICE.") || it.packageName == "$DEVICE.internal.access"
            })
            .check(core)
    }

    test("a driver depends only on the C interface, errors, hardware types and the guard of callbacks") {
        val known = DescribedPredicate.describe<JavaClass>("are allowed for a driver") {
            !it.name.startsWith("$DEVICE.") || it.packageName in listOf("$DEVICE.spi", "$DEVICE.internal.exit") ||
                it.name in listOf("Availability", "DeviceException", "DeviceIdentity", "DeviceType", "Errno",
                    "MemoryAllocator").map { known -> "$DEVICE.$known" }
        }
        classes().that().resideInAPackage("$DEVICE.spi..").and().doNotHaveSimpleName("ArrayBridge").and()
            .doNotHaveSimpleName("ArrayStruct").and().doNotHaveSimpleName("OpenFile").should()
            .onlyDependOnClassesThat(known).check(core)
    }

    for ((artifact, name) in MODULES) {
        test("$artifact is the module $name, and provides the same services as on the class path [MOD-02]") {
            val module = ModuleFinder.of(Path("../$artifact/target/classes")).findAll().single().descriptor()
            module.name() shouldBe name
            module.isAutomatic shouldBe false
            module.exports().filter { it.isQualified }.shouldBeEmpty()
            val services = File("../$artifact/src/main/resources/META-INF/services").listFiles().orEmpty()
            services.associate { it.name to it.readLines().filter(String::isNotBlank) } shouldBe
                module.provides().associate { it.service() to it.providers() }
            val classes = ClassFileImporter().importPath(Path("../$artifact/target/classes"))
            module.provides().flatMap { it.providers() }.forEach { classes.contain(it) shouldBe true }
        }
    }

    test("other packages use the exit guard by one class, and the constants for it [OWN-17]") {
        val others = core.filterNot { it.packageName == "$DEVICE.internal.exit" }
        val entered = others.flatMap { it.directDependenciesFromSelf }.map { it.targetClass }
            .filter { it.packageName == "$DEVICE.internal.exit" }.map { it.simpleName }.toSet()
        entered shouldBe setOf("ExitGuard", "ExitAction")
    }

    test("only NativeHeap copies bytes of any length, which it does in parts [DEV-51]") {
        // The copies of the other classes are small.
        val few = listOf("$DEVICE.internal.memory.NativeHeap", "$DEVICE.internal.abi.Memory",
            "$DEVICE.internal.exit.ExitPages", "$DEVICE.spi.SharedHandle")
        val copying = core.filterNot { it.outermost in few || it.packageName == "$DEVICE.c" }
            .flatMap { it.methodCallsFromSelf }
            .filter {
                it.targetOwner.name == "java.lang.foreign.MemorySegment" && it.target.name in listOf("copy", "copyFrom")
            }
        copying.map { it.description }.shouldBeEmpty()
    }

    test("no other module uses an internal package of core") {
        // The profile spark compiles these modules.
        val spark = if (System.getProperty("spark.built") == "true") listOf("spark", "spark-kotlin") else listOf()
        val others = ClassFileImporter().importPaths((listOf(
            "coroutines", "device-opencl", "device-cuda", "device-rocm", "device-arrow", "device-adbc",
            "device-ipc", "adbc-coroutines", "ipc-coroutines", "leak-check", "device-testkit",
        ) + spark).map { Path("../$it/target/classes").toRealPath() })
        noClasses().should().dependOnClassesThat().resideInAPackage("$DEVICE.internal..").check(others)
    }
})

private fun looksDown(room: String): ArchRule {
    val above = ROOMS.drop(ROOMS.indexOf(room) + 1)
    val belongsAbove = DescribedPredicate.describe<JavaClass>("belong to a package above $room") { it.room in above }
    return noClasses().that().resideInAPackage("$DEVICE.internal.$room").should().dependOnClassesThat(belongsAbove)
}

/** The name of the outermost class, in whose file this class is. */
private val JavaClass.outermost: String get() = name.substringBefore('$')

/** The internal package that contains this class, or to which it belongs as a type of the public API. */
private val JavaClass.room: String?
    get() = if (packageName in FRONT_PACKAGES) FRONT[outermost.substringAfterLast('.')]
    else packageName.substringAfter("$DEVICE.internal.", "")

/** Returns the position of a type's internal package, or -1 if it has none. */
private fun rank(type: JavaClass): Int = ROOMS.indexOf(type.room)

private fun AccessTarget.MethodCallTarget.rawReturnTypeRoom(): Int = rank(rawReturnType)
