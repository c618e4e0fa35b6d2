// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import org.arbalest.support.cc.Expressions.binary
import org.arbalest.support.cc.Expressions.converted
import org.arbalest.support.cc.Expressions.decayed
import org.arbalest.support.cc.Expressions.pointerTo
import org.arbalest.support.cc.Expressions.promoted
import org.arbalest.support.cc.Symbol.Section
import org.arbalest.support.cc.Token.Kind.CHARACTER
import org.arbalest.support.cc.Token.Kind.NAME
import org.arbalest.support.cc.Token.Kind.NUMBER
import org.arbalest.support.cc.Token.Kind.SIGN
import org.arbalest.support.cc.Token.Kind.TEXT

/** Reads expressions, in which the names have the meaning of the innermost scope. */
internal abstract class ExpressionParser(protected val tokens: List<Token>, protected val code: Code) {
    protected class Scope {
        /** A [Type] for the name of a type, otherwise an [Expression]. */
        val names = HashMap<String, Any>()
        val tags = HashMap<String, Type>()
    }

    protected var at = 0
    protected val scopes = ArrayDeque(listOf(Scope()))

    /** Reads the name of a type. */
    protected abstract fun typeName(): Type

    /** Reads the initializer of an object without a name. Returns the object. */
    protected abstract fun literal(type: Type): Expression

    // ---- tokens ----

    protected val token get() = tokens[at]

    protected fun isNext(text: String): Boolean = token.text == text && token.kind != TEXT && token.kind != CHARACTER

    protected fun accept(text: String): Boolean = isNext(text).also { if (it) at++ }

    protected fun expect(text: String) {
        if (!accept(text)) fail("'$text' was expected before '$token'")
    }

    protected fun name(): String {
        if (token.kind != NAME) fail("a name was expected, not '$token'")
        return tokens[at++].text
    }

    protected fun fail(why: String): Nothing = wrong(token.place, why)

    protected fun find(name: String): Any? = scopes.asReversed().firstNotNullOfOrNull { it.names[name] }

    protected fun isTypeName(of: Token): Boolean =
        of.kind == NAME && (of.text in SPECIFIERS || find(of.text) is Type)

    // ---- expressions ----

    fun constant(): Long = Expressions.constant(conditional()) ?: fail("a constant was expected")

    protected fun expression(): Expression {
        var value = assignment()
        while (accept(",")) value = Sequence(value, assignment())
        return value
    }

    protected fun assignment(): Expression {
        val left = conditional()
        val sign = token.text
        if (token.kind != SIGN || sign !in ASSIGNMENTS) return left
        at++
        val right = assignment()
        return if (sign == "=") Assign(left, converted(right, left.type))
        else changed(left, sign.dropLast(1), right, isNew = true)
    }

    /** `left sign= right`; its value is the old one unless [isNew]. */
    private fun changed(left: Expression, sign: String, right: Expression, isNew: Boolean): Expression {
        val type = left.type
        if (type is IntType && type.isAtomic) {
            val more = converted(if (sign == "-") Unary("-", promoted(right), promoted(right).type) else right, type)
            val old = Atomic("add", pointerTo(left), more, null, type)
            if (sign != "+" && sign != "-") fail("'$sign=' of an atomic")
            return if (isNew) binary(token.place, "+", old, more) else old
        }
        val pointer = code.local(PointerType(type))
        val target = Indirect(pointer, type)
        val change = Assign(target, converted(binary(token.place, sign, target, right), type))
        val start = Assign(pointer, pointerTo(left))
        if (isNew) return Sequence(start, change)
        val old = code.local(type)
        return Sequence(start, Sequence(Assign(old, target), Sequence(change, old)))
    }

    private fun conditional(): Expression {
        val condition = operation(0)
        if (!accept("?")) return condition
        val yes = expression()
        expect(":")
        return Expressions.choice(condition, yes, conditional())
    }

    private fun operation(level: Int): Expression {
        if (level == LEVELS.size) return cast()
        var left = operation(level + 1)
        while (token.kind == SIGN && token.text in LEVELS[level]) {
            val sign = tokens[at++]
            left = binary(sign.place, sign.text, left, operation(level + 1))
        }
        return left
    }

