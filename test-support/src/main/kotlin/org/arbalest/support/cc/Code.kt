// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.cc

import org.arbalest.support.cc.Symbol.Section

/**
 * Machine code of x86-64, and the data beside it.
 *
 * It is the code of a stack machine: each expression leaves its value in `rax`, and the left operand waits on the
 * stack. The value of a struct is its address, and the value of a double is its bits. In the high half of `rax` a value
 * of up to four bytes has no meaning.
 */
internal class Code {
    val text = Bytes()
    val data = Bytes()

    /** The ends of four-byte displacements in [text], and their targets. */
    val references = mutableListOf<Reference>()

    /** The eight-byte addresses in [data]. */
    val pointers = mutableListOf<Reference>()
    val constructors = mutableListOf<Symbol>()
    var zeros = 0
    var threadBytes = 0

    private var frame = 0
    private var depth = 0
    private var frameAt = 0
    private var function: FunctionType? = null
    private var resultPointer = 0
    private var returns = Label()
    private var registers = 0
    private var vectors = 0
    private var onStack = 0
    private var saved = 0

    /** The address of [symbol] plus [addend], at an offset of the section; `isThread`: of the module's TLS index. */
    class Reference(val at: Int, val symbol: Symbol, val addend: Long = 0)

    class Label {
        var at = -1
        val jumps = mutableListOf<Int>()
    }

    // ---- functions ----

    fun begin(symbol: Symbol, type: FunctionType): List<Local> {
        function = type
        frame = 0
        depth = 0
        returns = Label()
        symbol.section = Section.TEXT
        symbol.offset = text.size
        text.hex("55 4889E5 4881EC").int(0) // push rbp; mov rbp, rsp; sub rsp, frame
        frameAt = text.size - 4
        saved = 0
        if (type.isVariadic) {
            saved = local(LONG, SAVED_BYTES).offset
            for (i in INTEGERS.indices) store(INTEGERS[i], saved + 8 * i)
            for (i in 0 until VECTORS) storeVector(i, saved + 8 * INTEGERS.size + 16 * i)
        }
        registers = 0
        vectors = 0
        onStack = 16
        if (isInMemory(type.result)) {
            resultPointer = local(LONG).offset
            store(INTEGERS[registers++], resultPointer)
        }
        return type.parameters.map { parameter(it.type) }
    }

    private fun parameter(type: Type): Local {
        val words = wordsOf(type)
        if (type is DoubleType && vectors < VECTORS) return local(type).also { storeVector(vectors++, it.offset) }
        if (type is DoubleType || words == 0 || registers + words > INTEGERS.size) {
            return Local(onStack, type).also { onStack += rounded(type.size, 8) }
        }
        val home = local(type, rounded(type.size, 8))
        for (i in 0 until words) store(INTEGERS[registers++], home.offset + 8 * i)
        return home
    }

    fun end() {
        set(returns)
        text.hex("C9 C3") // leave; ret
        text.setInt(frameAt, rounded(frame, 16))
    }

    fun local(type: Type, size: Int = type.size): Local {
        frame = rounded(frame + size, maxOf(8, type.align))
        return Local(-frame, type)
    }

    fun returnValue(value: Expression?) {
        if (value != null) {
            generate(value)
            val type = value.type
            if (isInMemory(type)) {
                text.hex("4889C6 488BBD").int(resultPointer).hex("57") // mov rsi, rax; mov rdi, [pointer]; push rdi
                text.hex("B9").int(type.size).hex("F3A4 58") // mov ecx, size; rep movsb; pop rax
            } else if (type is StructType) {
                text.hex("488B5008 488B00") // mov rdx, [rax+8]; mov rax, [rax]
            } else if (type is DoubleType) {
                text.hex("66480F6EC0") // movq xmm0, rax
            }
        }
        jump(returns)
    }

    // ---- labels ----

    fun set(label: Label) {
        label.at = text.size
        label.jumps.forEach { text.setInt(it, label.at - it - 4) }
    }

    fun jump(label: Label) {
        text.hex("E9")
        displacement(label)
    }

