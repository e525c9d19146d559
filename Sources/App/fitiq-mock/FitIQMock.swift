import ArgumentParser
import CLibrary
import ContractSuite
import FitIQAPI
import JSON
import MockServer
import Scenarios
import Sockets
import Synchronization
import Text

@main
struct FitIQMock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fitiq-mock", abstract: "A fake FitIQ backend for client developers.",
        discussion: """
            Every 'serve' option can also be set in the environment: --api-key as FITIQ_MOCK_API_KEY, and so on. \
            The command line overrides it. --version --json prints the version and the system as JSON.

            Exit codes: 0 success, 1 a client broke its contract or its tests failed, two sessions differ, or a server \
            does not conform or does not answer, 2 usage or configuration error, 3 fitiq-mock failed while running, 4 \
            the client never connected, 130 Ctrl-C during a test.
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Serve",
                subcommands: [
                    Serve.self, MCPCommand.self, WatchCommand.self, Chat.self, ResetCommand.self, WaitCommand.self,
                    Health.self, DrainCommand.self,
                ]),
            CommandGroup(
                name: "Test",
                subcommands: [
                    Verify.self, Explore.self, TestClient.self, JudgeCommand.self, ConformCommand.self,
                ]),
            CommandGroup(
                name: "Sessions",
                subcommands: [RecordCommand.self, ReplayCommand.self, ShowCommand.self, DiffCommand.self]),
            CommandGroup(
                name: "Tools",
                subcommands: [
                    Check.self, ListScenarios.self, ScenarioCommand.self, SchemaCommand.self, Token.self,
                    Certificate.self, CompletionsCommand.self,
                ]),
        ])

    /// Parses and runs a command.
    ///
    /// Prints an error as one line on standard error and exits with a code from the table above.
    static func main() {
        CurrentProcess.holdStandardStreams()
        CurrentProcess.ignoreFileSizeSignal()
        guard !CurrentProcess.arguments.isEmpty else {
            printError("the system did not pass the command line or the program's name: mount /proc if it is missing")
            leave(3)
        }
        do {
            let arguments = Array(CurrentProcess.arguments.dropFirst())
            if arguments.sorted() == ["--json", "--version"] {
                print(versionJSON)
            } else {
                var command = try parsed(arguments)
                try command.run()
            }
            tellTrouble(exitCode: 0)
        } catch let failure as Failure {
            if !failure.message.isEmpty { printError(failure.message) }
            leave(failure.exitCode)
        } catch {
            guard exitCode(for: error) == .success else {
                printError(usage(message(for: error), of: commandName(in: Array(CurrentProcess.arguments.dropFirst()))))
                leave(2)
            }
            let text = fullMessage(for: error)
            let isHelp = text.hasPrefix("OVERVIEW: ")
            print(text + (isHelp ? Examples.text(for: Array(CurrentProcess.arguments.dropFirst())) : ""))
            leave(0)
        }
    }

    /// The version of this binary as JSON.
    private static var versionJSON: String {
        let object: JSONValue = [
            "name": "fitiq-mock", "version": .string(Version.current), "system": .string(System.name.system),
            "machine": .string(System.name.machine),
        ]
        return String(decoding: object.encoded(), as: UTF8.self)
    }

    /// Parses a command line into its command.
    ///
    /// If the first word names a command, this function parses only that command, which takes half as many instructions
    /// as parsing the whole tree. Help, versions and mistakes need the tree.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == "serve", let serve = Serve(plain: Array(arguments.dropFirst())) { return serve }
        if arguments.starts(with: ["scenario", "list"]) { throw Failure.configuration(Messages.scenarioList) }
        try checkNames(arguments)
        let command = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        // ArgumentParser parses a request for help as another command, which needs the tree.
        if let command, let parsed = try? command.parseAsRoot(Array(arguments.dropFirst())), type(of: parsed) == command
        {
            return parsed
        }
        return try parseAsRoot(arguments)
    }

    /// Rejects words that do not name a command.
    ///
    /// ArgumentParser would show the help for the part that it recognizes.
    private static func checkNames(_ arguments: [String]) throws(Failure) {
        var command: any ParsableCommand.Type = FitIQMock.self
        var path: [String] = []
        let isHelp = arguments.first == "help"
        for word in arguments.prefix(while: { !$0.hasPrefix("-") }) where word != "help" {
            let known = command.configuration.subcommands
            if known.isEmpty, !isHelp { return }
            path.append(word)
            guard let next = known.first(where: { $0.configuration.commandName == word }) else {
                let others = (known.isEmpty ? configuration.subcommands : known).compactMap {
                    $0.configuration.commandName
                }
                let parents = known.isEmpty ? [] : path.dropLast()
                throw .configuration(
                    Messages.unknownCommand(
                        path.joined(separator: " "), allowed: others.map { (parents + [$0]).joined(separator: " ") }))
            }
            command = next
        }
    }

    /// The words at the beginning of a command line that name a command, such as `scenario from`, or nil.
    static func commandName(in arguments: [String]) -> String? {
        var (path, known) = ([String](), configuration.subcommands)
        for word in arguments {
            guard let next = known.first(where: { $0.configuration.commandName == word }) else { break }
            path.append(word)
            known = next.configuration.subcommands
        }
        return path.isEmpty ? nil : path.joined(separator: " ")
    }

    /// The message for a command whose arguments cannot be parsed.
    static func usage(_ text: String, of command: String?) -> String {
        guard let command else { return Messages.usage(text) }
        // The most common slip: `verify ./run-my-tests`.
        let lacksDashes =
            ["verify", "explore", "scenario from", "test-client"].contains(command)
            && text.contains("nexpected argument")
        let hint =
            lacksDashes
            ? " Put the command to run after '--': fitiq-mock \(command) [<options>] -- COMMAND."
            : text.contains("<duration>")
                ? Messages.durations(of: text) : text.contains("<k/n>") ? Messages.confirmations : ""
        return Messages.usage(text, of: command, hint: hint)
    }

    /// Exits with code 3 if standard output could not be written.
    ///
    /// Usage mistakes and other failures keep their own code.
    private static func tellTrouble(exitCode: Int32) {
        guard let trouble = StandardOutput.takeTrouble() else { return }
        printError(trouble)
        if [0, 1, 4].contains(exitCode) { _exit(3) }
    }

    private static func leave(_ code: Int32) -> Never {
        tellTrouble(exitCode: code)
        // `exit()` would run the libraries' exit handlers, which are slow and not needed.
        _exit(code)
    }

    static func printError(_ message: String) { printToStandardError("fitiq-mock: \(message)\n") }

    /// Writes text to standard error; terminal control characters are escaped, regardless of where the text comes from.
    static func printToStandardError(_ text: String) { drawOnStandardError(TerminalText.printed(text)) }

    /// Writes text that contains our own control sequences to standard error; the rest of it must already be escaped.
    static func drawOnStandardError(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: WallClock.nanosecondsSinceEpoch()) }
}

/// An error that ends the program; it is printed on one line, followed by mistakes in a file, one per line.
struct Failure: Error {
    let message: String
    let exitCode: Int32

    static func configuration(_ message: String) -> Failure { Failure(message: message, exitCode: 2) }
    static func file(_ error: FileError) -> Failure { configuration(error.description + ".") }
    static func running(_ message: String) -> Failure { Failure(message: message, exitCode: 3) }
    static func running(_ error: SocketError) -> Failure { running(error.description) }
    static func unwritten(_ error: FileError) -> Failure { running(error.description + ".") }
    /// An error that has already been printed or is in a report.
    static func told(exitCode: Int) -> Failure { Failure(message: "", exitCode: Int32(exitCode)) }
    /// A signal ended the program; the exit code follows the shell convention.
    static func interrupted(by signal: Int32, isReported: Bool = false) -> Failure {
        Failure(message: isReported ? "" : Messages.interrupted, exitCode: 128 + signal)
    }
}

/// Returns the value, or turns a library's error into a failure of the program.
func orFailure<Value, Trouble: Error>(
    _ value: @autoclosure () throws(Trouble) -> Value, _ failure: (Trouble) -> Failure
) throws(Failure) -> Value { do throws(Trouble) { return try value() } catch { throw failure(error) } }

/// Returns the value, or turns mistakes in a file into a failure of the program that lists them.
func orMistakes<Value>(
    in path: String, _ value: @autoclosure () throws(ScenarioErrors) -> Value
) throws(Failure) -> Value {
    try orFailure(try value()) { (error: ScenarioErrors) in
        .configuration(Messages.mistakes(in: path, error.description))
    }
}

/// What the operating system tells the program about its process and machine.
enum System {
    static let stopSignals = [SIGINT, SIGTERM, SIGHUP]

    enum Stream: Int32 { case input, output, error }

    /// The number of processors that this machine currently has.
    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    static func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) == 1 }

    /// The operating system and processor as uname(2) names them, such as Linux and x86_64.
    static var name: (system: String, machine: String) {
        var name = utsname()
        _ = uname(&name)
        func text(_ field: some Any) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return (text(name.sysname), text(name.machine))
    }

    static var temporaryFolder: String { variable("TMPDIR") ?? "/tmp" }

    /// Creates a file that only this user can access; on failure the descriptor is negative, and `errno` holds the
    /// reason.
    static func temporaryFile() -> (descriptor: Int32, path: String) {
        var path = Array("\(temporaryFolder)/fitiq-mock-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        return (file, String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The program's name as typed in the current folder, for commands that users paste.
enum ProgramName {
    static var asTyped: String {
        shortened(CurrentProcess.arguments.first ?? "fitiq-mock", in: getcwd(nil, 0).map { String(cString: $0) } ?? "")
    }

    /// Removes the folder from the path of a file below it.
    static func shortened(_ path: String, in folder: String) -> String {
        let short = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        return short.shellQuoted
    }
}

extension String {
    /// The text as one word of a shell command, quoted if it contains characters that are special to a shell.
    var shellQuoted: String {
        // Compare bytes, because a server quotes several words at startup, and comparing characters is slower.
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isAlphanumeric || "/._-+:@".utf8.contains($0) }
        guard !isPlain else { return self }
        return "'" + (utf8.contains(UInt8(ascii: "'")) ? replacing("'", with: "'\\''") : self) + "'"
    }
}

/// Runs asynchronous work while an otherwise idle thread waits for it.
enum Blocking {
    static func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let done = try Gate()
        let outcome = start(work) { done.open() }
        done.wait()
        guard let result = outcome.value else { preconditionFailure("the outcome must be set before the gate opens") }
        return try result.get()
    }

    /// Waits on the main thread for work that uses clients.
    ///
    /// After a signal, the work has time to finish.
    ///
    /// - Parameters:
    ///   - stop: opened at the signal. The work then returns its results so far or throws.
    ///   - kill: called after the signal, to end anything that the work waits for.
    ///   - tick: called once a second until the work is done.
    /// - Throws: A ``Failure``.
    static func waitOnMain<Value: Sendable>(
        for work: @escaping @Sendable () async throws -> Value, stop: Gate, kill: () -> Void = {},
        everySecond tick: () -> Void = {}
    ) throws -> (Value, signal: Int32?) {
        let wait = try MainWait()
        let mailbox = wait.mailbox
        let outcome = start(work) { mailbox.requestStop() }
        var (signal, deadline) = (Int32?.none, MonotonicInstant?.none)
        var nextTick = MonotonicInstant.now().advanced(by: .seconds(1))
        var result: Result<Value, any Error>?
        while result == nil {
            let event = try wait.next(until: deadline.map { min($0, nextTick) } ?? nextTick)
            result = outcome.value
            guard result == nil else { break }
            let now = MonotonicInstant.now()
            if nextTick <= now {
                tick()
                nextTick = now.advanced(by: .seconds(1))
            }
            if event == .woken { continue }
            guard case .signal(let number) = event else {
                if let signal, let deadline, deadline <= now { throw Failure.interrupted(by: signal) }
                continue
            }
            // This is the second signal.
            if let signal { throw Failure.interrupted(by: signal) }
            (signal, deadline) = (number, .now().advanced(by: .seconds(15)))
            stop.open()
            kill()
        }
        do {
            guard let result else { preconditionFailure("The loop must end with a result.") }
            return (try result.get(), signal)
        } catch let failure as Failure {
            throw failure
        } catch let error as Refusal {
            throw Failure.configuration(error.description)
        } catch {
            if let signal { throw Failure.interrupted(by: signal) }
            throw Failure.running(Messages.noServer("\(error)"))
        }
    }

    /// Starts the work, and stores its result before calling `done`.
    static func start<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value, then done: @escaping @Sendable () -> Void
    ) -> Box<Result<Value, any Error>> {
        let outcome = Box<Result<Value, any Error>>()
        Task {
            do { outcome.value = .success(try await work()) } catch { outcome.value = .failure(error) }
            done()
        }
        return outcome
    }
}

/// A value that one thread passes to another.
final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
