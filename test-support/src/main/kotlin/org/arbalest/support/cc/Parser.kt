// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import org.arbalest.support.cc.Expressions.converted
import org.arbalest.support.cc.Expressions.decayed
import org.arbalest.support.cc.Expressions.promoted
import org.arbalest.support.cc.Symbol.Section
import org.arbalest.support.cc.Token.Kind.END
import org.arbalest.support.cc.Token.Kind.NAME
import org.arbalest.support.cc.Token.Kind.PRAGMA
import org.arbalest.support.cc.Token.Kind.TEXT

/** Compiles the tokens of one unit: generates the code of each function when it is read. */
internal class Parser(tokens: List<Token>, code: Code, private val symbols: Symbols) : ExpressionParser(tokens, code) {
    private class Switch {
        val cases = mutableListOf<Pair<Long, Code.Label>>()
        var other: Code.Label? = null
    }

    private class Specifiers(val type: Type, val storage: String?, val isThread: Boolean)

    private class Attributes {
        var isVisible: Boolean? = null
        var isConstructor = false
    }

    private val visibility = ArrayDeque(listOf("default"))
    private val breaks = ArrayDeque<Code.Label>()
    private val continues = ArrayDeque<Code.Label>()
    private val switches = ArrayDeque<Switch>()
    private var result: Type? = null
    private var attributes = Attributes()

    // ---- declarations ----

    fun unit() {
        while (token.kind != END) {
            when {
                token.kind == PRAGMA -> pragma()
                accept(";") -> {}
                else -> declaration(true)
            }
        }
    }

    private fun pragma() {
        if (token.text == "pop") visibility.removeLast().also { at++ }
        else {
            at += 1
            visibility += "hidden"
        }
    }

    private fun assertion() {
        expect("(")
        val holds = constant() != 0L
        val place = token.place
        if (accept(",")) strings()
        expect(")")
        expect(";")
        if (!holds) wrong(place, "a static assertion fails")
    }

    private fun declaration(isGlobal: Boolean) {
        if (accept("_Static_assert")) return assertion()
        attributes = Attributes()
        val specifiers = specifiers()
        if (accept(";")) return
        do {
            val declared = declarator(specifiers.type)
            attribute()
            val name = declared.name ?: fail("a name is missing")
            val type = declared.type
            when {
                specifiers.storage == "typedef" -> scopes.last().names[name] = type
                type is FunctionType -> {
                    val symbol = symbol(name, type, specifiers)
                    if (isNext("{")) return function(symbol, type)
                }
                isGlobal || specifiers.storage != null -> static(name, type, specifiers)
                else -> local(name, type)
            }
        } while (accept(","))
        expect(";")
    }

    /** The symbol of a declaration at the level of the file, or of a function's `static` and `extern` objects. */
    private fun symbol(name: String, type: Type, specifiers: Specifiers): Symbol {
        val known = (find(name) as? Static)?.symbol?.takeIf { scopes.size == 1 || specifiers.storage == "extern" }
        val isStatic = specifiers.storage == "static"
        val symbol = known ?: if (isStatic) Symbol(name, type) else symbols.global.getOrPut(name) { Symbol(name, type) }
        if (type !is ArrayType || type.count >= 0) symbol.type = type
        val isVisible = attributes.isVisible ?: (known == null && visibility.last() == "default")
        if (!isStatic && isVisible) symbol.isExported = true
        if (attributes.isConstructor) code.constructors += symbol
        scopes.last().names[name] = Static(symbol)
        return symbol
    }

    private fun static(name: String, type: Type, specifiers: Specifiers) {
        val symbol = symbol(name, type, specifiers)
        if (accept("=")) {
            val parts = mutableListOf<Part>()
            symbol.type = completed(type, initializer(type, 0, parts))
            scopes.last().names[name] = Static(symbol)
            if (specifiers.isThread) fail("a variable of a thread begins as zero")
            symbol.section = Section.DATA
            symbol.offset = code.data.align(16).size
            code.data.padTo(symbol.offset + symbol.type.size)
            parts.forEach { write(symbol.offset + it.offset, it) }
        } else if (specifiers.storage != "extern" && symbol.section == null) {
            symbol.section = if (specifiers.isThread) Section.THREAD else Section.ZEROS
            symbol.offset = rounded(if (specifiers.isThread) code.threadBytes else code.zeros, 16)
            if (specifiers.isThread) code.threadBytes = symbol.offset + type.size
            else code.zeros = symbol.offset + type.size
        }
    }

