// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.adbc.internal.DriverImpl
import org.arbalest.device.adbc.internal.Platform
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createSymbolicLinkPointingTo
import kotlin.io.path.writeText

class AdbcDriverSearchSpec : FunSpec({
    extension(ResourceCountersExtension)

    val root = tempdir().toPath()
    val linux = Platform("linux", "linux_amd64", root.resolve("home"), mapOf())
    val duckdb = DuckDb.library.toAbsolutePath()

    fun folder(name: String): Path = Files.createTempDirectory(root, name)

    fun Path.manifest(name: String, text: String): Path =
        createDirectories().resolve("$name.toml").also { it.writeText(text) }

    fun manifest(library: String, name: String = "Quack") =
        "manifest_version = 1\nname = '$name'\nversion = '2.0.0'\n[ADBC]\nversion = '1.1.0'\n[Driver]\nentrypoint = " +
            "'${DuckDb.ENTRY_POINT}'\n$library\n"

    val shared = "shared = '$duckdb'"

    fun load(driver: String, search: AdbcDriverSearch, platform: Platform = linux): AdbcDriver =
        DriverImpl.load(platform, driver, search)

    fun AdbcDriver.answers() = open(mapOf("path" to ":memory:")).use { database ->
        database.connect().use { it.query("SELECT 42").single() }
    } shouldBe 42

    test("a manifest found by its name gives the driver its name, library and entry point [ADB-20]") {
        val drivers = folder("drivers").also { it.manifest("duckdb", manifest(shared)) }
        val driver = load("duckdb", AdbcDriverSearch.nowhere().`in`(folder("empty")).`in`(drivers))
        driver.name() shouldBe "Quack"
        driver.answers()
    }

    test("a manifest is found by its path, with or without its extension [ADB-20]") {
        val file = folder("drivers").manifest("duckdb", manifest(shared))
        load("$file", AdbcDriverSearch.nowhere()).answers()
        load("$file".removeSuffix(".toml"), AdbcDriverSearch.nowhere()).answers()
    }

    test("a manifest without a library for this platform is skipped, and the error lists its platforms [ADB-20]") {
        val others = folder("others").also {
            it.manifest("duckdb", manifest("[Driver.shared]\nosx_arm64 = 'a'\nwindows_amd64 = 'b'"))
        }
        val ours = folder("ours").also {
            it.manifest("duckdb", manifest("[Driver.shared]\nlinux_amd64 = '$duckdb'\nwindows_amd64 = 'b'"))
        }
        load("duckdb", AdbcDriverSearch.nowhere().`in`(others).`in`(ours)).answers()
        shouldThrow<IllegalArgumentException> { load("duckdb", AdbcDriverSearch.nowhere().`in`(others)) }.message.let {
            it shouldContain "no ADBC driver duckdb: looked for duckdb.toml, libadbc_driver_duckdb.so, "
            it shouldContain "has no library for linux_amd64, only for osx_arm64, windows_amd64"
            it shouldContain "; or add org.duckdb:duckdb_jdbc to the class path"
        }
        shouldThrow<IllegalArgumentException> { load("$others/duckdb.toml", AdbcDriverSearch.nowhere()) }
            .message shouldContain "has no library for linux_amd64"
    }

    test("folders are searched in order: environment, named folders, the user's folder [ADB-20]") {
        val inEnvironment = listOf(folder("env1"), folder("env2"))
        val platform = linux.copy(environment = mapOf("ADBC_DRIVER_PATH" to inEnvironment.joinToString(":"),
            "XDG_CONFIG_HOME" to "${folder("xdg")}"))
        val named = folder("named")
        val user = Path.of(platform.environment().getValue("XDG_CONFIG_HOME"), "adbc/drivers")
        val all = AdbcDriverSearch.everywhere().`in`(named)
        listOf(user, named, inEnvironment[1], inEnvironment[0]).forEachIndexed { n, folder ->
            folder.manifest("quack", manifest(shared, "driver $n"))
            load("quack", all, platform).name() shouldBe "driver $n"
        }
        load("quack", AdbcDriverSearch(false, listOf(), true, false, true, null), platform).name() shouldBe "driver 0"
        load("quack", AdbcDriverSearch.nowhere().`in`(named), platform).name() shouldBe "driver 1"
    }

    /** Installs DuckDB as the driver `quack` in the layout of `dbc install`: a package folder beside the manifest. */
    fun Path.install(name: String): Path = createDirectories().also { folder ->
        val library = folder.resolve("quack_linux_amd64_v2.0.0").createDirectories().resolve("libadbc_driver_quack.so")
        library.createSymbolicLinkPointingTo(duckdb)
        val manifest = folder.manifest("quack", """
            manifest_version = 1
            name = '$name'
            publisher = 'Arbalest'
            license = 'MIT'
            version = '2.0.0'
            source = 'dbc'

            [ADBC]
            version = '1.1.0'

            [ADBC.features]
            supported = ['bulk insert']

            [Driver]
            entrypoint = '${DuckDb.ENTRY_POINT}'

            [Driver.shared]
            linux_amd64 = '$library'

            [Files]

            [PostInstall]
        """.trimIndent())
        folder.parent.resolve("quack.toml").createSymbolicLinkPointingTo(manifest) // for older driver managers
    }

    test("a driver that dbc has installed is found in each of dbc's folders, the first of them first [ADB-20]") {
        val home = folder("home")
        val platform = Platform("linux", "linux_amd64", home, mapOf("ADBC_DRIVER_PATH" to "$home/path/drivers",
            "VIRTUAL_ENV" to "$home/venv", "CONDA_PREFIX" to "$home/conda"))
        val named = home.resolve("named/drivers")
        val search = AdbcDriverSearch.everywhere().`in`(named)
        val folders = listOf(home.resolve("path/drivers"), named, home.resolve("venv/etc/adbc/drivers"),
            home.resolve("conda/etc/adbc/drivers"), home.resolve(".config/adbc/drivers"))
        shouldThrow<IllegalArgumentException> { load("quack", search, platform) }.message shouldContain
            folders.joinToString(", ") { "$it (which does not exist)" }
        for (folder in folders.reversed()) {
            folder.install("in $folder")
            val driver = load("quack", search, platform)
            driver.name() shouldBe "in $folder"
            driver.answers()
        }
        load("quack", AdbcDriverSearch(false, listOf(), true, false, true, null), platform).name() shouldBe
            "in ${folders.last()}"
    }

    test("a library is found by its name in a folder, and by its path [ADB-20]") {
        val drivers = folder("drivers")
        drivers.resolve("libquack.so").createSymbolicLinkPointingTo(duckdb)
        val search = AdbcDriverSearch.nowhere().by(DuckDb.ENTRY_POINT)
        load("quack", search.`in`(drivers)).name() shouldBe "libquack.so"
        load("$drivers/libquack.so", search).answers()
        load("$drivers/quack", search).answers()
        shouldThrow<IllegalArgumentException> {
            load("quack", AdbcDriverSearch.nowhere().`in`(drivers))
        }.message shouldBe
            "libquack.so is not an ADBC driver: it has no function AdbcQuackInit, nor AdbcDriverInit; if its init " +
            "function has another name, such as duckdb_adbc_init, pass that name"
    }

    test("a library has the usual name of a driver, with or without lib, or the name alone [ADB-20]") {
        val drivers = folder("drivers")
        val search = AdbcDriverSearch.nowhere().by(DuckDb.ENTRY_POINT).`in`(drivers)
        for (name in listOf("quack", "quack.so", "libquack.so", "adbc_driver_quack.so", "libadbc_driver_quack.so")) {
            drivers.resolve(name).createSymbolicLinkPointingTo(duckdb)
            load("quack", search).name() shouldBe name // the later ones come first
        }
        load("adbc_driver_quack", search).name() shouldBe "libadbc_driver_quack.so"
        load("$drivers/quack", AdbcDriverSearch.nowhere().by(DuckDb.ENTRY_POINT)).name() shouldBe
            "libadbc_driver_quack.so"
    }

    test("a driver that is not found is an error with the file names, and with similar names in the folders [ADB-21]") {
        val drivers = folder("drivers")
        for (name in listOf("libadbc_driver_quack.so.110", "Quacker.dll", "libz.so", "README")) {
            drivers.resolve(name).writeText("")
        }
        val message = shouldThrow<IllegalArgumentException> {
            load("quack", AdbcDriverSearch.nowhere().`in`(drivers))
        }.message
        message shouldContain "no ADBC driver quack: looked for quack.toml, libadbc_driver_quack.so, " +
            "adbc_driver_quack.so, libquack.so, quack.so, quack in $drivers, the dynamic linker"
        message shouldContain "; similar names: $drivers/Quacker.dll, $drivers/libadbc_driver_quack.so.110; pass one " +
            "of these paths, if that is the driver; install the driver there"
    }

    test("an invalid manifest throws with its path and its fault, even if a later folder has a valid one [ADB-21]") {
        val good = folder("good").also { it.manifest("quack", manifest(shared)) }
        for ((text, says) in mapOf(
            "name = " to "line 1",
            "manifest_version = 2\n[Driver]\n$shared" to "its manifest_version is 2, and only 1 is supported",
            "manifest_version = '1'\n[Driver]\n$shared" to "its manifest_version is 1, and only 1 is supported",
            "name = 'x'" to "it has no Driver.shared",
            "Driver = 3" to "it has no Driver.shared",
            "[Driver]\nshared = 3" to "Driver.shared is not a string",
            "[Driver]\nshared = ''" to "Driver.shared is empty",
            "[Driver]\nentrypoint = 3\n$shared" to "Driver.entrypoint is not a string",
            "[Driver.shared]\nlinux_amd64 = 3" to "Driver.shared.linux_amd64 is not a string",
        )) {
            val bad = folder("bad").also { it.manifest("quack", text) }
            shouldThrow<IllegalArgumentException> {
                load("quack", AdbcDriverSearch.nowhere().`in`(bad).`in`(good))
            }.message.let {
                it shouldContain "the ADBC driver manifest $bad/quack.toml is wrong: "
                it shouldContain says
            }
        }
        val gone = folder("gone").also { it.manifest("quack", manifest("shared = '/no/such/lib.so'")) }
        shouldThrow<IllegalArgumentException> { load("quack", AdbcDriverSearch.nowhere().`in`(gone)) }.message shouldBe
            "the ADBC driver manifest $gone/quack.toml names /no/such/lib.so, but no ADBC driver at /no/such/lib.so: " +
            "there is no such file"
    }

    test("the dynamic linker resolves a bare library name, and the working directory is not searched [ADB-20]") {
        val drivers = folder("drivers").also { it.manifest("quack", manifest("shared = 'libarbalestquack.so'")) }
        val here = Path.of("libarbalestquack.so").also { Files.deleteIfExists(it) }.createSymbolicLinkPointingTo(duckdb)
        try {
            shouldThrow<IllegalArgumentException> {
                load("quack", AdbcDriverSearch.nowhere().`in`(drivers))
            }.message shouldContain
                "quack.toml names libarbalestquack.so, but no ADBC driver libarbalestquack.so: the dynamic linker " +
                "does not find it"
            shouldThrow<IllegalArgumentException> {
                load("$here", AdbcDriverSearch.everywhere().by(DuckDb.ENTRY_POINT))
            }.message shouldContain
                "the dynamic linker does not find it"
            shouldThrow<IllegalArgumentException> {
                load("arbalestquack", AdbcDriverSearch.everywhere().by(DuckDb.ENTRY_POINT))
            }.message shouldContain
                "the dynamic linker"
            load("./$here", AdbcDriverSearch.everywhere().by(DuckDb.ENTRY_POINT)).answers()
            // the working directory as a named folder
            load("arbalestquack", AdbcDriverSearch.nowhere().`in`(Path.of("")).by(DuckDb.ENTRY_POINT)).answers()
        } finally {
            Files.delete(here)
        }
    }

    test("a relative path loads only if the search allows it, and never through the dynamic linker [ADB-20]") {
        val sub = Path.of("target", "relative").createDirectories()
        val file = sub.resolve("libquack.so").also { Files.deleteIfExists(it) }.createSymbolicLinkPointingTo(duckdb)
        val bare = sub.resolve("quack").also { Files.deleteIfExists(it) }.createSymbolicLinkPointingTo(duckdb)
        for (path in listOf(file, bare)) {
            shouldThrow<IllegalArgumentException> {
                load("$path", AdbcDriverSearch.nowhere().by(DuckDb.ENTRY_POINT))
            }.message shouldBe
                "the path of the ADBC driver is relative, which is not allowed here: $path"
            load("$path", AdbcDriverSearch.everywhere().by(DuckDb.ENTRY_POINT)).answers()
        }
        val drivers = folder("drivers").also { it.manifest("quack", manifest("shared = '$file'")) }
        shouldThrow<IllegalArgumentException> {
            load("quack", AdbcDriverSearch.everywhere().`in`(drivers))
        }.message shouldContain
            "quack.toml names $file, but that is neither an absolute path nor a name for the dynamic linker"
    }

    test("a missing driver throws with the searched folders and the dynamic linker's message [ADB-21]") {
        shouldThrow<IllegalArgumentException> {
            load("quack", AdbcDriverSearch.nowhere().`in`(Path.of("/no/such/folder")))
        }.message.let {
            it shouldContain "/no/such/folder (which does not exist), the dynamic linker: libadbc_driver_quack.so: "
        }
        shouldThrow<IllegalArgumentException> { load("libquack.so", AdbcDriverSearch.everywhere()) }
            .message shouldContain "the dynamic linker does not find it: libquack.so"
        shouldThrow<IllegalArgumentException> {
            load("drivers/quack.toml", AdbcDriverSearch.nowhere())
        }.message shouldBe
            "the path of the ADBC driver is relative, which is not allowed here: drivers/quack.toml"
        shouldThrow<IllegalArgumentException> { load("/no/such/quack", AdbcDriverSearch.nowhere()) }
            .message shouldContain "/no/such (which does not exist)"
        shouldThrow<IllegalArgumentException> { load("", AdbcDriverSearch.nowhere()) }.message shouldBe
            "the name of an ADBC driver is empty"
    }
})

private fun Platform.copy(environment: Map<String, String>): Platform = Platform(os(), tuple(), home(), environment)