    /** Jumps if the condition is [whether]. */
    fun jumpIf(condition: Expression, whether: Boolean, label: Label) {
        generate(condition)
        if (condition.type is DoubleType) error("a condition of type double")
        testZero(condition.type)
        text.hex(if (whether) "0F85" else "0F84")
        displacement(label)
    }

    fun jumpIfEqual(local: Local, value: Long, label: Label) {
        generate(Binary("==", local, Number(value, local.type), INT))
        text.hex("85C0 0F85")
        displacement(label)
    }

    private fun displacement(label: Label) {
        if (label.at >= 0) text.int(label.at - text.size - 4)
        else {
            label.jumps += text.size
            text.int(0)
        }
    }

    private fun testZero(type: Type) {
        text.hex(if (type.size == 8) "4885C0" else "85C0")
    }

    // ---- expressions ----

    fun generate(expression: Expression) {
        when (expression) {
            is Number -> number(expression.value)
            is Local, is Static, is Indirect, is Field -> {
                address(expression)
                load(expression.type)
            }
            is AddressOf -> address(expression.of)
            is Convert -> convert(expression)
            is Unary -> unary(expression)
            is Binary -> binary(expression)
            is Logical -> logical(expression)
            is Choice -> choice(expression)
            is Assign -> assign(expression)
            is Sequence -> {
                generate(expression.first)
                generate(expression.second)
            }
            is Call -> call(expression)
            is Fill -> fill(expression)
            is Atomic -> atomic(expression)
            is StartVariadic -> startVariadic(expression)
        }
    }

    private fun number(value: Long) {
        if (value == value.toInt().toLong()) text.hex("48C7C0").int(value.toInt()) else text.hex("48B8").long(value)
    }

    private fun address(of: Expression) {
        when (of) {
            is Local -> text.hex("488D85").int(of.offset) // lea rax, [rbp+offset]
            is Static ->
                if (of.symbol.section == Section.THREAD) threadAddress(of.symbol) else refer("488D05", of.symbol)
            is Indirect -> generate(of.pointer)
            is Field -> {
                address(of.of)
                if (of.offset != 0) text.hex("4805").int(of.offset) // add rax, offset
            }
            is Sequence -> {
                generate(of.first)
                address(of.second)
            }
            is Call, is Choice, is Assign -> generate(of)
            else -> error("no address: ${of::class.simpleName}")
        }
    }

    private fun refer(instruction: String, symbol: Symbol) {
        text.hex(instruction)
        references += Reference(text.size, symbol)
        text.int(0)
    }

    private fun threadAddress(symbol: Symbol) {
        refer("488D3D", symbol) // lea rdi, [the pair of module and offset]
        val isOdd = depth % 2 != 0
        if (isOdd) text.hex("4883EC08")
        refer("E8", RESOLVER)
        if (isOdd) text.hex("4883C408")
    }

    private fun load(type: Type) {
        when {
            type is ArrayType || type is StructType || type is FunctionType || type is VoidType -> {}
            type.size == 8 -> text.hex("488B00")
            type.size == 4 -> text.hex("8B00")
            type.size == 2 -> text.hex(if (asInteger(type).signed) "0FBF00" else "0FB700")
            else -> text.hex(if (asInteger(type).signed) "0FBE00" else "0FB600")
        }
    }

    private fun push() {
        text.hex("50")
        depth++
    }

    private fun pop(instruction: String) {
        text.hex(instruction)
        depth--
    }

    private fun convert(convert: Convert) {
        generate(convert.of)
        val from = convert.of.type
        val to = convert.type
        if (to is VoidType || from is VoidType || from is StructType) return
        if (from is DoubleType || to is DoubleType) {
            if (from is DoubleType && to is DoubleType) return
            if (to is DoubleType) {
                extend(asInteger(from), 8)
                text.hex("F2480F2AC0 66480F7EC0") // cvtsi2sd xmm0, rax; movq rax, xmm0
            } else {
                text.hex("66480F6EC0 F2480F2CC0") // movq xmm0, rax; cvttsd2si rax, xmm0
            }
            return
        }
        val integer = asInteger(to)
        when {
            integer.isBool -> {
                testZero(from)
                text.hex("0F95C0 0FB6C0") // setne al; movzx eax, al
            }
            integer.size == 8 -> extend(asInteger(from), 8)
            integer.size < 4 -> extend(integer, 4)
        }
    }