    private fun write(offset: Int, part: Part) {
        if (part.bytes != null) return code.data.set(offset, part.bytes)
        val (symbol, value) = Expressions.address(part.value!!) ?: wrong(part.place, "the initializer is not constant")
        if (symbol != null) code.pointers += Code.Reference(offset, symbol, value)
        else code.data.set(offset, value, part.type.size)
    }

    private fun completed(type: Type, count: Int): Type =
        if (type is ArrayType && type.count < 0) ArrayType(type.of, count) else type

    private fun local(name: String, type: Type) {
        if (!accept("=")) {
            scopes.last().names[name] = code.local(type)
            return
        }
        if (isNext("{") || type is ArrayType) {
            val parts = mutableListOf<Part>()
            if (type is ArrayType && type.count < 0) {
                val local = code.local(completed(type, initializer(type, 0, parts)))
                scopes.last().names[name] = local
                code.generate(fill(local, parts))
            } else {
                val local = code.local(type).also { scopes.last().names[name] = it }
                initializer(type, 0, parts)
                code.generate(fill(local, parts))
            }
        } else {
            val local = code.local(type).also { scopes.last().names[name] = it }
            code.generate(Assign(local, converted(assignment(), type)))
        }
    }

    private fun fill(local: Local, parts: List<Part>): Fill = Fill(local, parts.map {
        val value = if (it.bytes == null) it.value!! else text(it.bytes, it.type)
        Assign(Local(local.offset + it.offset, it.type), value)
    })

    private fun function(symbol: Symbol, type: FunctionType) {
        val locals = code.begin(symbol, type)
        result = type.result
        scopes += Scope()
        for ((parameter, local) in type.parameters.zip(locals)) if (parameter.name != null) {
            scopes.last().names[parameter.name] = local
        }
        expect("{")
        block()
        scopes.removeLast()
        code.end()
        result = null
    }

    private fun specifiers(): Specifiers {
        var storage: String? = null
        var isThread = false
        var isAtomic = false
        var type: Type? = null
        val words = mutableListOf<String>()
        while (token.kind == NAME) {
            val word = token.text
            when {
                word in STORAGES -> storage = word.also { at++ }
                word == "__thread" || word == "_Thread_local" -> isThread = true.also { at++ }
                word in IGNORED -> at++
                word == "_Atomic" -> isAtomic = true.also { at++ }
                word == "__attribute__" -> attribute()
                word == "_Alignas" -> alignment()
                word in BASIC -> words += word.also { at++ }
                word == "struct" || word == "union" -> type = struct()
                word == "enum" -> type = enumeration()
                type == null && words.isEmpty() && find(word) is Type -> type = (find(word) as Type).also { at++ }
                else -> break
            }
        }
        val basic = type ?: basic(words)
        val chosen = if (isAtomic) (basic as IntType).copy(isAtomic = true) else basic
        return Specifiers(chosen, storage, isThread)
    }

    private fun basic(words: List<String>): Type {
        val signed = "unsigned" !in words
        return when {
            words.isEmpty() -> fail("a type was expected, not '$token'")
            "void" in words -> VoidType
            "double" in words -> DoubleType
            "_Bool" in words -> IntType(1, false, isBool = true)
            "char" in words -> IntType(1, signed)
            "short" in words -> IntType(2, signed)
            "long" in words -> IntType(8, signed)
            else -> IntType(4, signed)
        }
    }

    private var alignment = 1

    private fun alignment() {
        at++
        expect("(")
        alignment = if (isTypeName(token)) typeName().align else constant().toInt()
        expect(")")
    }

    private fun attribute() {
        while (accept("__attribute__")) {
            expect("(")
            var depth = 1
            while (depth > 0) {
                when {
                    isNext("(") -> depth++
                    isNext(")") -> depth--
                    isNext("constructor") -> attributes.isConstructor = true
                    isNext("visibility") -> attributes.isVisible = tokens[at + 2].text == "\"default\""
                }
                at++
            }
        }
    }

    private fun struct(): Type {
        val isUnion = tokens[at++].text == "union"
        attribute()
        val tag = if (token.kind == NAME) name() else null
        val places = if (isNext("{")) listOf(scopes.last()) else scopes.asReversed()
        val known = places.firstNotNullOfOrNull { it.tags[tag] }
        val type = known as? StructType ?: StructType(tag ?: "without a name", isUnion)
        if (tag != null && known == null) scopes.last().tags[tag] = type
        if (accept("{")) members(type)
        return type
    }

