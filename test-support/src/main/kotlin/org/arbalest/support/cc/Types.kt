// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

/** A type of C. Sizes are those of 64-bit Linux. */
internal sealed class Type {
    abstract val size: Int
    open val align: Int get() = size
    val isScalar: Boolean get() = this is IntType || this is PointerType || this is DoubleType
}

internal data object VoidType : Type() {
    override val size = 1
}

/** An integer. Pointers, `enum` and `_Bool` compute as integers. */
internal data class IntType(
    override val size: Int,
    val signed: Boolean,
    val isBool: Boolean = false,
    val isAtomic: Boolean = false,
) : Type()

internal data object DoubleType : Type() {
    override val size = 8
}

internal class PointerType(val to: Type) : Type() {
    override val size = 8
}

/** @property count -1 if it is not known yet */
internal class ArrayType(val of: Type, val count: Int) : Type() {
    override val size: Int get() = of.size * count
    override val align: Int get() = of.align
}

internal class FunctionType(val result: Type, val parameters: List<Variable>, val isVariadic: Boolean) : Type() {
    override val size = 1
}

internal class Variable(val name: String?, val type: Type)

internal class Member(val name: String?, val type: Type, val offset: Int)

internal class StructType(val name: String, val isUnion: Boolean) : Type() {
    var members: List<Member>? = null
    override var size = 0
    override var align = 1

    fun complete(fields: List<Variable>, least: Int) {
        var end = 0
        align = least
        members = fields.map { field ->
            val offset = if (isUnion) 0 else rounded(end, field.type.align)
            end = maxOf(end, offset + field.type.size)
            align = maxOf(align, field.type.align)
            Member(field.name, field.type, offset)
        }
        size = rounded(end, align)
    }

    /** Returns the member, of an unnamed struct as well, with its offset here. */
    fun find(name: String): Member? = members.orEmpty().firstNotNullOfOrNull { member ->
        when {
            member.name == name -> member
            member.name == null -> (member.type as? StructType)?.find(name)?.let {
                Member(name, it.type, member.offset + it.offset)
            }
            else -> null
        }
    }

    override fun toString(): String = "struct $name"
}

internal fun rounded(size: Int, align: Int): Int = (size + align - 1) / align * align

internal val INT = IntType(4, true)
internal val LONG = IntType(8, true)
internal val UNSIGNED_LONG = IntType(8, false)
internal val CHAR = IntType(1, true)

/** The integer that a value of a scalar type is in a register. */
internal fun asInteger(type: Type): IntType = type as? IntType ?: UNSIGNED_LONG

/** A function or an object with an address. */
internal class Symbol(val name: String, var type: Type) {
    enum class Section { TEXT, DATA, ZEROS, THREAD }

    var section: Section? = null
    var offset = 0
    var isExported = false
}

/** The symbols with linkage of all units of a library. */
internal class Symbols {
    val global = LinkedHashMap<String, Symbol>()
}

/** An expression. An lvalue is one of [Local], [Static], [Indirect] and [Field]. */
internal sealed class Expression {
    abstract val type: Type
}

internal class Number(val value: Long, override val type: Type) : Expression()

internal class Local(val offset: Int, override val type: Type) : Expression()

internal class Static(val symbol: Symbol, override val type: Type = symbol.type) : Expression()

internal class Indirect(val pointer: Expression, override val type: Type) : Expression()

internal class Field(val of: Expression, val offset: Int, override val type: Type) : Expression()

internal class AddressOf(val of: Expression, override val type: Type) : Expression()

internal class Convert(val of: Expression, override val type: Type) : Expression()

/** One of `- ~ !`. */
internal class Unary(val sign: String, val of: Expression, override val type: Type) : Expression()

/** Both operands have the same type, except in shifts. */
internal class Binary(val sign: String, val left: Expression, val right: Expression, override val type: Type) :
    Expression()

/** `&&` or `||`. */
internal class Logical(val sign: String, val left: Expression, val right: Expression) : Expression() {
    override val type = INT
}

internal class Choice(
    val condition: Expression,
    val yes: Expression,
    val no: Expression,
    override val type: Type,
) : Expression()

internal class Assign(val to: Expression, val value: Expression) : Expression() {
    override val type get() = to.type
}

/** Evaluates [first] for its effect. */
internal class Sequence(val first: Expression, val second: Expression) : Expression() {
    override val type get() = second.type
}

internal class Call(
    val function: Expression,
    val arguments: List<Expression>,
    val signature: FunctionType,
    val scratch: Local?,
) : Expression() {
    override val type get() = signature.result
}

/** The local variables of an initializer: zeros, then the parts. */
internal class Fill(val local: Local, val parts: List<Assign>) : Expression() {
    override val type = VoidType
}

/** An atomic operation on a pointer: `add` (the old value), `exchange`, or `compare` (whether it was replaced). */
internal class Atomic(
    val what: String,
    val pointer: Expression,
    val value: Expression,
    val expected: Expression?,
    override val type: Type,
) : Expression()

/** Fills a `va_list` with the arguments of this function. */
internal class StartVariadic(val list: Expression) : Expression() {
    override val type = VoidType
}
