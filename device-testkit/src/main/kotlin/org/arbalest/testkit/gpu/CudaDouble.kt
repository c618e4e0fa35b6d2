package org.arbalest.testkit.gpu

import org.arbalest.testkit.withArguments
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.ADDRESS
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG

/** `libcuda.so.1` in software, as of CUDA 12.6: host functions may not call CUDA, and there is one context for each device. */
public object CudaDouble : GpuDouble(12060, "libcuda.so.1", "cuda.c", "cuda_api.h") {
    private val lenientFunction by function("double_lenient", null, JAVA_INT)
    private val retainedFunction by function("double_retained", JAVA_INT, JAVA_INT)
    private val kernelFunction by function("double_kernel", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT)
    private val atFunction by function("double_at", ADDRESS, JAVA_LONG)

    /** Whether host functions may ask for contexts and change them, though call nothing else; no, if a test does not say so. */
    public fun contextsInHostFunctions(allowed: Boolean) {
        lenientFunction.invoke(if (allowed) 1 else 0)
    }

    /** How many contexts are on the calling thread's stack. */
    public val contextDepth: Int get() = threadState

    /** How often a device's primary context is retained. */
    public fun retained(device: Int): Int = retainedFunction.invoke(device) as Int

    /**
     * Says what a kernel does, of which a module has the name: [function] is a C function `void f(void** arguments)`, which gets pointers to
     * its [parameters] parameters of 8 bytes each, and finds device memory by `double_at`.
     */
    public fun kernel(name: String, function: MemorySegment, parameters: Int): Unit =
        withArguments { check(kernelFunction.invoke(text(name), function, parameters) == 1) { "the double has no room for the kernel $name" } }

    /** Where the bytes of a device's address are, for what stands in for a kernel. */
    public fun at(address: Long, bytes: Long): MemorySegment = (atFunction.invoke(address) as MemorySegment).reinterpret(bytes)
}
