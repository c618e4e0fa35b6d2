// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.adbc

import org.arbalest.support.Program
import java.net.InetAddress
import java.net.ServerSocket
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.isDirectory
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name

/**
 * A server of PostgreSQL on the loopback address, with an empty cluster in a temporary folder. [start] starts the
 * programs of Debian's package. They refuse to run as root; then the package's user runs them.
 */
class PostgreSqlServer private constructor(private val folder: Path, private val port: Int) : AutoCloseable {
    val uri: String = "postgresql://postgres@127.0.0.1:$port/postgres"

    override fun close() {
        stop()
        user("rm", "-rf", "$folder")
    }

    /** Ends the server at once, with its connections. */
    fun stop() {
        program("pg_ctl", "-D", "$folder/data", "-m", "immediate", "-w", "stop")
    }

    /** Starts the server, for the first time or after [stop], at its port. */
    fun start() {
        program("pg_ctl", "-D", "$folder/data", "-l", "$folder/log", "-w", "-o",
            "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off", "start")
    }

    companion object {
        private val isRoot = System.getProperty("user.name") == "root"

        private val programs: Path? = Path("/usr/lib/postgresql").takeIf { it.isDirectory() }?.listDirectoryEntries()
            ?.map { it.resolve("bin") }?.filter { it.resolve("initdb").exists() }
            ?.maxByOrNull { it.parent.name.toDoubleOrNull() ?: 0.0 }

        /** The reason why no server can be started here, or null. */
        val missing: String? = "no /usr/lib/postgresql/*/bin/initdb".takeIf { programs == null }

        fun start(): PostgreSqlServer {
            val folder = Path(user("mktemp", "-d").trim())
            val port = ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { it.localPort }
            program("initdb", "-D", "$folder/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                "--no-sync")
            return PostgreSqlServer(folder, port).apply { start() }
        }

        private fun program(name: String, vararg arguments: String) =
            user("${checkNotNull(programs) { missing!! }.resolve(name)}", *arguments)

        private fun user(vararg command: String): String {
            val prefix = if (isRoot) listOf("runuser", "-u", "postgres", "--") else listOf()
            return Program.run(Path.of("/"), prefix + command)
        }
    }
}
