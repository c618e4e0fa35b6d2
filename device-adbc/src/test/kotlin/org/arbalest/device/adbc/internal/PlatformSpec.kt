// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import java.nio.file.Path

class PlatformSpec : FunSpec({
    test("each platform has its own driver folders and library names [ADB-20]") {
        val home = Path.of("/home/x")
        fun of(os: String, vararg environment: Pair<String, String>) =
            Platform(os, "${os}_arm64", home, mapOf(*environment))
        of("linux").userFolder() shouldBe home.resolve(".config/adbc/drivers")
        of("linux", "XDG_CONFIG_HOME" to "/c").userFolder() shouldBe Path.of("/c/adbc/drivers")
        of("linux").systemFolders() shouldContainExactly listOf(Path.of("/etc/adbc/drivers"))
        of("macos").userFolder() shouldBe home.resolve("Library/Application Support/ADBC/Drivers")
        of("macos").systemFolders() shouldContainExactly listOf(Path.of("/Library/Application Support/ADBC/Drivers"))
        of("windows", "LOCALAPPDATA" to "/l").userFolder() shouldBe Path.of("/l/ADBC/Drivers")
        of("windows", "ADBC_DRIVER_PATH" to "a;b").environmentFolders() shouldContainExactly
            listOf(Path.of("a"), Path.of("b"))
        of("linux", "ADBC_DRIVER_PATH" to ":a::b").environmentFolders() shouldContainExactly
            listOf(Path.of("a"), Path.of("b"))
        of("linux").libraryNames("x") shouldContainExactly
            listOf("libadbc_driver_x.so", "adbc_driver_x.so", "libx.so", "x.so", "x")
        of("macos").libraryNames("libx") shouldContainExactly
            listOf("libadbc_driver_libx.dylib", "adbc_driver_libx.dylib", "libx.dylib", "libx",
                "libadbc_driver_libx.so")
        of("windows").libraryNames("adbc_driver_x") shouldContainExactly
            listOf("adbc_driver_x.dll", "adbc_driver_x", "libadbc_driver_x.so")
        of("windows").libraryNames("sqlite").last() shouldBe "libadbc_driver_sqlite.so"
        of("macos").libraryNames("libadbc_driver_x") shouldContainExactly
            listOf("libadbc_driver_x.dylib", "libadbc_driver_x", "libadbc_driver_x.so")
    }

    test("this process runs on a platform that manifests know [ADB-20]") {
        if (System.getProperty("os.name") == "Linux" && System.getProperty("os.arch") == "amd64") Platform.ours()
            .tuple().removeSuffix("_musl") shouldBe "linux_amd64"
        Platform.ours().home() shouldBe Platform.home(Platform.ours().os(), System.getenv())
    }

    test("the home folder is HOME, or the JVM's user.home without HOME and on Windows [ADB-20]") {
        val ofJvm = Path.of(System.getProperty("user.home"))
        for (os in listOf("linux", "macos")) {
            Platform.home(os, mapOf("HOME" to "/else/where")) shouldBe Path.of("/else/where")
            Platform.home(os, mapOf("HOME" to "")) shouldBe ofJvm
            Platform.home(os, mapOf()) shouldBe ofJvm
        }
        Platform.home("windows", mapOf("HOME" to "/else/where")) shouldBe ofJvm
    }

    test("the entry point is named after the library, or is AdbcDriverInit [ADB-01]") {
        fun of(file: String) = DriverLibrary.entryPoints(file).toList()
        of("libadbc_driver_sqlite.so.2.0.0") shouldContainExactly listOf("AdbcDriverSqliteInit", "AdbcDriverInit")
        of("adbc_driver_sqlite.dll") shouldContainExactly listOf("AdbcDriverSqliteInit", "AdbcDriverInit")
        of("proprietary_driver.dll") shouldContainExactly listOf("AdbcProprietaryDriverInit", "AdbcDriverInit")
        of("""C:\drivers\my-driver.dll""") shouldContainExactly listOf("AdbcMyDriverInit", "AdbcDriverInit")
        of("/opt/lib/libadbc_driver.so") shouldContainExactly listOf("AdbcDriverInit")
        of("libadbc__x_.so") shouldContainExactly listOf("AdbcXInit", "AdbcDriverInit")
    }
})
