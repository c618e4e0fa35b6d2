// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.lang.reflect.AnnotatedElement
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.nio.file.Files
import java.nio.file.Path

/** Annotations for tools that report an ignored result, which is a leak if it is a handle. */
object IgnoredHandles {
    /** Returns the public methods of classes that return a handle, which the caller then closes. */
    fun methods(classes: List<Class<*>>): List<Method> = classes.flatMap { it.declaredMethods.toList() }
        .filter { Modifier.isPublic(it.modifiers) && !it.isSynthetic && !isChaining(it) }
        .filter { AutoCloseable::class.java.isAssignableFrom(it.returnType) }

    /** Returns those of the methods that do not demand that their result is used. */
    fun unmarked(methods: List<Method>): List<String> =
        methods.filterNot { isMarked(it) || isMarked(it.declaringClass) }.map { "${it.declaringClass.name}.${it.name}" }

    /** Returns the public classes in the package of a class, which is in a folder. */
    fun classesAt(anchor: Class<*>): List<Class<*>> {
        val root = Path.of(anchor.protectionDomain.codeSource.location.toURI())
        val names = Files.list(root.resolve(anchor.packageName.replace('.', '/'))).use { paths ->
            paths.map { it.fileName.toString() }.filter { it.endsWith(".class") }.toList()
        }
        return names.map { "${anchor.packageName}.${it.removeSuffix(".class")}" }
            .filterNot { it.endsWith(".package-info") }
            .map { Class.forName(it, false, anchor.classLoader) }
            .filter { type ->
                generateSequence<Class<*>>(type) { it.declaringClass }.all { Modifier.isPublic(it.modifiers) }
            }
    }

    // by name, because the annotation is not on every class path
    private fun isMarked(element: AnnotatedElement) = element.annotations.any {
        it.annotationClass.java.name == "com.google.errorprone.annotations.CheckReturnValue"
    }

    /** Returns whether a method of a builder returns the builder. */
    private fun isChaining(method: Method) = method.returnType == method.declaringClass &&
        !Modifier.isStatic(method.modifiers) && method.declaringClass.simpleName.endsWith("Builder")
}
