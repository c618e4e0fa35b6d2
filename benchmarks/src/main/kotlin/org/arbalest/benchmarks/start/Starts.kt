// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.start

import org.arbalest.device.RecordBatch
import org.arbalest.device.adbc.AdbcDriver
import java.io.File
import java.lang.classfile.ClassFile
import java.lang.classfile.attribute.ModuleAttribute
import java.lang.constant.ModuleDesc
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.file.Files
import java.nio.file.Path
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import kotlin.io.path.absolutePathString
import kotlin.io.path.outputStream
import kotlin.io.path.readBytes
import kotlin.io.path.walk

/** A started program: its main class, and its jars. */
private class Program(val name: String, val main: String, val jars: List<Path>)

/** A way to start a program: its name, and the arguments of `java`. */
private class Variant(val program: String, val way: String, val arguments: List<String>) {
    var cpu = Double.MAX_VALUE
    var wall = Double.MAX_VALUE
}

/**
 * Starts JVMs with small programs, and prints the least CPU seconds and wall seconds of each program as a Markdown
 * table: from the class path and from the module path, without and with an AOT cache. The variants alternate, because a
 * machine's speed changes within minutes. The argument is the number of runs of each variant.
 *
 * It needs Linux: the CPU seconds are those of `getrusage(RUSAGE_CHILDREN)`, before and after each child.
 */
fun main(args: Array<String>) {
    val runs = args.firstOrNull()?.toInt() ?: 20
    val folder = Files.createTempDirectory("arbalest-starts")
    try {
        val variants = programs(folder).flatMap { variants(it, folder) }
        repeat(runs) { variants.forEach(::run) }
        print(table(variants, runs))
    } finally {
        folder.toFile().deleteRecursively()
    }
}

private const val PACKAGE = "org.arbalest.benchmarks.start"

private fun programs(folder: Path): List<Program> {
    val core = jarOf(RecordBatch::class.java, folder)
    val kotlin = listOf("kotlin.Unit", "kotlinx.coroutines.Job", "org.arbalest.coroutines.AwaitKt",
        "org.arbalest.adbc.coroutines.CallingKt", "org.tomlj.Toml", "org.antlr.v4.runtime.Lexer",
        "org.duckdb.DuckDBDriver")
        .map { jarOf(Class.forName(it, false, AdbcDriver::class.java.classLoader), folder) }
    return listOf(
        Program("an empty main", "EmptyProgram", listOf(program(folder, "EmptyProgram"))),
        Program("a call of C, which calls back", "MinimalCalls", listOf(program(folder, "MinimalCalls"))),
        Program("the first exchange", "FirstExchange",
            listOf(program(folder, "FirstExchange", "org.arbalest.device"), core)),
        Program("Kotlin with DuckDB, by ADBC", "KotlinDuckDbKt",
            listOf(program(folder, "KotlinDuckDbKt"), core, jarOf(AdbcDriver::class.java, folder)) + kotlin),
    )
}

/** Makes the jar of one program, as a module that requires these modules. */
private fun program(folder: Path, main: String, vararg required: String): Path {
    val jar = folder.resolve("$main.jar")
    val inside = "/${PACKAGE.replace('.', '/')}"
    val classes = Path.of(EmptyProgram::class.java.protectionDomain.codeSource.location.toURI()).resolve(inside.drop(1))
    val name = ModuleDesc.of("$PACKAGE.${main.lowercase()}")
    val module = ClassFile.of().buildModule(
        ModuleAttribute.of(name) { builder ->
            builder.requires(ModuleDesc.of("java.base"), ClassFile.ACC_MANDATED, null)
            required.forEach { builder.requires(ModuleDesc.of(it), 0, null) }
        },
    )
    JarOutputStream(jar.outputStream()).use { out ->
        out.add("module-info.class", module)
        Files.list(classes).use { files ->
            files.filter { it.fileName.toString().startsWith(main) }.toList()
        }.forEach { out.add("${inside.drop(1)}/${it.fileName}", it.readBytes()) }
    }
    return jar
}

