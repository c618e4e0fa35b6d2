// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.access

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.support.ChildJvm
import java.lang.module.ModuleFinder
import java.lang.reflect.InvocationTargetException
import java.nio.file.Path

private const val CORE = "org.arbalest.device"

/** Core as a module in a layer that a program defines, and for which that program enables native access. */
class NativeAccessLayerSpec : FunSpec({
    test("core in its own module layer needs native access enabled before its first call [DEV-20]") {
        val core = Path.of(Devices::class.java.protectionDomain.codeSource.location.toURI())
        val child = ChildJvm.run(NativeLayers::class, core.toString())
        withClue(child.output) {
            val refused = "java.lang.IllegalCallerException: native access is not enabled for the module $CORE: the " +
                "module is in a layer of its own; enable it with its ModuleLayer.Controller.enableNativeAccess " +
                "before the first call"
            child.exitCode shouldBe 0
            child.output.lines().filter { it.isNotEmpty() } shouldBe
                listOf("early: CPU", "none: $refused", "late: $refused")
        }
    }
})

/** Defines two layers that contain core at the given path, and queries the CPU through both. */
internal object NativeLayers {
    private fun layer(core: Path): ModuleLayer.Controller {
        val boot = ModuleLayer.boot()
        val configuration = boot.configuration().resolve(ModuleFinder.of(core), ModuleFinder.of(), setOf(CORE))
        return ModuleLayer.defineModulesWithOneLoader(configuration, listOf(boot), ClassLoader.getPlatformClassLoader())
    }

    private fun ModuleLayer.Controller.enable() {
        enableNativeAccess(layer().findModule(CORE).get())
    }

    private fun ModuleLayer.Controller.cpu(): Any = try {
        Class.forName(layer().findModule(CORE).get(), "$CORE.Devices").getMethod("cpu").invoke(null)
    } catch (e: InvocationTargetException) {
        e.targetException
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val core = Path.of(args.single())
        println("early: ${layer(core).also { it.enable() }.cpu()}")
        val late = layer(core)
        println("none: ${late.cpu()}")
        late.enable()
        println("late: ${late.cpu()}")
    }
}
