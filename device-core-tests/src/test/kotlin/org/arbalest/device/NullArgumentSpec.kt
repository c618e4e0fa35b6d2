// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.jspecify.annotations.Nullable
import java.lang.classfile.Attributes
import java.lang.classfile.ClassFile
import java.lang.foreign.MemorySegment
import java.lang.reflect.Constructor
import java.lang.reflect.Executable
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.nio.file.Files
import java.nio.file.Path

/**
 * Calls of each public method and constructor in `org.arbalest.device` with null for each reference that is not
 * `@Nullable`, and valid other arguments. Each call must throw a NullPointerException that names the parameter.
 */
class NullArgumentSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /**
     * Returns whether the test skips a method. It skips methods that the JDK generates for enums and records, and
     * `AsyncArrayStream.subscribe`, which needs a producer and which the Reactive Streams TCK tests. The test also
     * skips varargs arrays.
     */
    fun isLeftOut(method: Executable): Boolean =
        method.name == "equals" || method.name == "subscribe" || method.name == "valueOf" ||
            Modifier.isAbstract(method.modifiers) || method.isSynthetic ||
            method.declaringClass.let { it.isEnum || it == DeviceStatus::class.java }

    fun descriptor(method: Executable): String =
        method.parameterTypes.joinToString("", "(", ")") { it.descriptorString() } +
            if (method is Method) method.returnType.descriptorString() else "V"

    /** Returns whether an exception names the parameter, by an explicit check or by the first use of the argument. */
    fun names(thrown: NullPointerException, name: String, type: Class<*>): Boolean {
        val message = thrown.message.orEmpty()
        return message == name || message.endsWith("because \"$name\" is null") ||
            (name.startsWith("new") && message == name.removePrefix("new").replaceFirstChar(Char::lowercase)) ||
            (type == MemorySegment::class.java && message.endsWith("because \"segment\" is null"))
    }

    /** Returns the names of the parameters, which javac stores for debuggers. */
    fun names(method: Executable): List<String> {
        val type = method.declaringClass
        val bytes = checkNotNull(type.classLoader.getResourceAsStream(type.name.replace('.', '/') + ".class"))
            .use { it.readAllBytes() }
        val name = if (method is Constructor<*>) "<init>" else method.name
        val model = ClassFile.of().parse(bytes).methods().single {
            it.methodName().equalsString(name) && it.methodType().equalsString(descriptor(method))
        }
        val locals = model.code().get().findAttributes(Attributes.localVariableTable()).flatMap { it.localVariables() }
            .associate { it.slot() to it.name().stringValue() }
        var slot = if (Modifier.isStatic(method.modifiers)) 0 else 1
        return method.parameterTypes.map { parameter ->
            checkNotNull(locals[slot]) { "$method has no parameter names: compile it with -g" }.also {
                slot += if (parameter == java.lang.Long.TYPE || parameter == java.lang.Double.TYPE) 2 else 1
            }
        }
    }

    test("every public method rejects null with a NullPointerException that names the parameter") {
        var asked = 0
        val wrong = mutableListOf<String>()
        for (type in publicClasses()) {
            for (method in type.declaredConstructors.toList<Executable>() + type.declaredMethods) {
                if (!Modifier.isPublic(method.modifiers) || isLeftOut(method)) continue
                method.parameters.forEachIndexed { i, parameter ->
                    if (parameter.type.isPrimitive || parameter.isVarArgs ||
                        parameter.annotatedType.isAnnotationPresent(Nullable::class.java)) return@forEachIndexed
                    asked++
                    val name = names(method)[i]
                    val what = Examples(method).use { examples ->
                        try {
                            val arguments = method.parameterTypes.mapIndexed { j, it ->
                                if (i == j) null else examples.of(it)
                            }.toTypedArray()
                            if (method is Method) {
                                method.invoke(if (Modifier.isStatic(method.modifiers)) null
                                else examples.of(method.declaringClass), *arguments)
                            } else {
                                (method as Constructor<*>).newInstance(*arguments)
                            }.let { (it as? AutoCloseable)?.close() }
                            "is accepted"
                        } catch (e: InvocationTargetException) {
                            val thrown = e.targetException
                            if (thrown is NullPointerException && names(thrown, name, parameter.type)) null
                            else "$thrown"
                        } catch (e: NoSuchElementException) {
                            e.message
                        }
                    }
                    val parameters = method.parameterTypes.joinToString { it.simpleName }
                    if (what != null) wrong += "${type.simpleName}.${method.name}($parameters) $name: $what"
                }
            }
        }
        asked shouldBeGreaterThan 100
        System.getProperty("arbalest.dump")?.let { Files.writeString(Path.of(it), wrong.joinToString("\n")) }
        withClue(wrong.joinToString("\n")) { wrong.shouldBeEmpty() }
    }
})
