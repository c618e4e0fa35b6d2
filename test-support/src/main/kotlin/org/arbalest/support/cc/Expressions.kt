// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

/** The rules of C for the types of expressions. */
internal object Expressions {
    fun decayed(expression: Expression): Expression = when (val type = expression.type) {
        is ArrayType -> AddressOf(expression, PointerType(type.of))
        is FunctionType -> AddressOf(expression, PointerType(type))
        else -> expression
    }

    fun pointerTo(expression: Expression): Expression = AddressOf(expression, PointerType(expression.type))

    /** Converts a value as an assignment does. */
    fun converted(expression: Expression, type: Type): Expression {
        val value = decayed(expression)
        return when {
            type is StructType || value.type == type -> value
            value is Number && type is IntType && !type.isBool -> Number(truncated(value.value, type), type)
            else -> Convert(value, if (type is IntType) type.copy(isAtomic = false) else type)
        }
    }

    private fun promoted(type: Type): Type = when {
        type is IntType && type.size < 4 -> INT
        type is IntType -> IntType(type.size, type.signed)
        else -> type
    }

    /** The arguments of variadic functions, and operands of shifts and of unary signs. */
    fun promoted(expression: Expression): Expression =
        decayed(expression).let { converted(it, promoted(it.type)) }

    private fun common(left: Type, right: Type): Type {
        if (left is DoubleType || right is DoubleType) return DoubleType
        val (a, b) = listOf(left, right).map { promoted(asInteger(it)) as IntType }
        return if (a.size == b.size) IntType(a.size, a.signed && b.signed) else if (a.size > b.size) a else b
    }

    fun binary(place: String, sign: String, first: Expression, second: Expression): Expression {
        val left = decayed(first)
        val right = decayed(second)
        if (sign == "&&" || sign == "||") return Logical(sign, left, right)
        if (sign == "<<" || sign == ">>") {
            return promoted(left).let { Binary(sign, it, promoted(right), it.type) }
        }
        val to = (left.type as? PointerType)?.to ?: (right.type as? PointerType)?.to
        if (to != null && sign == "+") {
            return if (left.type is PointerType) moved(left, right, to, "+") else moved(right, left, to, "+")
        }
        if (to != null && sign == "-") {
            if (right.type !is PointerType) return moved(left, right, to, "-")
            val bytes = Binary("-", Convert(left, LONG), Convert(right, LONG), LONG)
            return Binary("/", bytes, Number(to.size.toLong(), LONG), LONG)
        }
        if (!left.type.isScalar || !right.type.isScalar) wrong(place, "'$sign' of a struct")
        val type = common(left.type, right.type)
        if (type is DoubleType) wrong(place, "'$sign' of type double")
        val isComparison = sign in setOf("==", "!=", "<", "<=", ">", ">=")
        return Binary(sign, converted(left, type), converted(right, type), if (isComparison) INT else type)
    }

    private fun moved(pointer: Expression, index: Expression, to: Type, sign: String): Expression {
        val bytes = Binary("*", converted(index, LONG), Number(to.size.toLong(), LONG), LONG)
        return Binary(sign, pointer, bytes, pointer.type)
    }

    fun choice(condition: Expression, first: Expression, second: Expression): Expression {
        val yes = decayed(first)
        val no = decayed(second)
        val type = when {
            yes.type is PointerType && no.type is PointerType -> if (yes.type.isVoidPointer) no.type else yes.type
            yes.type is PointerType -> yes.type
            no.type is PointerType -> no.type
            yes.type.isScalar && no.type.isScalar -> common(yes.type, no.type)
            else -> yes.type
        }
        return Choice(decayed(condition), converted(yes, type), converted(no, type), type)
    }

    private val Type.isVoidPointer get() = this is PointerType && to is VoidType

    fun truncated(value: Long, type: Type): Long {
        val integer = asInteger(type)
        val unused = 64 - 8 * integer.size
        return when {
            integer.isBool -> if (value == 0L) 0 else 1
            integer.signed -> value shl unused shr unused
            else -> value shl unused ushr unused
        }
    }

    /** Returns the value of a constant expression; null if it is not constant. */
    fun constant(of: Expression): Long? = when (of) {
        is Number -> of.value
        is Convert -> if (of.type is DoubleType) null else constant(of.of)?.let { truncated(it, of.type) }
        is Unary -> constant(of.of)?.let {
            truncated(if (of.sign == "-") -it else if (of.sign == "~") it.inv() else if (it == 0L) 1 else 0, of.type)
        }
        is Logical -> constant(of.left)?.let { left ->
            if ((left != 0L) == (of.sign == "||")) (if (left != 0L) 1L else 0L)
            else constant(of.right)?.let { if (it != 0L) 1L else 0L }
        }
        is Choice -> constant(of.condition)?.let { constant(if (it != 0L) of.yes else of.no) }
        is Binary -> constant(of.left)?.let { left -> constant(of.right)?.let { folded(of, left, it) } }
        is AddressOf -> place(of.of)?.takeIf { it.first == null }?.second
        else -> null
    }

    private fun folded(of: Binary, left: Long, right: Long): Long {
        val type = asInteger(of.left.type)
        val order = if (type.signed) left.compareTo(right) else left.toULong().compareTo(right.toULong())
        fun flag(value: Boolean): Long = if (value) 1 else 0
        val value = when (of.sign) {
            "+" -> left + right
            "-" -> left - right
            "*" -> left * right
            "/" -> if (type.signed) left / right else java.lang.Long.divideUnsigned(left, right)
            "%" -> if (type.signed) left % right else java.lang.Long.remainderUnsigned(left, right)
            "&" -> left and right
            "|" -> left or right
            "^" -> left xor right
            "<<" -> left shl right.toInt()
            ">>" -> if (type.signed) left shr right.toInt() else left ushr right.toInt()
            "==" -> flag(order == 0)
            "!=" -> flag(order != 0)
            "<" -> flag(order < 0)
            "<=" -> flag(order <= 0)
            ">" -> flag(order > 0)
            else -> flag(order >= 0)
        }
        return truncated(value, of.type)
    }

    /** Returns the symbol and the distance of a constant address; null if it is not constant. */
    fun address(of: Expression): Pair<Symbol?, Long>? = when (of) {
        is Number -> null to of.value
        is AddressOf -> place(of.of)
        is Convert -> if (of.type.size == 8 && of.type !is DoubleType) address(of.of) else null
        is Binary -> address(of.left)?.takeIf { it.first != null && of.sign in "+-" }?.let { (symbol, distance) ->
            constant(of.right)?.let { symbol to distance + if (of.sign == "-") -it else it }
        }
        else -> null
    } ?: constant(of)?.let { null to it }

    private fun place(of: Expression): Pair<Symbol?, Long>? = when (of) {
        is Static -> of.symbol to 0L
        is Field -> place(of.of)?.let { (symbol, distance) -> symbol to distance + of.offset }
        is Indirect -> address(of.pointer)
        else -> null
    }
}