    private fun cast(): Expression {
        if (!isNext("(") || !isTypeName(tokens[at + 1])) return unary()
        at++
        val type = typeName()
        expect(")")
        return if (isNext("{")) after(literal(type)) else Convert(decayed(cast()), type)
    }

    private fun unary(): Expression {
        val sign = token
        if (sign.kind == NAME && (sign.text == "sizeof" || sign.text == "_Alignof")) {
            at++
            return Number(measured().let { if (sign.text == "sizeof") it.size else it.align }.toLong(), UNSIGNED_LONG)
        }
        if (sign.kind != SIGN || sign.text !in UNARIES) return postfix()
        at++
        val one = Number(1, INT)
        return when (sign.text) {
            "++" -> changed(unary(), "+", one, true)
            "--" -> changed(unary(), "-", one, true)
            "&" -> pointerTo(cast())
            "*" -> indirect(cast())
            "!" -> Unary("!", decayed(cast()), INT)
            "+" -> promoted(cast())
            else -> promoted(cast()).let { Unary(sign.text, it, it.type) }
        }
    }

    private fun measured(): Type {
        if (!isNext("(") || !isTypeName(tokens[at + 1])) return unary().type
        at++
        return typeName().also { expect(")") }
    }

    private fun indirect(of: Expression): Expression {
        if (of.type is FunctionType) return of
        val pointer = decayed(of)
        return Indirect(pointer, (pointer.type as? PointerType)?.to ?: fail("'*' of no pointer"))
    }

    private fun postfix(): Expression = after(primary())

    private fun after(start: Expression): Expression {
        var value = start
        while (true) {
            value = when {
                accept("[") -> indirect(binary(token.place, "+", value, expression())).also { expect("]") }
                accept(".") -> field(value)
                accept("->") -> field(indirect(value))
                accept("++") -> changed(value, "+", Number(1, INT), false)
                accept("--") -> changed(value, "-", Number(1, INT), false)
                accept("(") -> call(value)
                else -> return value
            }
        }
    }

    private fun field(of: Expression): Expression {
        val name = name()
        val member = (of.type as? StructType)?.find(name) ?: fail("there is no member $name")
        return Field(of, member.offset, member.type)
    }

    private fun list(): List<Expression> {
        val list = mutableListOf<Expression>()
        while (!accept(")")) {
            list += assignment()
            if (!isNext(")")) expect(",")
        }
        return list
    }

    private fun call(function: Expression): Expression {
        val target = if (function.type is FunctionType && function is Indirect) function.pointer else function
        val signature = target.type as? FunctionType ?: (target.type as? PointerType)?.to as? FunctionType
            ?: fail("a call of no function")
        val given = list()
        val taken = signature.parameters.size
        if (given.size < taken || (given.size > taken && !signature.isVariadic)) {
            fail("the function takes $taken arguments, not ${given.size}")
        }
        val arguments = given.mapIndexed { i, argument ->
            signature.parameters.getOrNull(i)?.let { converted(argument, it.type) } ?: promoted(argument)
        }
        val scratch = (signature.result as? StructType)?.let { code.local(it, rounded(it.size, 16)) }
        return Call(target, arguments, signature, scratch)
    }

    private fun primary(): Expression {
        val token = token
        return when (token.kind) {
            NUMBER -> number(tokens[at++])
            CHARACTER -> Number(unescaped(tokens[at++]).first().toLong(), INT)
            TEXT -> text(strings())
            NAME -> if (BUILTINS.any(token.text::startsWith)) builtin()
            else find(name()) as? Expression ?: wrong(token.place, "unknown name $token")
            else -> {
                expect("(")
                expression().also { expect(")") }
            }
        }
    }

