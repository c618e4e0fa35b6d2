// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.objects.ColumnName
import org.arbalest.device.objects.ObjectConversion
import org.arbalest.device.objects.ObjectProvider
import org.arbalest.device.objects.ObjectShape
import org.arbalest.device.objects.ObjectShape.Component
import org.arbalest.device.objects.ObjectType
import java.lang.invoke.MethodHandle
import java.lang.invoke.MethodHandles
import java.lang.reflect.AccessibleObject
import java.lang.reflect.Constructor
import java.lang.reflect.GenericArrayType
import java.lang.reflect.InaccessibleObjectException
import java.lang.reflect.Method
import java.lang.reflect.ParameterizedType
import java.lang.reflect.Type
import java.lang.reflect.TypeVariable
import java.lang.reflect.WildcardType
import java.util.BitSet
import kotlin.jvm.internal.DefaultConstructorMarker

/**
 * The provider for core of Kotlin data classes and of the Kotlin counterparts of Java classes;
 * [java.util.ServiceLoader] finds it. It uses [ClassMetadata] and the members that kotlinc generates for a data class,
 * not kotlin-reflect.
 */
internal class DataClasses : ObjectProvider {
    override fun shape(type: ObjectType): ObjectShape? {
        val parameters = ClassMetadata.of(type.type())?.takeIf { it.isData }?.parameters ?: return null
        val getters = parameters.indices.map { componentFunction(type.type(), it, parameters[it].name) }
        val constructor = type.type().getDeclaredConstructor(*getters.map { it.returnType }.toTypedArray()).opened()
        val annotated = annotatedConstructor(constructor)
        val parts = parameters.mapIndexed { i, parameter -> partOf(getters[i].genericReturnType, parameter.type, type) }
        val components = parameters.mapIndexed { i, parameter ->
            val name = annotated.parameters[i].getAnnotation(ColumnName::class.java)?.value ?: parameter.name
            val getter = MethodHandles.lookup().unreflect(getters[i].opened())
            val part = parts[i].taken?.let { MethodHandles.filterReturnValue(getter, it) } ?: getter
            Component(name, parts[i].type, parameter.hasDefault, part)
        }
        return DataClass(constructor, components, parts.map(Part::given))
    }

    /** Returns the conversion for a value class, or for a class of the standard library that Java has too. */
    override fun conversion(type: Class<*>): ObjectConversion<*, *>? = conversionOf(type)

    override fun toString(): String = "a data class"

    /**
     * Returns `component1` and so on. After the name, kotlinc appends the module's name for an internal property, or a
     * hash for a value class.
     */
    private fun componentFunction(type: Class<*>, index: Int, property: String): Method {
        val name = "component${index + 1}"
        val found = type.declaredMethods.find { it.parameterCount == 0 && it.name.split('$', '-')[0] == name }
        return requireNotNull(found) { "${type.name} has no function $name for its property $property" }
    }

    /** Returns the constructor with the annotations: kotlinc hides the primary one if a parameter has a value class. */
    private fun annotatedConstructor(constructor: Constructor<*>): Constructor<*> {
        val visible = constructor.parameterTypes + DefaultConstructorMarker::class.java
        val all = constructor.declaringClass.declaredConstructors
        return all.find { it.parameterTypes.contentEquals(visible) } ?: constructor
    }
}

/** @property given for each constructor argument, the conversion from core's value; null where the two are the same */
private class DataClass(
    private val primary: Constructor<*>,
    private val components: List<Component>,
    private val given: List<MethodHandle?>,
) : ObjectShape {
    override fun components(): List<Component> = components

    /**
     * Returns the constructor that kotlinc generates for default arguments. After the parameters it takes a bit for
     * each missing argument, and a null.
     */
    override fun constructor(missing: BitSet): MethodHandle {
        val filters = given.mapIndexed { i, filter -> filter.takeUnless { missing[i] } }
        return MethodHandles.filterArguments(unfiltered(missing), 0, *filters.toTypedArray())
    }

    private fun unfiltered(missing: BitSet): MethodHandle {
        if (missing.isEmpty) return MethodHandles.lookup().unreflectConstructor(primary)
        val masks = IntArray((components.size + Int.SIZE_BITS - 1) / Int.SIZE_BITS)
        missing.stream().forEach { masks[it / Int.SIZE_BITS] = masks[it / Int.SIZE_BITS] or (1 shl it) }
        val behind = Array<Class<*>>(masks.size) { Int::class.java } + DefaultConstructorMarker::class.java
        val withDefaults = primary.declaringClass.getDeclaredConstructor(*primary.parameterTypes, *behind).opened()
        return MethodHandles.insertArguments(MethodHandles.lookup().unreflectConstructor(withDefaults), components.size,
            *masks.toTypedArray(), null)
    }
}

/**
 * Returns the Java type with Kotlin's nullability.
 *
 * @param within the class that uses the type; its arguments replace its type parameters
 */
internal fun objectType(type: Type, kotlin: KotlinType?, within: ObjectType): ObjectType {
    val nullable = kotlin?.isNullable ?: true
    return when (type) {
        is Class<*> if type.isArray -> ObjectType(type, nullable,
            listOf(objectType(type.componentType(), kotlin?.arguments?.firstOrNull(), within)))
        is Class<*> -> ObjectType(type, nullable && !type.isPrimitive, listOf())
        is ParameterizedType -> {
            val arguments = type.actualTypeArguments.mapIndexed { i, argument ->
                objectType(argument, kotlin?.arguments?.getOrNull(i), within)
            }
            ObjectType(type.rawType as Class<*>, nullable, arguments)
        }
        is WildcardType -> objectType(type.upperBounds[0], kotlin, within)
        is GenericArrayType -> {
            val component = objectType(type.genericComponentType, kotlin?.arguments?.firstOrNull(), within)
            ObjectType(component.type().arrayType(), nullable, listOf(component))
        }
        is TypeVariable<*> -> {
            val argument = within.arguments().getOrNull(within.type().typeParameters.indexOf(type))
            requireNotNull(argument) {
                "${within.type().name} is used without an argument for its type parameter $type"
            }
            argument.withNullable(argument.nullable() || kotlin?.isNullable == true)
        }
        else -> throw IllegalArgumentException("${within.type().name} has a property of an unknown kind of type: $type")
    }
}

internal fun <T : AccessibleObject> T.opened(): T = apply {
    try {
        isAccessible = true
    } catch (e: InaccessibleObjectException) {
        throw IllegalArgumentException(
            "$this is not accessible: open its package in module-info, \"opens … to org.arbalest.coroutines;\"", e,
        )
    }
}
