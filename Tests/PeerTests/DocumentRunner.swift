import Foundation
import Sockets
import TestSupport
import Testing

/// Runs a page's commands against a server on a different port, and returns their output as the page shows it.
struct DocumentRunner {
    let server: RunningServer
    let program: String
    let address: String

    private static let documentedProgram = ".build/debug/fitiq-mock"
    private static let documentedAddress = "127.0.0.1:8080"
    /// The ports of servers that pages start in addition to the running server.
    private static let documentedPorts = ["8081", "8082", "8443"]
    /// The replacement ports, new for each session.
    private var ports: [String] = []

    init(_ server: RunningServer) throws {
        self.server = server
        program = try Programs.fitiqMock().path
        address = String(server.ready.url.dropFirst("http://".count))
    }

    /// The text that the page should show for each command: the prompt, the command, and its output.
    mutating func run(_ session: ShellSession) async throws -> [String] {
        // Skip the two commands for newcomers, because the server and the tests are already running.
        switch session.commands.map(\.text) {
        case ["./scripts/serve"]: return ["$ ./scripts/serve\n" + asDocumented(server.banner)]
        case ["./scripts/test"]: return ["$ ./scripts/test\n"]
        default: break
        }
        ports = try Self.freePorts()
        // When the shell ends, stop any server that the page started, even if a command fails.
        let trap = "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n"
        // Skills assume that the program is installed.
        let path = "PATH=\(URL(fileURLWithPath: program).deletingLastPathComponent().path):$PATH\n"
        let script = trap + path + session.commands.map { toRun($0.text) + "\nprintf '\\0'\n" }.joined()
        let files = try ScratchFolder()
        defer { files.remove() }
        for file in session.files { try Data(file.text.utf8).write(to: files[file.name]) }
        let shell = try await Command(
            URL(fileURLWithPath: "/bin/bash"), ["-c", "cd \"$0\" && source /dev/stdin", files.url.path],
            environment: ["FITIQ_MOCK_URL": server.ready.url], input: script)
        #expect(shell.status == 0, "\(shell.transcript)")
        let outputs = shell.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
        try #require(outputs.count == session.commands.count, "\(shell.transcript)")
        return zip(session.commands, outputs).map { "$ \($0.text)\n" + asDocumented(String($1)) }
    }

    /// A free port for each port that pages name; use them immediately, because the system may reassign them.
    private static func freePorts() throws -> [String] {
        // Listen on all ports at the same time, or the system would return the same port again.
        let listeners = try documentedPorts.map { _ in
            try Listener(address: SocketAddress(host: "127.0.0.1", port: 0))
        }
        defer { for listener in listeners { listener.close() } }
        return listeners.map { String($0.localAddress.port) }
    }

    private func toRun(_ command: String) -> String {
        Self.absolute(
            zip(Self.documentedPorts, ports).reduce(command) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
                .replacingOccurrences(of: Self.documentedProgram, with: program)
                .replacingOccurrences(of: Self.documentedAddress, with: address))
    }

    /// The text with absolute fixture paths.
    static func absolute(_ text: String) -> String {
        text.replacingOccurrences(of: "Fixtures/", with: URL.fixtures.path + "/")
    }

    private func asDocumented(_ output: String) -> String {
        // The banner omits the folder where the server was started.
        let folder = FileManager.default.currentDirectoryPath + "/"
        let short = program.hasPrefix(folder) ? String(program.dropFirst(folder.count)) : program
        let ported = zip(Self.documentedPorts, ports).reduce(output) {
            $0.replacingOccurrences(of: "127.0.0.1:\($1.1)", with: "127.0.0.1:\($1.0)")
        }
        return ported.replacingOccurrences(of: program, with: Self.documentedProgram)
            .replacingOccurrences(of: short, with: Self.documentedProgram)
            // The banner names the port in the chat command only if it is not the default.
            .replacingOccurrences(of: " --url \(server.ready.url)", with: "")
            .replacingOccurrences(of: address, with: Self.documentedAddress)
    }

    /// The text without times and without tokens, which depend on times.
    func timeless(_ text: String) -> String {
        // A manual clock shows the same times in each run.
        let time = #/202[6-9]-\d\d-\d\dT\d\d:\d\d:\d\dZ/#
        let withoutTimes = text.replacing(time, with: "TIME")
            // Replace the durations and times of runs in reports.
            .replacing(#/, \d+(\.\d+)? s\n/#, with: ", DURATION\n")
            .replacing(#/#(\d+) \+\d+\.\d{3,9} s/#) { "#\($0.output.1) +OFFSET" }
            // Replace the times of events and the durations of answers in sessions.
            .replacing(#/ +\+\d+\.\d{3} s/#, with: " +OFFSET").replacing(#/ +\d+(\.\d)? ms/#, with: " TIME")
            // Answers contain the port, whose length may differ by a digit.
            .replacing(#/ +\d+ B /#, with: " SIZE ")
        guard text.hasPrefix("$ \(Self.documentedProgram) token") else { return withoutTimes }
        return withoutTimes.replacing(#/eyJ[\w-]+\.[\w-]+\.[\w-]+/#, with: "TOKEN")
    }
}