    private fun number(token: Token): Number {
        val digits = token.text.trimEnd('u', 'U', 'l', 'L')
        val suffix = token.text.substring(digits.length).lowercase()
        val isDecimal = digits == "0" || digits[0] != '0'
        val value = when {
            digits.startsWith("0x") || digits.startsWith("0X") -> digits.substring(2).toULongOrNull(16)
            isDecimal -> digits.toULongOrNull()
            else -> digits.toULongOrNull(8)
        }?.toLong() ?: wrong(token.place, "$token is no integer")
        val fitsInt = value in 0..Int.MAX_VALUE
        val fitsUnsigned = value in 0..0xFFFFFFFFL && ('u' in suffix || !isDecimal)
        val type = when {
            'l' !in suffix && fitsInt -> IntType(4, 'u' !in suffix)
            'l' !in suffix && fitsUnsigned -> IntType(4, false)
            else -> IntType(8, 'u' !in suffix && value >= 0)
        }
        return Number(value, type)
    }

    protected fun strings(): ByteArray {
        if (token.kind != TEXT) fail("a text was expected, not '$token'")
        var bytes = ByteArray(0)
        while (token.kind == TEXT) bytes += unescaped(tokens[at++])
        return bytes
    }

    protected fun text(bytes: ByteArray, type: Type = ArrayType(CHAR, bytes.size + 1)): Static {
        val symbol = Symbol("a text", type)
        symbol.section = Section.DATA
        symbol.offset = code.data.size
        code.data.append(bytes).padTo(symbol.offset + type.size)
        return Static(symbol)
    }

    private fun builtin(): Expression {
        val name = name()
        expect("(")
        if (name == "__builtin_offsetof") return offset()
        val list = list().map(::decayed)
        val to = (list[0].type as? PointerType)?.to
        fun value(i: Int) = converted(list[i], to ?: fail("$name of no pointer"))
        fun atomic(what: String, value: Expression, expected: Expression? = null, type: Type = to!!) =
            Atomic(what, list[0], value, expected, type)
        fun negative() = converted(Unary("-", value(1), to!!), to)
        return when (name) {
            "__atomic_load_n" -> indirect(list[0])
            "__atomic_store_n", "__atomic_exchange_n" -> atomic("exchange", value(1))
            "__atomic_fetch_add" -> atomic("add", value(1))
            "__atomic_fetch_sub" -> atomic("add", negative())
            "__atomic_add_fetch" -> binary(token.place, "+", atomic("add", value(1)), value(1))
            "__atomic_sub_fetch" -> binary(token.place, "-", atomic("add", negative()), value(1))
            "__atomic_compare_exchange_n" -> atomic("compare", value(2), list[1], INT)
            "__sync_bool_compare_and_swap" -> {
                val expected = code.local(to!!)
                Sequence(Assign(expected, value(1)), atomic("compare", value(2), pointerTo(expected), INT))
            }
            "__builtin_va_start" -> StartVariadic(list[0])
            else -> fail("unknown function $name")
        }
    }

    private fun offset(): Expression {
        val type = typeName()
        expect(",")
        var place: Expression = field(Indirect(Number(0, PointerType(type)), type))
        while (!accept(")")) {
            place = if (accept(".")) field(place)
            else {
                expect("[")
                indirect(binary(token.place, "+", place, expression())).also { expect("]") }
            }
        }
        return Number(Expressions.constant(pointerTo(place)) ?: fail("the offset is not constant"), UNSIGNED_LONG)
    }

    protected companion object {
        val STORAGES = setOf("typedef", "extern", "static")
        val IGNORED = setOf("const", "volatile", "restrict", "__restrict", "inline", "_Noreturn", "register")
        val BASIC = setOf("void", "char", "short", "int", "long", "signed", "unsigned", "_Bool", "double")
        val SPECIFIERS = STORAGES + IGNORED + BASIC +
            setOf("struct", "union", "enum", "__thread", "_Thread_local", "_Atomic", "_Alignas", "__attribute__")
        private val BUILTINS = listOf("__atomic_", "__builtin_", "__sync_")
        private val ASSIGNMENTS = setOf("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
        private val UNARIES = setOf("++", "--", "&", "*", "!", "+", "-", "~")
        private val LEVELS = listOf(
            setOf("||"), setOf("&&"), setOf("|"), setOf("^"), setOf("&"), setOf("==", "!="),
            setOf("<", "<=", ">", ">="), setOf("<<", ">>"), setOf("+", "-"), setOf("*", "/", "%"),
        )
    }
}
