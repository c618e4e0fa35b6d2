// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.adbc.DuckDb
import org.arbalest.device.adbc.single
import org.arbalest.support.ResourceCountersExtension
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

class DatabaseUriSpec : FunSpec({
    extension(ResourceCountersExtension)

    val root = tempdir().toPath()
    val home = root.resolve("home")
    val linux = Platform("linux", "linux_amd64", home, mapOf())
    val duckdb = "driver = '${DuckDb.library}'\n"

    fun Path.profile(name: String, text: String): Path =
        also { it.createDirectories() }.resolve("$name.toml").also { it.writeText(text) }

    fun profile(text: String, platform: Platform = linux): Profile {
        val file = root.profile("p", "profile_version = 1\n$text")
        return Profile.find(platform, "$file")
    }

    fun refusal(text: String): String =
        shouldThrow<IllegalArgumentException> { Profile.find(linux, "${root.profile("bad", text)}") }.message!!

    fun open(uri: String, options: Map<String, Any> = mapOf(), platform: Platform = linux) =
        DatabaseUri.open(platform, uri, options) { null }

    fun path(uri: String, options: Map<String, Any> = mapOf(), platform: Platform = linux): Any? =
        open(uri, options + ("entrypoint" to DuckDb.ENTRY_POINT), platform).use { database ->
            database.connect().use { it.query("SELECT path FROM duckdb_databases() WHERE NOT internal").single() }
        }

    test("a URI is split as by ADBC's driver manager [ADB-30]") {
        for ((uri, parts) in mapOf(
            "postgresql://host/db" to listOf("postgresql", "postgresql://host/db", null),
            "duckdb:/tmp/x.db" to listOf("duckdb", "duckdb:/tmp/x.db", null),
            "sqlite:file::memory:" to listOf("sqlite", "file::memory:", null),
            "sqlite" to listOf("sqlite", null, null),
            "/opt/libx.so" to listOf("/opt/libx.so", null, null),
            "C:\\drivers\\x.dll" to listOf("C:\\drivers\\x.dll", null, null),
            "profile://prod" to listOf("", null, "prod"),
            "profile:///etc/prod.toml" to listOf("", null, "/etc/prod.toml"),
        )) DatabaseUri.of(uri).let { listOf(it.driver(), it.uri(), it.profile()) shouldBe parts }
        "${DatabaseUri.of("postgresql://me:secret@host")}" shouldBe "postgresql"
    }

    test("a profile has a driver, options of each kind, and values of environment variables [ADB-30]") {
        val platform = linux.with(environment = mapOf("USER" to "me", "PASSWORD" to "a\$1\\b"))
        val found = profile("""
            driver = "postgresql"
            [Options]
            uri = "postgresql://{{ env_var(USER) }}:{{env_var(PASSWORD)}}@host{{ env_var(MISSING) }}/db"
            adbc.x.timeout = 30.5
            adbc.x.retries = 3
            "adbc.x.quoted.key" = true
            plain = '{ a }'
        """.trimIndent(), platform)
        found.driver() shouldBe "postgresql"
        found.options() shouldBe mapOf("uri" to "postgresql://me:a\$1\\b@host/db", "adbc.x.timeout" to 30.5,
            "adbc.x.retries" to 3L, "adbc.x.quoted.key" to "true", "plain" to "{ a }")
        profile("[Options]").let { it.driver() to it.options() } shouldBe (null to mapOf())
    }

    test("a wrong profile is an error with its path and its fault, without values [ADB-30]") {
        for ((text, says) in mapOf(
            "driver = 'x'" to "it has no profile_version",
            "profile_version = '1'" to "its profile_version is 1, and only 1 is supported",
            "profile_version = 2" to "its profile_version is 2, and only 1 is supported",
            "profile_version = 1\ndriver = 3" to "driver is not a string",
            "profile_version = 1" to "it has no table Options",
            "profile_version = 1\nOptions = 'secret'" to "it has no table Options",
            "profile_version = 1\n[Options]\nkeys = ['secret']" to "the option keys is not a string, a number or a ",
            "profile_version = 1\n[Options]\na.b = 'secret'\n'a.b' = 'secret'" to "it has the option a.b twice",
            "profile_version = 1\n[Options]\na = '{{ secret(X) }}'" to "the option a has a placeholder in {{ }} that",
            "profile_version = 1\n[Options]\na = '{{ env_var(X }} secret'" to "the option a has a placeholder in {{ }}",
            "profile_version = 1\n[Options]\na = '{{ env_var() }} secret'" to "the option a has a placeholder in {{ }}",
            "profile_version = 1\n[Options]\npassword = secret" to "it has a syntax error at line 3",
        )) refusal(text).let {
            it shouldContain "the ADBC connection profile $root/bad.toml is wrong: $says"
            it shouldNotContain "secret"
        }
    }

    test("a profile is found by its name in the folders of environment, Conda and user, or by its path [ADB-30]") {
        val platform = linux.with(environment = mapOf("ADBC_PROFILE_PATH" to "$root/one:$root/two",
            "VIRTUAL_ENV" to "$root/venv", "CONDA_PREFIX" to "$root/conda", "XDG_CONFIG_HOME" to "$root/xdg"))
        val folders = listOf("one", "two", "venv/etc/adbc/profiles", "conda/etc/adbc/profiles", "xdg/adbc/profiles")
            .map(root::resolve)
        platform.profileFolders() shouldContainExactly folders
        linux.profileFolders() shouldContainExactly listOf(home.resolve(".config/adbc/profiles"))
        linux.with(os = "macos").profileFolders() shouldContainExactly
            listOf(home.resolve("Library/Application Support/ADBC/Profiles"))
        for (folder in folders.reversed()) {
            val file = folder.profile("team", "profile_version = 1\n[Options]")
            Profile.find(platform, "team").file() shouldBe file
            Profile.find(platform, "$file".removeSuffix(".toml")).file() shouldBe file
        }
        shouldThrow<IllegalArgumentException> { Profile.find(platform, "absent") }.message shouldBe
            "no connection profile absent: looked for absent.toml in ${folders.joinToString(", ")}"
        shouldThrow<IllegalArgumentException> { Profile.find(linux, "absent") }.message shouldContain
            ".config/adbc/profiles (which does not exist)"
        shouldThrow<IllegalArgumentException> { Profile.find(linux, "$root/none.toml") }.message shouldBe
            "no connection profile at $root/none.toml: there is no such file"
        shouldThrow<IllegalArgumentException> { Profile.find(linux, "one/team.toml") }
            .message shouldContain "is relative"
        shouldThrow<IllegalArgumentException> { Profile.find(linux, "") }.message shouldContain "is empty"
    }

    test("options of the caller override those of the profile, and its driver must be the profile's [ADB-30]") {
        val file = root.profile("q", "profile_version = 1\n$duckdb[Options]\npath = '$root/profile.db'\n")
        path("profile://$file") shouldBe "$root/profile.db"
        path("profile://$file", mapOf("path" to "$root/caller.db")) shouldBe "$root/caller.db"
        path("profile://$file", mapOf("driver" to "${DuckDb.library}")) shouldBe "$root/profile.db"
        shouldThrow<IllegalArgumentException> { open("profile://$file", mapOf("driver" to "other")) }.message shouldBe
            "the connection profile $file is for the driver ${DuckDb.library}, but the option driver is other"
    }

    test("a profile without a driver gets it from the options or from its URI [ADB-30]") {
        val file = root.profile("r", "profile_version = 1\n[Options]\npath = '$root/r.db'\n")
        path("profile://$file", mapOf("driver" to "${DuckDb.library}")) shouldBe "$root/r.db"
        shouldThrow<IllegalArgumentException> { open("profile://$file") }.message shouldBe
            "the connection profile $file has no driver and no uri; add one, or pass the option driver"
        home.resolve(".config/adbc/drivers")
            .profile("pond", "[Driver]\nentrypoint = '${DuckDb.ENTRY_POINT}'\nshared = '${DuckDb.library}'")
        val uri = root.profile("s", "profile_version = 1\n[Options]\nuri = 'pond::memory:'\n")
        path("profile://$uri") shouldBe null // in memory
        root.profile("t", "profile_version = 1\n[Options]\nuri = 'profile://s'\n").let {
            shouldThrow<IllegalArgumentException> { open("profile://$it") }.message shouldBe
                "the connection profile $it refers to another profile, which ADBC does not allow"
        }
    }
})

private fun Platform.with(os: String = os(), environment: Map<String, String> = environment()) =
    Platform(os, tuple(), home(), environment)
