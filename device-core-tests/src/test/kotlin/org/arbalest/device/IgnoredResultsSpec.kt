// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import com.google.errorprone.annotations.CheckReturnValue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.lang.reflect.AnnotatedElement
import java.lang.reflect.Method
import java.lang.reflect.Modifier

/** Annotations for tools that report an ignored result, which is a leak if it is a handle. */
class IgnoredResultsSpec : FunSpec({
    test("each public method that returns a new handle demands that its result is used") {
        val handles = publicClasses().filterNot { it.packageName.startsWith("org.arbalest.device.support") }
            .flatMap { it.declaredMethods.toList() }
            .filter { Modifier.isPublic(it.modifiers) && !it.isSynthetic && !isChaining(it) }
            .filter { AutoCloseable::class.java.isAssignableFrom(it.returnType) }
        handles.size shouldBeGreaterThan 60
        handles.filterNot { isMarked(it) || isMarked(it.declaringClass) }.map(::title).shouldBeEmpty()
    }
})

private fun isMarked(element: AnnotatedElement) =
    element.isAnnotationPresent(CheckReturnValue::class.java)

/** Returns whether a method of a builder returns the builder. */
private fun isChaining(method: Method) = method.returnType == method.declaringClass &&
    !Modifier.isStatic(method.modifiers) && method.declaringClass.simpleName.endsWith("Builder")
