import Foundation
import MockServer
import Scenarios
import Sockets
import Testing

@testable import fitiq_mock

/// A finished command and its output; it runs in its own process, because signals and standard streams belong to a
/// process.
struct EndedCommand {
    let output: String
    let errors: String

    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// Runs a command line; the process id replaces the word `PID` in the arguments.
    ///
    /// - Parameters:
    ///   - world: the scenario of another server, whose URL replaces the word `URL`; empty for no server.
    ///   - input: the standard input, which is a pipe.
    ///   - file: the command gets the signal once this file exists; empty if it ends without a signal.
    ///   - status: the expected exit status.
    static func run(
        _ arguments: [String], beside world: String = "", input: String = "", until file: String = "",
        by signal: Int32 = SIGINT, exits status: Int32 = 0
    ) async throws -> EndedCommand {
        let result = try await #require(
            processExitsWith: .exitCode(status), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [arguments, world, input, file, signal] in
            let pipe = Pipe()
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
            #expect(dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO) == STDIN_FILENO)
            var words = ["PID": "\(CurrentProcess.identifier)"]
            if !world.isEmpty {
                var configuration = Engine.Configuration(pace: .instant)
                configuration.adopt(try Scenario.read(world))
                words["URL"] = try LocalServer(configuration).url
            }
            if !file.isEmpty { try EndedCommand.send(signal, onceThereIs: file) }
            try await EndedCommand.lead(arguments.map { words[$0] ?? $0 })
        }
        return EndedCommand(
            output: String(decoding: result.standardOutputContent, as: UTF8.self),
            errors: String(decoding: result.standardErrorContent, as: UTF8.self))
    }

    /// Runs a command as `main` does, and ends this process with it; uses a separate thread, because the command
    /// blocks.
    static func lead(_ arguments: [String]) async throws {
        // The environment of the user who runs the tests must not affect this command.
        for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("FITIQ_MOCK_") { unsetenv(name) }
        unsetenv("NO_COLOR")
        try SystemThread.start { end(with: arguments) }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    private static func end(with arguments: [String]) {
        var code: Int32 = 0
        do {
            var command = try FitIQMock.parsed(arguments)
            try command.run()
        } catch let failure as Failure {
            if !failure.message.isEmpty { FitIQMock.printError(failure.message) }
            code = failure.exitCode
        } catch {
            FitIQMock.printError("\(error)")
            code = 99
        }
        StandardOutput.flush()
        _exit(code)
    }

    private static func send(_ signal: Int32, onceThereIs file: String) throws {
        let never = try Gate()
        try SystemThread.start {
            let deadline = MonotonicInstant.now().advanced(by: .seconds(30))
            while !FileManager.default.fileExists(atPath: file) {
                // Exit with a code that no command uses, so that the test fails instead of waiting forever.
                if deadline < MonotonicInstant.now() { _exit(98) }
                never.wait(until: .now().advanced(by: .milliseconds(10)))
            }
            kill(CurrentProcess.identifier, signal)
        }
    }

    /// A bash function: `ask PATH` sends a GET with the environment's credentials and prints the response.
    static let ask = #"""
        ask() {
            place=${FITIQ_MOCK_URL#http://}; host=${place%%/*}
            exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
            fields='Host: %s\r\nAuthorization: Bearer %s\r\nX-API-Key: %s\r\nConnection: close\r\n\r\n'
            printf "GET %s%s HTTP/1.1\r\n$fields" \
                "${place#"$host"}" "$1" "$host" "$FITIQ_MOCK_TOKEN" "$FITIQ_MOCK_API_KEY" >&3
            cat <&3
        }

        """#
}

extension EndedCommand {
    /// An adapter that starts but supports no instructions, so its user sees nothing.
    static let idleAdapter = #"""
        while read -r line; do
            case $line in
            *'"begin"'*) echo '{"ok":true,"clock":"suite"}' ;;
            *'"report"'*) echo '{"ok":true,"report":{"connection":"disconnected","is_busy":false}}' ;;
            *'"settle"'*) echo '{"ok":true,"next":null}' ;;
            *'"end"'*) echo '{"ok":true}' ;;
            *) echo '{"unsupported":true}' ;;
            esac
        done
        """#
}