    private fun members(type: StructType) {
        val fields = mutableListOf<Variable>()
        var least = 1
        while (!accept("}")) {
            alignment = 1
            val base = specifiers().type
            if (isNext(";")) fields += Variable(null, base)
            else do fields += declarator(base) while (accept(","))
            if (isNext(":")) fail("a bit-field")
            expect(";")
            least = maxOf(least, alignment)
        }
        type.complete(fields, least)
    }

    private fun enumeration(): Type {
        at++
        val tag = if (token.kind == NAME) name() else null
        if (accept("{")) {
            var value = 0L
            while (!accept("}")) {
                val name = name()
                if (accept("=")) value = constant()
                scopes.last().names[name] = Number(value++, INT)
                accept(",")
            }
        }
        if (tag != null) scopes.last().tags[tag] = INT
        return INT
    }

    private fun declarator(base: Type): Variable {
        var type = base
        while (accept("*")) {
            type = PointerType(type)
            while (token.text in IGNORED) at++
        }
        attribute()
        if (isNext("(") && isDeclarator(tokens[at + 1])) {
            val inside = ++at
            declarator(VoidType)
            expect(")")
            val whole = suffix(type)
            val end = at
            at = inside
            return declarator(whole).also { at = end }
        }
        val name = if (token.kind == NAME && token.text != "__attribute__") name() else null
        return Variable(name, suffix(type))
    }

    private fun isDeclarator(after: Token): Boolean =
        after.text == "*" || after.text == "(" || (after.kind == NAME && !isTypeName(after))

    private fun suffix(type: Type): Type = when {
        accept("[") -> {
            while (token.text in IGNORED || token.text == "static") at++
            val count = if (isNext("]")) -1 else constant().toInt()
            expect("]")
            ArrayType(suffix(type), count)
        }
        accept("(") -> parameters().let { (parameters, isVariadic) -> FunctionType(type, parameters, isVariadic) }
        else -> type
    }

    private fun parameters(): Pair<List<Variable>, Boolean> {
        val list = mutableListOf<Variable>()
        if (isNext("void") && tokens[at + 1].text == ")") at++
        while (!accept(")")) {
            if (accept("...")) {
                expect(")")
                return list to true
            }
            val declared = declarator(specifiers().type)
            val type = when (val type = declared.type) {
                is ArrayType -> PointerType(type.of)
                is FunctionType -> PointerType(type)
                else -> type
            }
            list += Variable(declared.name, type)
            if (!isNext(")")) expect(",")
        }
        return list to false
    }

    override fun typeName(): Type = declarator(specifiers().type).type

    // ---- initializers ----

    /** A scalar, a struct or the [bytes] of a text at an offset of an initialized object. */
    private class Part(
        val offset: Int,
        val type: Type,
        val value: Expression?,
        val bytes: ByteArray?,
        val place: String,
    )

    /** Adds the parts of an initializer. Returns the number of elements. */
    private fun initializer(type: Type, offset: Int, parts: MutableList<Part>): Int {
        val place = token.place
        if (type is ArrayType && type.of.size == 1 && type.of is IntType) {
            val isBraced = isNext("{") && tokens[at + 1].kind == TEXT
            if (isBraced || token.kind == TEXT) {
                if (isBraced) at++
                val text = strings()
                if (isBraced) expect("}")
                val size = if (type.count < 0) text.size + 1 else type.count
                parts += Part(offset, ArrayType(type.of, size), null, text.copyOf(size), place)
                return size
            }
        }
        if (!isNext("{")) {
            if (type is ArrayType) fail("an array needs braces here")
            val value = converted(assignment(), type)
            if (type is StructType && value.type !== type) fail("a struct needs braces here")
            parts += Part(offset, type, value, null, place)
            return 1
        }
        at++
        var index = 0
        var most = 0
        while (!isNext("}")) {
            if (type.isScalar) initializer(type, offset, parts)
            else index = element(type, offset, parts, index)
            most = maxOf(most, ++index)
            if (!accept(",")) break
        }
        expect("}")
        return most
    }