    /** Extends the low bytes of a type to four or eight bytes. */
    private fun extend(type: IntType, size: Int) {
        when (type.size) {
            1 -> text.hex(if (type.signed) "0FBEC0" else "0FB6C0")
            2 -> text.hex(if (type.signed) "0FBFC0" else "0FB7C0")
        }
        if (size == 8 && type.size < 8) text.hex(if (type.signed) "4863C0" else "89C0") // movsxd rax, eax; mov eax, eax
    }

    private fun unary(unary: Unary) {
        generate(unary.of)
        when (unary.sign) {
            "-" -> if (unary.type is DoubleType) text.hex("480FBAF83F") else text.hex("48F7D8") // btc rax, 63; neg rax
            "~" -> text.hex("48F7D0")
            else -> {
                testZero(unary.of.type)
                text.hex("0F94C0 0FB6C0") // sete al; movzx eax, al
            }
        }
    }

    private fun binary(binary: Binary) {
        generate(binary.left)
        push()
        generate(binary.right)
        text.hex("4889C7") // mov rdi, rax
        pop("58") // rax
        val type = asInteger(binary.left.type)
        val wide = if (type.size == 8) "48" else ""
        when (binary.sign) {
            "+" -> text.hex(wide + "01F8")
            "-" -> text.hex(wide + "29F8")
            "*" -> text.hex(wide + "0FAFC7")
            "&" -> text.hex(wide + "21F8")
            "|" -> text.hex(wide + "09F8")
            "^" -> text.hex(wide + "31F8")
            "/", "%" -> {
                // cqo; idiv rdi; or xor edx, edx; div rdi
                text.hex(if (type.signed) "${wide}99 ${wide}F7FF" else "31D2 ${wide}F7F7")
                if (binary.sign == "%") text.hex("4889D0") // mov rax, rdx
            }
            "<<", ">>" -> {
                text.hex("89F9") // mov ecx, edi
                text.hex(wide + if (binary.sign == "<<") "D3E0" else if (type.signed) "D3F8" else "D3E8")
            }
            else -> {
                val (signed, unsigned) = CONDITIONS.getValue(binary.sign)
                text.hex(wide + "39F8 0F${if (type.signed) signed else unsigned}C0 0FB6C0") // cmp; set; movzx
            }
        }
    }

    private fun logical(logical: Logical) {
        val short = Label()
        val end = Label()
        val isOr = logical.sign == "||"
        jumpIf(logical.left, isOr, short)
        jumpIf(logical.right, isOr, short)
        number(if (isOr) 0 else 1)
        jump(end)
        set(short)
        number(if (isOr) 1 else 0)
        set(end)
    }

    private fun choice(choice: Choice) {
        val no = Label()
        val end = Label()
        jumpIf(choice.condition, false, no)
        generate(choice.yes)
        jump(end)
        set(no)
        generate(choice.no)
        set(end)
    }

    private fun assign(assign: Assign) {
        address(assign.to)
        push()
        generate(assign.value)
        pop("5F") // rdi
        val type = assign.type
        when {
            type is StructType || type is ArrayType -> {
                text.hex("57 4889C6 B9").int(type.size) // push rdi; mov rsi, rax; mov ecx, size
                text.hex("F3A4 58") // rep movsb; pop rax
            }
            type is IntType && type.isAtomic -> {
                text.hex("50") // push rax
                text.hex(prefixed(type, "86", "87") + "07 58") // xchg [rdi], rax; pop rax
            }
            else -> text.hex(prefixed(type, "88", "89") + "07") // mov [rdi], rax
        }
    }

    private fun prefixed(type: Type, byte: String, other: String): String = when (type.size) {
        1 -> byte
        2 -> "66$other"
        4 -> other
        else -> "48$other"
    }

