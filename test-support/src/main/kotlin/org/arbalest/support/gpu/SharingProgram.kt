// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.sharing.ArrayLink
import org.arbalest.device.sharing.SharedArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.io.IOException
import java.net.UnixDomainSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.util.HexFormat
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.random.Random

/** Runs the other process: each command is a line, and so is each answer. */
fun sharingProgram(backend: GpuBackend) {
    if (backend.onDouble) backend.double.load()
    backend.gpu(0)
    val opened = mutableMapOf<String, Opened>()
    val links = Links()
    for (line in generateSequence(::readLine)) {
        val words = line.split(' ')
        println(
            try {
                answer(backend, words[0], words.getOrElse(1) { "" }, words.getOrElse(2) { "" }, opened, links)
            } catch (e: DeviceException) {
                "${e.errno()} ${e.message}".replace('\n', ' ')
            } catch (e: IOException) {
                "gone $e"
            },
        )
    }
}

private class Opened(val array: DeviceArray, val closed: AtomicBoolean) {
    /** A queued copy. */
    var copy: DeviceArray? = null

    /** Returns the queued copy, or another one. The caller closes it. */
    fun take(): DeviceArray = (copy ?: array.copyTo(Devices.cpu())).also { copy = null }
}

/** The link of this process, and its connection. */
private class Links {
    lateinit var channel: SocketChannel
    lateinit var link: ArrayLink
}

/** A frame that no link sends: it has kind 9. */
val NONSENSE: ByteArray = ByteArray(16).also { it[4] = 9 }

private fun answer(
    backend: GpuBackend,
    what: String,
    name: String,
    more: String,
    opened: MutableMap<String, Opened>,
    links: Links,
): String = when (what) {
    "open" -> {
        val closed = AtomicBoolean()
        val array = SharedArray.open(HexFormat.of().parseHex(more)) { closed.set(true) }
        opened[name] = Opened(array, closed)
        "${array.device()} ${array.length()} ${array.isReady}"
    }
    "queue" -> opened.getValue(name).run {
        copy = array.copyTo(Devices.cpu())
        "queued ${copy!!.isReady}"
    }
    "read" -> opened.getValue(name).take().use {
        it.synchronize()
        "${it.rows(1000)}".replace('\n', ' ')
    }
    "hash" -> opened.getValue(name).take().use { "${it.numbersHash()}" }
    "close" -> opened.remove(name)!!.run {
        array.close()
        array.close()
        eventually("the array is closed") { closed.get() }
        "closed"
    }
    "live" -> {
        backend.settle()
        if (opened.isEmpty()) {
            // on other threads
            runCatching {
                eventually("copied and opened arrays are released") {
                    backend.settle()
                    ResourceCounters.now().isZero &&
                        listOf(Live.OPENED, Live.POOLS).all { backend.double.live(it) == 0L }
                }
            }
        }
        val (double, counters) = backend.double to ResourceCounters.now()
        val pools = if (opened.isEmpty() && double.live(Live.POOLS) != 0L) " with pools" else ""
        "${double.live(Live.OPENED)} ${double.live(Live.DEVICE)} ${counters.isZero}$pools ${double.violation}".trim()
    }
    "link" -> {
        links.channel = SocketChannel.open(UnixDomainSocketAddress.of(name))
        links.link = ArrayLink.over(links.channel)
        "linked"
    }
    "receive" -> {
        val array = links.link.receive()!!
        opened[name] = Opened(array, AtomicBoolean(true))
        "${array.length()}"
    }
    "nonsense" -> {
        links.channel.write(ByteBuffer.wrap(NONSENSE))
        "written"
    }
    "unlink" -> {
        links.link.close()
        "unlinked"
    }
    "echo" -> {
        echo(backend, name)
        "echoed"
    }
    "share" -> {
        val device = backend.gpu(name.toInt())
        val array = numbers(more.toInt()).use { backend.toShareable(it, device) }
        array.synchronize()
        HexFormat.of().formatHex(array.use { SharedArray.of(it) }.message()) // shared until the process ends
    }
    "shareMany" -> {
        val array = manyLayouts(more.toInt()).use { backend.toShareable(it, backend.gpu(name.toInt())) }
        array.synchronize()
        HexFormat.of().formatHex(array.use { SharedArray.of(it) }.message())
    }
    else -> "unknown command $what"
}

/** Sends back a copy of each received array, in memory of this process. */
private fun echo(backend: GpuBackend, path: String) {
    link(path).use { link ->
        while (true) {
            val array = link.receive() ?: break
            array.use { link.send(backend.toShareable(it, it.device())) }
        }
    }
}

fun link(path: String): ArrayLink = ArrayLink.over(SocketChannel.open(UnixDomainSocketAddress.of(path)))

/** Returns a copy of an array that can be shared. */
fun GpuBackend.toShareable(array: DeviceArray, device: Device): DeviceArray =
    array.copyTo(shareable(device), device.defaultStream())

/** Receives arrays, keeps them for a while, closes and sends them, until it is killed. */
fun churningProgram(backend: GpuBackend, path: String, seed: Long) {
    backend.double.load()
    val random = Random(seed)
    val device = backend.gpu(0)
    val held = ArrayDeque<DeviceArray>()
    link(path).use { link ->
        while (true) {
            held += link.receive() ?: break
            held.last().copyTo(Devices.cpu()).use {
                it.synchronize()
                check(it.asRecordBatch().column("a").getLong(it.length() - 1) == 3 * (it.length() - 1))
            }
            if (random.nextInt(3) == 0) {
                numbers(1 + random.nextInt(1000)).use { link.send(backend.toShareable(it, device)) }
            }
            while (held.size > random.nextInt(6)) held.removeFirst().close()
        }
    }
    held.forEach { it.close() }
}

/** Returns a hash of all values of a batch of [numbers], after its event. */
fun DeviceArray.numbersHash(): Int {
    synchronize()
    val batch = asRecordBatch()
    val b = batch.column("b")
    val bits = (0 until length()).map { b.getDouble(it).toRawBits() }
    return 31 * batch.column("a").toLongArray().contentHashCode() + bits.hashCode()
}

/** Returns the values of the first rows, of any type. */
fun DeviceArray.rows(most: Long): List<Any?> = (0 until minOf(most, length())).map { asColumn().get(it) }

/** Returns a batch in main memory with columns of many layouts, with nulls. */
fun manyLayouts(rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
    fun <T> column(name: String, type: DataType, value: (Int) -> T) =
        batch.column(Field.of(name, type), List(rows) { if (it % 4 == 3) null else value(it) })
    column("int", DataType.INT32) { it }
    column("flag", DataType.BOOL) { it % 3 == 0 }
    column("text", DataType.UTF8) { "text ${it % 7}" }
    column("view", DataType.UTF8_VIEW) { "a text that is too long for a view, $it" }
    column("word", DataType.dictionary(DataType.INT8, DataType.UTF8)) { "word ${it % 5}" }
    column("list", ListType(Field.of("item", DataType.INT64))) { row -> List(row % 3) { (row + it).toLong() } }
    column("pair", StructType(listOf(Field.of("x", DataType.FLOAT64), Field.of("y", DataType.LARGE_UTF8)))) {
        mapOf("x" to it / 2.0, "y" to "$it")
    }
    column("fixed", DataType.fixedSizeList(Field.of("item", DataType.INT16), 2)) { listOf(it.toShort(), 7.toShort()) }
    column("nothing", DataType.NULL) { null }
    batch.build()
}
