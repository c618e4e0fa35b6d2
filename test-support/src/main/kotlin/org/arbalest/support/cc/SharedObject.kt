// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import org.arbalest.support.cc.Symbol.Section

/**
 * A shared library in the format ELF, for the dynamic linker of Linux on x86-64.
 *
 * The code can be executed and not written; the rest is data. Functions that no unit defines come from the libraries
 * of the process, such as libc. A library's calls of its own functions never reach another library.
 */
internal class SharedObject(private val code: Code, private val symbols: Symbols, private val soname: String?) {
    private val strings = Bytes().byte(0)
    private val stringOffsets = HashMap<String, Int>()
    private val outside = (code.references + code.pointers).map { it.symbol }.filter { it.section == null }.distinct()
    private val threadVariables = code.references.map { it.symbol }.filter { it.section == Section.THREAD }.distinct()
    private val exported = symbols.global.values.filter { it.isExported && it.section != null }
    private val dynamicSymbols = outside + exported
    private val isVersioned = outside.map { it.name in VERSIONED }
    private val relocationCount = outside.size + threadVariables.size + code.pointers.size + code.constructors.size

    private val library = string("libc.so.6")
    private val version = string(VERSION)
    private val names = dynamicSymbols.associateWith { string(it.name) }
    private val ownName = soname?.let(::string)

    // the layout: the first four parts are in the segment of the code, the others in that of the data
    private val hash = HEADERS
    private val table = rounded(hash + 4 * (2 + BUCKETS + 1 + dynamicSymbols.size), 8)
    private val versions = table + SYMBOL_BYTES * (dynamicSymbols.size + 1)
    private val needed = rounded(versions + 2 * (dynamicSymbols.size + 1), 8)
    private val relocations = needed + 32
    private val texts = relocations + RELOCATION_BYTES * relocationCount
    private val text = rounded(texts + strings.size, 16)
    private val stubs = rounded(text + code.text.size, 16)
    private val codeEnd = stubs + STUB_BYTES * outside.size
    private val dynamic = rounded(codeEnd, PAGE)
    private val slots = dynamic + 16 * DYNAMIC_ENTRIES
    private val pairs = slots + 8 * outside.size
    private val beginnings = rounded(pairs + 16 * threadVariables.size, 16)
    private val data = rounded(beginnings + 8 * code.constructors.size, 16)
    private val zeros = rounded(data + code.data.size, 16)

    private fun string(value: String): Int = stringOffsets.getOrPut(value) {
        strings.size.also { strings.append(value.encodeToByteArray()).byte(0) }
    }

    private fun address(symbol: Symbol): Int = when (symbol.section) {
        Section.TEXT -> text + symbol.offset
        Section.DATA -> data + symbol.offset
        Section.ZEROS -> zeros + symbol.offset
        Section.THREAD -> pairs + 16 * threadVariables.indexOf(symbol)
        null -> stubs + STUB_BYTES * outside.indexOf(symbol)
    }

    fun bytes(): ByteArray {
        val addresses = (code.references + code.pointers).map { it.symbol }.distinct().associateWith(::address)
        for (reference in code.references) {
            val target = addresses.getValue(reference.symbol)
            code.text.setInt(reference.at, target - (text + reference.at + 4))
        }
        val file = Bytes()
        headers(file)
        hashTable(file.padTo(hash))
        symbolTable(file.padTo(table))
        versionTables(file.padTo(versions))
        relocate(file.padTo(relocations), addresses)
        file.padTo(texts).append(strings.toByteArray())
        file.padTo(text).append(code.text.toByteArray())
        file.padTo(stubs)
        for (i in outside.indices) file.hex("FF25").int(slots + 8 * i - (file.size + 4)).short(0) // jmp [slot]
        dynamicTable(file.padTo(dynamic))
        file.padTo(pairs)
        threadVariables.forEach { file.long(0).long(it.offset.toLong()) }
        return file.padTo(data).append(code.data.toByteArray()).padTo(zeros).toByteArray()
    }

    private fun headers(file: Bytes) {
        file.hex("7F454C46 020101 00").long(0).short(3).short(MACHINE).int(1).long(0).long(64).long(0) // ET_DYN
        file.int(0).short(64).short(56).short(SEGMENTS).short(64).short(0).short(0)
        segment(file, type = 1, flags = 5, at = 0, size = codeEnd, align = PAGE)
        segment(file, 1, 6, dynamic, zeros - dynamic, PAGE, zeros - dynamic + code.zeros)
        segment(file, 2, 6, dynamic, 16 * DYNAMIC_ENTRIES, 8) // PT_DYNAMIC
        segment(file, 7, 4, zeros, 0, 16, code.threadBytes) // PT_TLS
        segment(file, 0x6474E551, 6, 0, 0, 16) // PT_GNU_STACK: not executable
    }

