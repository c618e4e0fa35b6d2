// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

/**
 * The metadata that kotlinc writes into a class about its primary constructor: the parameter names, the parameters with
 * a default, nullable types, and value classes. Java reflection provides none of these.
 *
 * The metadata is a Protocol Buffers message, `Class` in Kotlin's `metadata.proto`. This class reads the fields that it
 * needs, and skips the others. Since Kotlin 1.5 each char of the strings is one byte; older metadata is not read.
 */
internal class ClassMetadata private constructor(val isData: Boolean, val parameters: List<KotlinParameter>) {
    companion object {
        private const val CLASS = 1
        private const val BYTE_IN_EACH_CHAR = '\u0000'

        /** Returns the metadata of a class; null if the class is not a Kotlin class or has no constructor. */
        fun of(type: Class<*>): ClassMetadata? {
            val metadata = type.getAnnotation(Metadata::class.java) ?: return null
            val chars = metadata.data1.joinToString("")
            if (metadata.kind != CLASS || !chars.startsWith(BYTE_IN_EACH_CHAR)) return null
            val bytes = ByteArray(chars.length - 1) { chars[it + 1].code.toByte() }
            val (strings, message) = ProtoMessage.two(bytes)
            return read(message, metadata.data2, ClassNames(strings, metadata.data2))
        }

        private fun read(type: ProtoMessage, strings: Array<String>, names: ClassNames): ClassMetadata? {
            val types = TypeTable(type.message(30), names)
            // bit 4 marks a secondary constructor
            val primary = type.messages(8).find { !it.flag(1, 4) } ?: return null
            val parameters = primary.messages(2).map {
                KotlinParameter(strings[it.int(2)], types.type(it, 3, 4), it.flag(1, 1))
            }
            return ClassMetadata(type.flag(1, 10), parameters)
        }
    }
}

/** A parameter of a constructor. */
internal class KotlinParameter(val name: String, val type: KotlinType?, val hasDefault: Boolean)

/**
 * The Kotlin information about a type that Java does not have: whether it is nullable, and the same for its type
 * arguments, where null represents `*`. [className] is the JVM name of the class; it is null for a type parameter and
 * for the names that kotlinc predefines.
 */
internal class KotlinType(val isNullable: Boolean, val arguments: List<KotlinType?>, private val className: String?) {
    /** Returns the class if it is a value class, or else null. */
    fun valueClass(loader: ClassLoader?): Class<*>? =
        try {
            className?.let { Class.forName(it, false, loader) }
                ?.takeIf { it.isAnnotationPresent(JvmInline::class.java) }
        } catch (_: ClassNotFoundException) {
            null // the Kotlin name of a Java class
        }
}

/**
 * The names of classes: the strings of the metadata, each transformed as its record says; see `StringTableTypes` in
 * Kotlin's `jvm_metadata.proto`.
 */
private class ClassNames(table: ProtoMessage, private val strings: Array<String>) {
    private val records =
        table.messages(1).flatMap { record -> List(if (record.has(1)) record.int(1) else 1) { record } }

    /** Returns the JVM name of a class; null for a predefined name, which is never a value class. */
    fun get(index: Int): String? {
        val record = records.getOrNull(index) ?: return jvmName(strings[index])
        if (record.has(2)) return null
        val replaced = record.numbers(5)
        val part = part(record.text(6) ?: strings[index], record.numbers(4))
        val name = if (replaced.size < 2) part else part.replace(replaced[0].toChar(), replaced[1].toChar())
        return jvmName(if (record.int(3) == FROM_DESCRIPTOR) name.removeSurrounding("L", ";") else name)
    }

    private fun part(string: String, range: List<Int>) =
        if (range.size < 2) string else string.substring(range[0], range[1])

    private fun jvmName(name: String) = name.replace('.', '$').replace('/', '.')

    private companion object {
        const val FROM_DESCRIPTOR = 2
    }
}

/** Types, each stored at its point of use or in the table of the class. */
private class TypeTable(table: ProtoMessage?, private val names: ClassNames) {
    private val types = table?.messages(1).orEmpty()
    private val firstNullable = table?.takeIf { it.has(2) }?.int(2) ?: Int.MAX_VALUE

    /**
     * Returns the type in [field] of a message, or the type at the table position in [placeField]; null if both are
     * absent.
     */
    fun type(message: ProtoMessage, field: Int, placeField: Int): KotlinType? {
        message.message(field)?.let { return type(it, isNullable = false) }
        if (!message.has(placeField)) return null
        val place = message.int(placeField)
        return type(types[place], isNullable = place >= firstNullable)
    }

    private fun type(message: ProtoMessage, isNullable: Boolean): KotlinType =
        KotlinType(
            isNullable || message.flag(3, 0),
            message.messages(2).map { type(it, 2, 3) },
            if (message.has(6)) names.get(message.int(6)) else null,
        )
}