/** Returns the jar of a class. A folder of classes becomes a jar, because an AOT cache holds no classes of folders. */
private fun jarOf(type: Class<*>, folder: Path): Path {
    val place = Path.of(type.protectionDomain.codeSource.location.toURI())
    if (Files.isRegularFile(place)) return place
    val jar = folder.resolve(place.parent.parent.fileName.toString() + ".jar")
    if (Files.exists(jar)) return jar
    JarOutputStream(jar.outputStream()).use { out ->
        place.walk().forEach {
            out.add(place.relativize(it).toString().replace(File.separatorChar, '/'), it.readBytes())
        }
    }
    return jar
}

private fun JarOutputStream.add(name: String, content: ByteArray) {
    putNextEntry(JarEntry(name))
    write(content)
    closeEntry()
}

private fun variants(program: Program, folder: Path): List<Variant> {
    val path = program.jars.joinToString(File.pathSeparator) { it.absolutePathString() }
    val main = "$PACKAGE.${program.main}"
    val onClassPath = listOf("--enable-native-access=ALL-UNNAMED", "-cp", path, main)
    val module = "$PACKAGE.${program.main.lowercase()}"
    val native = if (program.main == "FirstExchange") "org.arbalest.device" else module
    val onModulePath = listOf("--enable-native-access=$native", "-p", path, "-m", "$module/$main")
    val ways = if (program.main.endsWith("Kt")) mapOf("class path" to onClassPath)
    else mapOf("class path" to onClassPath, "module path" to onModulePath)
    return ways.flatMap { (way, arguments) ->
        val cache = folder.resolve("${program.main}-${way.replace(' ', '-')}.aot").absolutePathString()
        java(listOf("-XX:AOTCacheOutput=$cache") + arguments)
        listOf(Variant(program.name, way, arguments),
            Variant(program.name, "$way, AOT cache", listOf("-XX:AOTCache=$cache") + arguments))
    }
}

private fun run(variant: Variant) {
    val start = System.nanoTime()
    val before = childrenSeconds()
    java(variant.arguments)
    variant.cpu = minOf(variant.cpu, childrenSeconds() - before)
    variant.wall = minOf(variant.wall, (System.nanoTime() - start) / 1e9)
}

private fun java(arguments: List<String>) {
    val command = listOf(Path.of(System.getProperty("java.home"), "bin", "java").toString()) + arguments
    val process = ProcessBuilder(command).redirectErrorStream(true).start()
    val output = process.inputReader().readText()
    check(process.waitFor() == 0) { "$command:\n$output" }
}

private val getrusage by lazy {
    val linker = Linker.nativeLinker()
    linker.downcallHandle(linker.defaultLookup().findOrThrow("getrusage"),
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG))
}

/** Returns the CPU seconds of all children that have ended: `ru_utime` and `ru_stime`, in seconds and microseconds. */
private fun childrenSeconds(): Double = Arena.ofConfined().use { arena ->
    val usage = arena.allocate(JAVA_LONG, 32)
    check(getrusage.invokeWithArguments(-1, usage.address()) == 0) { "getrusage failed" }
    (0L..1L).sumOf { usage.getAtIndex(JAVA_LONG, 2 * it) + usage.getAtIndex(JAVA_LONG, 2 * it + 1) / 1e6 }
}

private fun table(variants: List<Variant>, runs: Int): String = buildString {
    val reference = variants.first { it.program.startsWith("a call of C") }.cpu
    appendLine("least of $runs runs | CPU, ms | wall, ms | CPU ÷ that of the call of C")
    appendLine("---|---|---|---")
    for (variant in variants) {
        appendLine("${variant.program}, ${variant.way} | %.0f | %.0f | %.2f"
            .format(1e3 * variant.cpu, 1e3 * variant.wall, variant.cpu / reference))
    }
}