    private fun fill(fill: Fill) {
        text.hex("488DBD").int(fill.local.offset).hex("31C0 B9").int(fill.local.type.size).hex("F3AA") // rep stosb
        fill.parts.forEach(::generate)
    }

    private fun atomic(atomic: Atomic) {
        generate(atomic.pointer)
        push()
        if (atomic.expected != null) {
            generate(atomic.expected)
            push()
        }
        generate(atomic.value)
        val type = asInteger((atomic.pointer.type as PointerType).to)
        when (atomic.what) {
            "add" -> {
                pop("5F")
                text.hex("F0" + prefixed(type, "0FC0", "0FC1") + "07") // lock xadd [rdi], rax
            }
            "exchange" -> {
                pop("5F")
                text.hex(prefixed(type, "86", "87") + "07") // xchg [rdi], rax
            }
            else -> { // the expected value is behind a pointer, which receives the present value
                text.hex("4889C1") // mov rcx, rax
                pop("5E") // rsi
                pop("5F") // rdi
                text.hex(prefixed(type, "8A", "8B") + "06") // mov rax, [rsi]
                text.hex("F0" + prefixed(type, "0FB0", "0FB1") + "0F") // lock cmpxchg [rdi], rcx
                text.hex(prefixed(type, "88", "89") + "06 0F94C0 0FB6C0") // mov [rsi], rax; sete al; movzx eax, al
            }
        }
    }

    // ---- calls ----

    /** The number of integer registers that a value takes; 0 for memory or a vector register. */
    private fun wordsOf(type: Type): Int = when {
        type is DoubleType || isInMemory(type) -> 0
        type is StructType -> (type.size + 7) / 8
        else -> 1
    }

    private fun isInMemory(type: Type): Boolean {
        if (type !is StructType) return false
        if (type.size <= 16 && type.members.orEmpty().any { it.type is DoubleType }) error("$type by value")
        return type.size > 16
    }

    private fun call(call: Call) {
        var integers = if (isInMemory(call.type)) 1 else 0
        var doubles = 0
        val inRegisters = call.arguments.map { argument ->
            val words = wordsOf(argument.type)
            when {
                argument.type is DoubleType -> doubles++ < VECTORS
                words == 0 || integers + words > INTEGERS.size -> false
                else -> true.also { integers += words }
            }
        }
        val parts = call.arguments.zip(inRegisters)
        val stackBytes = parts.sumOf { (it, isIn) -> if (isIn) 0 else rounded(it.type.size, 8) }
        val padding = if ((depth + stackBytes / 8) % 2 == 0) 0 else 8
        if (padding > 0) text.hex("4883EC08")
        depth += padding / 8
        parts.asReversed().filter { !it.second }.forEach { pushArgument(it.first) }
        parts.asReversed().filter { it.second }.forEach { pushArgument(it.first) }
        val target = call.function
        val direct = (target as? Static)?.symbol?.takeIf { target.type is FunctionType }
        if (direct == null) {
            generate(target)
            text.hex("4989C2") // mov r10, rax
        }
        var register = 0
        var vector = 0
        if (isInMemory(call.type)) {
            text.hex("488DBD").int(call.scratch!!.offset) // lea rdi, [scratch]
            register++
        }
        for ((argument, _) in parts.filter { it.second }) {
            if (argument.type is DoubleType) {
                pop("58")
                text.hex("66480F6E").byte(0xC0 or (vector++ shl 3)) // movq xmm, rax
            } else repeat(wordsOf(argument.type)) { pop(POPS[register++]) }
        }
        if (call.signature.isVariadic) text.hex("B8").int(vector) // mov eax, the number of vector registers
        if (direct != null) refer("E8", direct) else text.hex("41FFD2") // call r10
        if (stackBytes + padding > 0) text.hex("4881C4").int(stackBytes + padding)
        depth -= (stackBytes + padding) / 8
        result(call)
    }

