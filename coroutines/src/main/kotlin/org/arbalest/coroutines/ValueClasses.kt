// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.objects.ObjectConversion
import org.arbalest.device.objects.ObjectType
import org.arbalest.device.types.DataType
import java.lang.invoke.MethodHandle
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.lang.reflect.ParameterizedType
import java.lang.reflect.Type
import java.time.Instant
import java.util.Objects
import java.util.UUID
import kotlin.time.ExperimentalTime
import kotlin.time.toJavaDuration
import kotlin.time.toJavaInstant
import kotlin.time.toKotlinDuration
import kotlin.time.toKotlinInstant
import kotlin.uuid.ExperimentalUuidApi
import kotlin.uuid.Uuid
import kotlin.uuid.toJavaUuid
import kotlin.uuid.toKotlinUuid
import java.time.Duration as JavaDuration
import kotlin.time.Duration as KotlinDuration
import kotlin.time.Instant as KotlinInstant

/** The classes of the standard library that core reads and writes as another class. */
// the first two in Kotlin 2.2; not in 2.4
@OptIn(ExperimentalTime::class, ExperimentalUuidApi::class, ExperimentalUnsignedTypes::class)
private val STANDARD: Map<Class<*>, ObjectConversion<*, *>> = mapOf(
    KotlinInstant::class.java to ObjectConversion(
        Instant::class.java,
        KotlinInstant::toJavaInstant,
        Instant::toKotlinInstant,
    ),
    Uuid::class.java to ObjectConversion(UUID::class.java, Uuid::toJavaUuid, UUID::toKotlinUuid),
    KotlinDuration::class.java to ObjectConversion(
        JavaDuration::class.java,
        ::javaDuration,
        JavaDuration::toKotlinDuration,
    ),
    UByte::class.java to ObjectConversion.ofUnsigned(DataType.UINT8, UByte::toLong, Long::toUByte),
    UShort::class.java to ObjectConversion.ofUnsigned(DataType.UINT16, UShort::toLong, Long::toUShort),
    UInt::class.java to ObjectConversion.ofUnsigned(DataType.UINT32, UInt::toLong, Long::toUInt),
    ULong::class.java to ObjectConversion.ofUnsigned(DataType.UINT64, ULong::toLong, Long::toULong),
    UByteArray::class.java to asArray<UByteArray, UByte>(UByteArray::toTypedArray, Array<UByte>::toUByteArray),
    UShortArray::class.java to asArray<UShortArray, UShort>(UShortArray::toTypedArray, Array<UShort>::toUShortArray),
    UIntArray::class.java to asArray<UIntArray, UInt>(UIntArray::toTypedArray, Array<UInt>::toUIntArray),
    ULongArray::class.java to asArray<ULongArray, ULong>(ULongArray::toTypedArray, Array<ULong>::toULongArray),
)

private inline fun <A : Any, reified E : Any> asArray(
    noinline to: (A) -> Array<E>,
    noinline from: (Array<E>) -> A,
): ObjectConversion<A, Array<E>> {
    val element = ObjectType.of(E::class.java).withNullable(false)
    return ObjectConversion.of(ObjectType(element.type().arrayType(), true, listOf(element)), to, from)
}

private fun javaDuration(duration: KotlinDuration): JavaDuration {
    require(duration.isFinite()) { "the duration is $duration, but a column of durations holds only finite ones" }
    return duration.toJavaDuration()
}

/**
 * A component of an object.
 *
 * @property type the type that core reads and writes
 * @property taken converts the getter's result to that type; null for no conversion
 * @property given converts that type to the constructor's argument; null for no conversion
 */
internal class Part(val type: ObjectType, val taken: MethodHandle?, val given: MethodHandle?)

/**
 * Returns the component for a property, from its Java type and its Kotlin type.
 *
 * Where kotlinc leaves a value class unboxed, the component has the type of the class's content. kotlinc does so if the
 * property is not nullable, or if the content is a non-nullable reference. The class's `init` runs when an object is
 * made. If a codec is registered for the class, the component has the class itself, boxed, as elements of a list do,
 * and core uses the codec.
 */
