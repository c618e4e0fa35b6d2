// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.IOException
import java.nio.file.AccessDeniedException
import java.nio.file.Path
import java.nio.file.attribute.FileTime
import java.nio.file.attribute.GroupPrincipal
import java.nio.file.attribute.PosixFileAttributeView
import java.nio.file.attribute.PosixFileAttributes
import java.nio.file.attribute.PosixFilePermission
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.attribute.UserPrincipal
import kotlin.io.path.exists

/** The attributes that a new file takes over from the file that it replaces, if its user may not give files away. */
class DestinationSpec : FunSpec({
    fun attributes(owner: String, group: String, mode: String): Attributes =
        Attributes(Principal(owner), Principal(group), PosixFilePermissions.fromString(mode))

    fun kept(older: Attributes, made: View): String {
        Destination.keep(older, made)
        return with(made.attributes) { "${owner().name} ${group().name} ${PosixFilePermissions.toString(permissions)}" }
    }

    for ((mode, narrow) in listOf(
        "rw-rw----" to "rw-------",
        "rw-rw-r--" to "rw-r--r--",
        "rw----r--" to "rw-------", // of others, some were in the group, which had no access
        "rwxrwxrwx" to "rwxrwxrwx",
        "r--r-xr-x" to "r--r-xr-x",
    )) {
        test("a file of another owner and group, and $mode, is replaced, and no user gains access [FIL-19]") {
            val older = attributes("colleague", "team", mode)
            kept(older, View(attributes("me", "mine", "rw-------"))) shouldBe "me mine $narrow"
            kept(older, View(attributes("me", "mine", "rw-------"), mayGroup = true)) shouldBe "me team $mode"
            kept(older, View(attributes("me", "team", "rw-------"))) shouldBe "me team $mode"
            kept(older, View(attributes("root", "root", "rw-------"), mayGroup = true, mayOwner = true)) shouldBe
                "colleague team $mode"
        }
    }

    test("permissions that the new file has already are not set, and those that cannot be set are an error [FIL-19]") {
        val older = attributes("me", "team", "rw-r-----")
        val same = View(older, mayPermit = false)
        kept(older, same) shouldBe "me team rw-r-----"
        same.calls.shouldBeEmpty()
        val other = View(attributes("me", "team", "rw-------"), mayPermit = false)
        shouldThrow<IOException> { Destination.keep(older, other) }
    }

    test("a link to a pipe, as /dev/stdout is one, is not a regular file").config(
        enabled = Path.of("/proc/self/fd").exists(),
    ) {
        val process = ProcessBuilder("cat").start() // its input is a pipe
        try {
            val link = Path.of("/proc/${process.pid()}/fd/0")
            shouldThrow<IOException> { Destination.of(link) }.message!! shouldContain
                "$link is not a regular file, so it cannot be replaced; open a channel"
        } finally {
            process.outputStream.close()
            process.waitFor()
        }
    }
})

private data class Principal(private val name: String) : GroupPrincipal {
    override fun getName() = name
}

private data class Attributes(
    private val owner: UserPrincipal,
    private val group: GroupPrincipal,
    val permissions: Set<PosixFilePermission>,
) : PosixFileAttributes {
    override fun owner() = owner

    override fun group() = group

    override fun permissions() = permissions

    override fun lastModifiedTime(): FileTime = FileTime.fromMillis(0)

    override fun lastAccessTime(): FileTime = FileTime.fromMillis(0)

    override fun creationTime(): FileTime = FileTime.fromMillis(0)

    override fun isRegularFile() = true

    override fun isDirectory() = false

    override fun isSymbolicLink() = false

    override fun isOther() = false

    override fun size() = 0L

    override fun fileKey() = null

    fun with(owner: UserPrincipal = this.owner, group: GroupPrincipal = this.group) =
        Attributes(owner, group, permissions)
}

/** The attributes of a new file, some of which its user may change. */
private class View(
    var attributes: Attributes,
    private val mayGroup: Boolean = false,
    private val mayOwner: Boolean = false,
    private val mayPermit: Boolean = true,
) : PosixFileAttributeView {
    val calls = mutableListOf<String>()

    private fun call(what: String, isAllowed: Boolean) {
        calls += what
        if (!isAllowed) throw AccessDeniedException("new file")
    }

    override fun name() = "posix"

    override fun readAttributes() = attributes

    override fun getOwner() = attributes.owner()

    override fun setOwner(owner: UserPrincipal) {
        call("owner", mayOwner)
        attributes = attributes.with(owner = owner)
    }

    override fun setGroup(group: GroupPrincipal) {
        call("group", mayGroup)
        attributes = attributes.with(group = group)
    }

    override fun setPermissions(permissions: Set<PosixFilePermission>) {
        call("permissions", mayPermit)
        attributes = Attributes(attributes.owner(), attributes.group(), permissions)
    }

    override fun setTimes(modified: FileTime?, accessed: FileTime?, created: FileTime?) = call("times", false)
}
