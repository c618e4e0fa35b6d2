// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.objects.ColumnName
import org.arbalest.device.spi.ObjectConversion
import org.arbalest.device.spi.ObjectProvider
import org.arbalest.device.spi.ObjectShape
import org.arbalest.device.spi.ObjectShape.Component
import org.arbalest.device.spi.ObjectType
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
import java.time.Instant
import java.util.BitSet
import java.util.UUID
import kotlin.jvm.internal.DefaultConstructorMarker
import kotlin.time.ExperimentalTime
import kotlin.time.toJavaInstant
import kotlin.time.toKotlinInstant
import kotlin.uuid.ExperimentalUuidApi
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid
import kotlin.time.Instant as KotlinInstant

/** Data classes, and what Kotlin has for classes of Java's, for core; found by [java.util.ServiceLoader]. Without kotlin-reflect: by [ClassMetadata], and by what kotlinc makes of a data class. */
internal class DataClasses : ObjectProvider {
    override fun shape(type: ObjectType): ObjectShape? {
        val parameters = ClassMetadata.of(type.type())?.takeIf { it.isData }?.parameters ?: return null
        val getters = parameters.indices.map { componentFunction(type.type(), it, parameters[it].name) }
        val constructor = type.type().getDeclaredConstructor(*getters.map { it.returnType }.toTypedArray()).opened()
        val components = parameters.mapIndexed { i, parameter ->
            val name = constructor.parameters[i].getAnnotation(ColumnName::class.java)?.value ?: parameter.name
            val objects = objectType(getters[i].genericReturnType, parameter.type, type)
            Component(name, objects, parameter.hasDefault, MethodHandles.lookup().unreflect(getters[i].opened()))
        }
        return DataClass(constructor, components)
    }

    /** The standard library's own of what Java has, too. */
    @OptIn(ExperimentalTime::class, ExperimentalUuidApi::class) // in Kotlin 2.2; no longer in 2.4
    override fun conversion(type: Class<*>): ObjectConversion<*, *>? = when (type) {
        KotlinInstant::class.java -> ObjectConversion(Instant::class.java, KotlinInstant::toJavaInstant, Instant::toKotlinInstant)
        Uuid::class.java -> ObjectConversion(UUID::class.java, Uuid::toJavaUuid, UUID::toKotlinUuid)
        else -> null
    }

    override fun toString(): String = "a data class"

    /** `component1` and so on; of an internal property with the module's name behind it. */
    private fun componentFunction(type: Class<*>, index: Int, property: String): Method {
        val name = "component${index + 1}"
        return requireNotNull(type.declaredMethods.find { it.parameterCount == 0 && (it.name == name || it.name.startsWith("$name$")) }) {
            "${type.name}: the property $property is of a value class, such as UInt and kotlin.time.Duration; those are not columns yet: " +
                "Long has the numbers of UInt, java.time.Duration the lengths of time"
        }
    }
}

private class DataClass(private val primary: Constructor<*>, private val components: List<Component>) : ObjectShape {
    override fun components(): List<Component> = components

    /** The one that kotlinc makes for default arguments takes, behind the parameters, a bit for each that is missing, and a null. */
    override fun constructor(missing: BitSet): MethodHandle {
        if (missing.isEmpty) return MethodHandles.lookup().unreflectConstructor(primary)
        val masks = IntArray((components.size + Int.SIZE_BITS - 1) / Int.SIZE_BITS)
        missing.stream().forEach { masks[it / Int.SIZE_BITS] = masks[it / Int.SIZE_BITS] or (1 shl it) }
        val behind = Array<Class<*>>(masks.size) { Int::class.java } + DefaultConstructorMarker::class.java
        val withDefaults = primary.declaringClass.getDeclaredConstructor(*primary.parameterTypes, *behind).opened()
        return MethodHandles.insertArguments(MethodHandles.lookup().unreflectConstructor(withDefaults), components.size, *masks.toTypedArray(), null)
    }
}

/** A type as Java has it, with what Kotlin knows of nulls in it; used in a class whose type parameters stand for what its arguments are. */
private fun objectType(type: Type, kotlin: KotlinType?, within: ObjectType): ObjectType {
    val nullable = kotlin?.isNullable ?: true
    return when (type) {
        is Class<*> if type.isArray -> ObjectType(type, nullable, listOf(objectType(type.componentType(), kotlin?.arguments?.firstOrNull(), within)))
        is Class<*> -> ObjectType(type, nullable && !type.isPrimitive, listOf())
        is ParameterizedType -> {
            val arguments = type.actualTypeArguments.mapIndexed { i, argument -> objectType(argument, kotlin?.arguments?.getOrNull(i), within) }
            ObjectType(type.rawType as Class<*>, nullable, arguments)
        }
        is WildcardType -> objectType(type.upperBounds[0], kotlin, within)
        is GenericArrayType -> {
            val component = objectType(type.genericComponentType, kotlin?.arguments?.firstOrNull(), within)
            ObjectType(component.type().arrayType(), nullable, listOf(component))
        }
        is TypeVariable<*> -> {
            val argument = within.arguments().getOrNull(within.type().typeParameters.indexOf(type))
            requireNotNull(argument) { "${within.type().name} is used without saying what its type parameter $type stands for" }
            argument.withNullable(argument.nullable() || kotlin?.isNullable == true)
        }
        else -> throw IllegalArgumentException("${within.type().name} has a property of an unknown kind of type: $type")
    }
}

private fun <T : AccessibleObject> T.opened(): T = apply {
    try {
        isAccessible = true
    } catch (e: InaccessibleObjectException) {
        throw IllegalArgumentException("$this is not accessible: open its package in module-info, \"opens … to org.arbalest.coroutines;\"", e)
    }
}