    private fun pushArgument(argument: Expression) {
        generate(argument)
        val type = argument.type
        if (type is StructType) {
            val bytes = rounded(type.size, 8)
            text.hex("4889C6 4881EC").int(bytes).hex("4889E7 B9").int(type.size).hex("F3A4") // a copy at rsp
            depth += bytes / 8
        } else push()
    }

    private fun result(call: Call) {
        val type = call.type
        when {
            type is StructType && !isInMemory(type) -> {
                val at = call.scratch!!.offset
                text.hex("488985").int(at) // mov [scratch], rax
                if (type.size > 8) text.hex("488995").int(at + 8) // mov [scratch+8], rdx
                text.hex("488D85").int(at)
            }
            type is DoubleType -> text.hex("66480F7EC0") // movq rax, xmm0
            type is IntType && type.size < 4 -> extend(type, 4)
        }
    }

    private fun startVariadic(start: StartVariadic) {
        generate(start.list)
        text.hex("C700").int(8 * registers) // gp_offset
        text.hex("C74004").int(8 * INTEGERS.size + 16 * vectors) // fp_offset
        text.hex("488D8D").int(onStack).hex("48894808") // lea rcx, [rbp+onStack]; mov [rax+8], rcx
        text.hex("488D8D").int(saved).hex("48894810") // lea rcx, [rbp+saved]; mov [rax+16], rcx
    }

    private fun store(register: Int, offset: Int) {
        text.hex(if (register >= 8) "4C89" else "4889").byte(0x85 or (register % 8 shl 3)).int(offset)
    }

    private fun storeVector(vector: Int, offset: Int) {
        text.hex("660FD6").byte(0x85 or (vector shl 3)).int(offset) // movq [rbp+offset], xmm
    }

    companion object {
        /** The function with which a thread finds its own variables. */
        val RESOLVER = Symbol("__tls_get_addr", VoidType)
        private val INTEGERS = intArrayOf(7, 6, 2, 1, 8, 9) // rdi, rsi, rdx, rcx, r8, r9
        private val POPS = listOf("5F", "5E", "5A", "59", "4158", "4159")
        /** The second bytes of `setcc` for signed and unsigned operands. */
        private val CONDITIONS = mapOf(
            "==" to ("94" to "94"), "!=" to ("95" to "95"), "<" to ("9C" to "92"), "<=" to ("9E" to "96"),
            ">" to ("9F" to "97"), ">=" to ("9D" to "93"),
        )
        private const val VECTORS = 8
        private const val SAVED_BYTES = 8 * 6 + 16 * VECTORS
    }
}

/** Growing bytes, little-endian. */
internal class Bytes {
    private var bytes = ByteArray(1024)
    var size = 0
        private set

    fun byte(value: Int): Bytes {
        if (size == bytes.size) bytes = bytes.copyOf(2 * size)
        bytes[size++] = value.toByte()
        return this
    }

    fun short(value: Int): Bytes = byte(value).byte(value shr 8)

    fun int(value: Int): Bytes = short(value).short(value shr 16)

    fun long(value: Long): Bytes = int(value.toInt()).int((value shr 32).toInt())

    /** Appends hexadecimal digits; spaces are ignored. */
    fun hex(digits: String): Bytes {
        var at = 0
        while (at < digits.length) {
            if (digits[at] == ' ') at++
            else {
                byte(digits[at].digitToInt(16) shl 4 or digits[at + 1].digitToInt(16))
                at += 2
            }
        }
        return this
    }

    fun append(other: ByteArray): Bytes = apply { other.forEach { byte(it.toInt()) } }

    fun padTo(length: Int): Bytes = apply { while (size < length) byte(0) }

    fun align(align: Int): Bytes = padTo(rounded(size, align))

    fun setInt(at: Int, value: Int) {
        for (i in 0 until 4) bytes[at + i] = (value shr 8 * i).toByte()
    }

    fun set(at: Int, value: Long, count: Int) {
        for (i in 0 until count) bytes[at + i] = (value shr 8 * i).toByte()
    }

    fun set(at: Int, value: ByteArray): Unit = value.copyInto(bytes, at).let { }

    fun toByteArray(): ByteArray = bytes.copyOf(size)
}