internal fun partOf(java: Type, kotlin: KotlinType?, within: ObjectType): Part {
    val valueClass = kotlin?.valueClass(within.type().classLoader)
    if (valueClass == null || valueClass == rawClass(java)) return Part(objectType(java, kotlin, within), null, null)
    if (valueClass !in STANDARD && !hasCodec(valueClass)) return unboxed(valueClass, kotlin.isNullable)
    val type = ObjectType(valueClass, kotlin.isNullable, listOf())
    return Part(type, boxing(valueClass).orNull(kotlin.isNullable), unboxing(valueClass).orNull(kotlin.isNullable))
}

/** Returns whether a codec is registered. A class with type parameters never has one. */
private fun hasCodec(type: Class<*>) = type.typeParameters.isEmpty() && ExtensionCodec.isRegistered(type)

private fun rawClass(type: Type): Type = if (type is ParameterizedType) type.rawType else type

/** Returns the conversion of a class to another class, also for a boxed value class; null if it needs none. */
internal fun conversionOf(type: Class<*>): ObjectConversion<*, *>? =
    STANDARD[type] ?: if (type.isAnnotationPresent(JvmInline::class.java)) ofValueClass(type) else null

private fun ofValueClass(type: Class<*>): ObjectConversion<Any, Any> {
    val part = unboxed(type, isNullable = false)
    require(!part.type.nullable()) {
        "${type.name} is a value class of a nullable type; a list of it, or a nullable property of it, cannot be a " +
            "column"
    }
    val unboxing = unboxing(type)
    val to = part.taken?.let { MethodHandles.filterReturnValue(unboxing, it) } ?: unboxing
    val from = MethodHandles.filterReturnValue(part.given, boxing(type))
    return ObjectConversion.of(part.type.boxed(), to.function(), from.function())
}

private fun MethodHandle.function(): (Any) -> Any {
    val handle = asType(MethodType.genericMethodType(1))
    return { handle.invoke(it) as Any }
}

private fun ObjectType.boxed() = ObjectType(MethodType.methodType(type()).wrap().returnType(), nullable(), arguments())

/** Returns the component for an unboxed value class. Its `constructor-impl` is the constructor, and runs `init`. */
private fun unboxed(type: Class<*>, isNullable: Boolean): Part {
    require(type.typeParameters.isEmpty()) {
        "${type.name} is a value class with type parameters, which cannot be a column"
    }
    val property = requireNotNull(ClassMetadata.of(type)) { "${type.name} is a value class without Kotlin's metadata" }
        .parameters.single()
    val inner = partOf(type.getDeclaredField(property.name).genericType, property.type, ObjectType.of(type))
    val constructor = MethodHandles.lookup()
        .unreflect(type.getDeclaredMethod("constructor-impl", contentOf(type)).opened())
    val given = inner.given?.let { MethodHandles.filterReturnValue(it, constructor) } ?: constructor
    val objects = if (isNullable) inner.type.withNullable(true) else inner.type
    return Part(objects, inner.taken?.orNull(isNullable), given.orNull(isNullable))
}

/** Returns the JVM type of an unboxed value class. */
private fun contentOf(type: Class<*>): Class<*> = type.getDeclaredMethod("unbox-impl").returnType

private fun boxing(type: Class<*>): MethodHandle =
    MethodHandles.lookup().unreflect(type.getDeclaredMethod("box-impl", contentOf(type)).opened())

private fun unboxing(type: Class<*>): MethodHandle =
    MethodHandles.lookup().unreflect(type.getDeclaredMethod("unbox-impl").opened())

private val IS_NULL = MethodHandles.lookup()
    .findStatic(Objects::class.java, "isNull", MethodType.methodType(Boolean::class.java, Any::class.java))

/** Returns this function, extended to map null to null if [isNullable]. */
private fun MethodHandle.orNull(isNullable: Boolean): MethodHandle {
    if (!isNullable) return this
    val argument = type().parameterType(0)
    val none = MethodHandles.dropArguments(MethodHandles.zero(type().returnType()), 0, argument)
    return MethodHandles.guardWithTest(IS_NULL.asType(MethodType.methodType(Boolean::class.java, argument)), none, this)
}