    /** Reads one element, which may have a designator. Returns its index. */
    private fun element(type: Type, offset: Int, parts: MutableList<Part>, next: Int): Int {
        var index = next
        if (type is ArrayType) {
            if (accept("[")) {
                index = constant().toInt()
                expect("]")
                expect("=")
            }
            initializer(type.of, offset + index * type.of.size, parts)
            return index
        }
        val members = (type as StructType).members ?: fail("$type is incomplete")
        if (accept(".")) {
            val name = name()
            val member = type.find(name) ?: fail("$type has no member $name")
            index = members.indexOfLast { it.offset <= member.offset }
            expect("=")
            initializer(member.type, offset + member.offset, parts)
        } else {
            val member = members.getOrNull(index) ?: fail("$type has only ${members.size} members")
            initializer(member.type, offset + member.offset, parts)
        }
        return index
    }

    override fun literal(type: Type): Expression {
        val parts = mutableListOf<Part>()
        val local = code.local(completed(type, initializer(type, 0, parts)))
        return Sequence(fill(local, parts), local)
    }

    // ---- statements ----

    /** Reads up to the closing brace. */
    private fun block() {
        scopes += Scope()
        while (!accept("}")) statement()
        scopes.removeLast()
    }

    private fun statement() {
        if (isTypeName(token) || isNext("_Static_assert")) return declaration(false)
        val word = token.text
        if (word in STATEMENTS && token.kind != TEXT) at++
        when (word) {
            "{" -> block()
            ";" -> {}
            "if" -> choose()
            "while" -> repeat(null, condition(), null)
            "do" -> doWhile()
            "for" -> loop()
            "switch" -> switch()
            "case", "default" -> label(word == "default")
            "break" -> jump(breaks)
            "continue" -> jump(continues)
            "return" -> giveBack()
            else -> {
                code.generate(expression())
                expect(";")
            }
        }
    }

    private fun jump(to: ArrayDeque<Code.Label>) {
        code.jump(to.last())
        expect(";")
    }

    private fun giveBack() {
        val type = result!!
        if (isNext(";")) code.returnValue(null)
        else {
            val value = expression()
            code.returnValue(if (type is VoidType) value else converted(value, type))
        }
        expect(";")
    }

    private fun condition(): Expression {
        expect("(")
        return decayed(expression()).also { expect(")") }
    }

    private fun choose() {
        val no = Code.Label()
        code.jumpIf(condition(), false, no)
        statement()
        if (accept("else")) {
            val end = Code.Label()
            code.jump(end)
            code.set(no)
            statement()
            code.set(end)
        } else code.set(no)
    }

    private fun repeat(before: (() -> Unit)?, condition: Expression?, step: Expression?) {
        val start = Code.Label()
        val next = Code.Label()
        val end = Code.Label()
        before?.invoke()
        code.set(start)
        if (condition != null) code.jumpIf(condition, false, end)
        body(end, next)
        code.set(next)
        if (step != null) code.generate(step)
        code.jump(start)
        code.set(end)
    }

    private fun body(end: Code.Label, next: Code.Label) {
        breaks += end
        continues += next
        statement()
        breaks.removeLast()
        continues.removeLast()
    }

    private fun doWhile() {
        val start = Code.Label()
        val next = Code.Label()
        val end = Code.Label()
        code.set(start)
        body(end, next)
        code.set(next)
        expect("while")
        code.jumpIf(condition(), true, start)
        code.set(end)
        expect(";")
    }

    private fun loop() {
        scopes += Scope()
        expect("(")
        if (isTypeName(token)) declaration(false)
        else {
            if (!isNext(";")) code.generate(expression())
            expect(";")
        }
        val condition = if (isNext(";")) null else decayed(expression())
        expect(";")
        val step = if (isNext(")")) null else expression()
        expect(")")
        repeat(null, condition, step)
        scopes.removeLast()
    }

    private fun switch() {
        val value = promoted(condition())
        val local = code.local(value.type)
        val choose = Code.Label()
        val end = Code.Label()
        code.generate(Assign(local, value))
        code.jump(choose)
        switches += Switch()
        breaks += end
        statement()
        breaks.removeLast()
        val switch = switches.removeLast()
        code.jump(end)
        code.set(choose)
        switch.cases.forEach { (case, label) -> code.jumpIfEqual(local, case, label) }
        switch.other?.let(code::jump)
        code.set(end)
    }

    private fun label(isDefault: Boolean) {
        val label = Code.Label()
        if (isDefault) switches.last().other = label else switches.last().cases += constant() to label
        expect(":")
        code.set(label)
        statement()
    }

    private companion object {
        val STATEMENTS =
            setOf("{", ";", "if", "while", "do", "for", "switch", "case", "default", "break", "continue", "return")
    }
}
