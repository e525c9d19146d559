import CLinux
import Glibc
import Load

/// Measures how long a server takes from spawn to its first 200 of `GET /health`.
///
/// `startup-probe COMMAND ARGUMENT…` adds `--port N` with a free port, prints the microseconds, and ends and reaps
/// the server; after `--at N` the command has that port already. `startup-probe --free-port` only prints a free port.
@main
struct StartupProbe {
    static func main() {
        runCommand("startup-probe") {
            var command = Array(CommandLine.arguments.dropFirst())
            guard let program = command.first else {
                throw LoadError.usage("usage: startup-probe COMMAND ARGUMENT… | startup-probe --free-port")
            }
            var port = try Loopback.freePort()
            if program == "--free-port" { return print(port) }
            if program == "--at", command.count > 2, let given = UInt16(command[1]) {
                (port, command) = (given, Array(command.dropFirst(2)))
            } else {
                command += ["--port", String(port)]
            }

            bench_precise_sleeps()
            let start = monotonicNanoseconds()
            let server = try spawn(command)
            defer {
                // nginx has to end its workers.
                kill(server, program == "--at" ? SIGTERM : SIGKILL)
                waitpid(server, nil, 0)
            }
            try waitUntilHealthy(port: port, server: server, deadline: start + 30_000_000_000)
            print((monotonicNanoseconds() - start) / 1_000)
        }
    }

    /// Starts a program with its standard output discarded.
    private static func spawn(_ command: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, nil, arguments, environ)
        guard code == 0 else { throw LoadError.system(call: "spawn \(command[0])", code: code) }
        return process
    }

    /// Tries every 50 microseconds; a refused connect takes about 10, so it takes little of the server's time.
    private static func waitUntilHealthy(port: UInt16, server: pid_t, deadline: UInt64) throws {
        while monotonicNanoseconds() < deadline {
            if let client = try? HTTPClient(port: port) {
                let answer = try client.exchange("GET", "/health", nil)
                guard answer.status == 200 else {
                    throw LoadError.unexpected("\(answer.status)", wanted: "200", during: "GET /health")
                }
                return
            }
            guard waitpid(server, nil, WNOHANG) == 0 else {
                throw LoadError.closed(during: "start-up: the server ended")
            }
            usleep(50)
        }
        throw LoadError.unexpected("no answer in 30 s", wanted: "200", during: "GET /health")
    }
}