    private fun segment(file: Bytes, type: Int, flags: Int, at: Int, size: Int, align: Int, memory: Int = size) {
        file.int(type).int(flags)
        repeat(3) { file.long(at.toLong()) }
        file.long(size.toLong()).long(memory.toLong()).long(align.toLong())
    }

    private fun hashTable(file: Bytes) {
        val buckets = dynamicSymbols.indices.groupBy { (hash(dynamicSymbols[it].name) % BUCKETS.toUInt()).toInt() }
        val chains = IntArray(dynamicSymbols.size + 1)
        buckets.values.forEach { it.zipWithNext { a, b -> chains[a + 1] = b + 1 } }
        file.int(BUCKETS).int(chains.size)
        for (i in 0 until BUCKETS) file.int((buckets[i]?.first() ?: -1) + 1)
        chains.forEach(file::int)
    }

    private fun hash(name: String): UInt = name.fold(0u) { hash, char ->
        val next = (hash shl 4) + char.code.toUInt()
        val high = next and 0xF0000000u
        (next xor (high shr 24)) and high.inv()
    }

    private fun symbolTable(file: Bytes) {
        repeat(SYMBOL_BYTES / 8) { file.long(0) }
        for (symbol in dynamicSymbols) {
            val isHere = symbol.section != null
            val kind = if (symbol.section == Section.TEXT || !isHere) FUNCTION else OBJECT
            file.int(names.getValue(symbol)).byte(0x10 or kind).byte(0).short(if (isHere) 1 else 0)
            file.long(if (isHere) address(symbol).toLong() else 0).long(if (isHere) symbol.type.size.toLong() else 0)
        }
    }

    /** glibc has old variants of some functions, which a library without versions would get. */
    private fun versionTables(file: Bytes) {
        file.short(0)
        isVersioned.forEach { file.short(if (it) 2 else 1) }
        exported.forEach { _ -> file.short(1) }
        file.padTo(needed).short(1).short(1).int(library).int(16).int(0)
        file.int(hash(VERSION).toInt()).short(0).short(2).int(version).int(0)
    }

    private fun relocate(file: Bytes, addresses: Map<Symbol, Int>) {
        fun relocation(at: Int, kind: Int, symbol: Int, addend: Long) {
            file.long(at.toLong()).int(kind).int(symbol).long(addend)
        }
        for (i in outside.indices) relocation(slots + 8 * i, GLOBAL_DATA, i + 1, 0)
        for (i in threadVariables.indices) relocation(pairs + 16 * i, THREAD_MODULE, 0, 0)
        for ((i, it) in code.constructors.withIndex()) relocation(beginnings + 8 * i, RELATIVE, 0, address(it).toLong())
        for (it in code.pointers) relocation(data + it.at, RELATIVE, 0, addresses.getValue(it.symbol) + it.addend)
    }

    private fun dynamicTable(file: Bytes) {
        val entries = listOf(
            1 to library, 4 to hash, 5 to texts, 6 to table, 7 to relocations, 8 to RELOCATION_BYTES * relocationCount,
            9 to RELOCATION_BYTES, 10 to strings.size, 11 to SYMBOL_BYTES, 0x6FFFFFF0 to versions, 0x6FFFFFFE to needed,
            0x6FFFFFFF to 1, 25 to beginnings, 27 to 8 * code.constructors.size,
        ) + listOfNotNull(ownName?.let { 14 to it })
        entries.forEach { (tag, value) -> file.long(tag.toLong()).long(value.toLong()) }
    }

    private companion object {
        const val MACHINE = 62 // x86-64
        const val SEGMENTS = 5
        const val HEADERS = 64 + SEGMENTS * 56
        const val PAGE = 4096
        const val BUCKETS = 64
        const val SYMBOL_BYTES = 24
        const val RELOCATION_BYTES = 24
        const val STUB_BYTES = 8
        const val DYNAMIC_ENTRIES = 16
        const val FUNCTION = 2
        const val OBJECT = 1
        const val GLOBAL_DATA = 6
        const val RELATIVE = 8
        const val THREAD_MODULE = 16
        const val VERSION = "GLIBC_2.3.2"
        val VERSIONED = listOf("wait", "timedwait", "init", "destroy", "signal", "broadcast").map { "pthread_cond_$it" }
    }
}
