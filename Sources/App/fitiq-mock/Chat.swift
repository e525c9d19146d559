import ArgumentParser
import FitIQAPI
import FitIQClient
import MockServer
import Sockets
import Text

struct Chat: ParsableCommand {
    static let defaultURL = "http://127.0.0.1:8080"

    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Chat with a coach on a running fake, and see the answer as it streams.",
        discussion: """
            Reads messages from standard input, one per line, until the end of input. Continues the existing \
            consultation with this coach, or begins one. Reconnects up to five times if the connection is lost; then \
            your next line tries again. If the server has restarted, the chat begins a new consultation.

            On a terminal you can edit lines and recall earlier lines with the arrow keys. Lines that begin with / \
            are commands: /archive, /meal TEXT, /help, /quit. While an answer arrives, /help and /quit take effect \
            immediately, and other lines wait.
            """)

    @Option("The coach.", "name")
    var persona = Persona.nutritionist

    @Option("Send this message, print the answer and exit, instead of reading lines.", "text")
    var message: String?

    @Option(
        "message (consultation-websocket) or user_message (enhanced-consultations).", "type",
        name: .customLong("protocol"))
    var chatProtocol = ClientConfiguration.ChatStyle.message

    @Option("The fake's URL. \(Settings.defaultServer)", "url")
    var url: String?

    @Option("The bearer token. (default: a token for the development user)", "jwt")
    var token: String?

    @Option("Sign in to the account with this email address, instead of using a token.", "address")
    var email: String?

    @Option("The account's password.", "text")
    var password: String?

    @Option("The X-API-Key. (default: \(DevelopmentCredentials.apiKey))", "key")
    var apiKey: String?

    @Option("The server's --admin-token, to check whether its clock is stopped.", "token")
    var adminToken: String?

    func validate() throws {
        if message?.allSatisfy(\.isWhitespace) == true { throw ValidationError(Messages.empty("--message")) }
    }

    func run() throws {
        // Check this before sending anything.
        _ = try Settings.fieldValue(adminToken, .adminToken)
        do {
            try chat()
        } catch let error as ClientError {
            if case .transport(let cause) = error, cause.operation == .connect {
                throw Failure.configuration(
                    "\(cause). Start the server with 'fitiq-mock serve', or pass another server's URL with --url.")
            }
            throw Failure.running("\(error)")
        }
    }

    /// Returns a client that is connected to a consultation with the coach, and the consultation's ID.
    ///
    /// - Parameter input: The input that can end the wait, if any; the result is then nil.
    private func begin(_ input: LineInput? = nil) throws -> (client: FitIQClient, id: String)? {
        let (email, password) = (Settings.text(email, .email), Settings.text(password, .password))
        guard (email == nil) == (password == nil) else { throw Failure.configuration(Messages.halfAnAccount) }
        let credentials = Credentials(
            token: Settings.text(token, .token)
                ?? DevelopmentCredentials.token(
                    secret: Settings.text(nil, .jwtSecret) ?? DevelopmentCredentials.jwtSecret),
            apiKey: Settings.text(apiKey, .apiKey) ?? DevelopmentCredentials.apiKey)
        let client = try FitIQClient(url: Settings.serverURL(url).description, credentials: credentials) {
            // Users who try out a fake want to see its behaviour immediately.
            $0.retries.maximumAttempts = 1
            if message != nil { $0.reconnects.maximumTries = 0 }
            $0.checksAnswers = false
            // Different guides check different tokens, and the fake's mode is unknown here.
            $0.sendsTokenTwice = true
            $0.chat = chatProtocol
        }
        let work: @Sendable () async throws -> String = { [persona] in
            if let email, let password { try await client.signIn(email: email, password: password) }
            return try await client.startConsultation(persona: persona)
        }
        let id = try ChatAnswer.cause(of: client) {
            if let input { try input.wait(for: work) } else { try Blocking.wait(for: work) }
        }
        return id.map { (client, $0) }
    }

    private func chat() throws {
        guard var (client, id) = try begin() else { return }
        // Leave the chat properly, even after a failure.
        defer { try? Blocking.wait { [client] in await client.close() } }
        if let message {
            let known = client.state.templates ?? []
            defer { ChatNews.report(client.state.templates ?? [], since: known) }
            return try self.attempt(client) { try await ChatAnswer.print(to: message, $0) }
        }
        let input = try LineInput(prompt: "> ")
        var news = Task { [client] in await ChatNews.follow(client) }
        defer { news.cancel() }
        /// Continues with another client; returns false if the server cannot be reached or the input ended first.
        ///
        /// A restarted server issues the same IDs again, but the old client treats them as deleted.
        func beginAgain(isGone: Bool) throws -> Bool {
            do {
                guard let begun = try begin(input) else { return false }
                news.cancel()
                try? Blocking.wait { [client] in await client.close() }
                let hasLines = !begun.client.state.transcript.isEmpty || client.state.transcript.isEmpty
                let isSame = begun.id == id && hasLines
                (client, id) = begun
                news = Task { [client] in await ChatNews.follow(client) }
                FitIQMock.printError(
                    isSame ? Messages.chatContinues : isGone ? Messages.begunAnew(id) : Messages.begunAgain(id))
                return true
            } catch let error as ClientError where input.isEdited {
                // The user can try another line.
                FitIQMock.printError(Messages.sentence(error.description))
                return false
            }
        }
        func attempt(_ body: @escaping @Sendable (FitIQClient) async throws -> Void) throws {
            if client.state.connection == .failed {
                // The client has given up on its chat.
                guard try beginAgain(isGone: client.lastFailure?.isGone == true) else { return }
            }
            do {
                try self.attempt(client, input, body)
            } catch let error as ClientError where error.isGone {
                if try beginAgain(isGone: true) { try self.attempt(client, input, body) }
            }
        }
        if input.isEdited {
            print("\(persona.displayName), consultation \(id). /help lists the commands; Ctrl-D ends the chat.")
        }
        while true {
            switch try input.next() {
            case .end: return
            case .signal(let number): throw Failure.told(exitCode: 128 + Int(number))
            case .text(let line):
                guard line.contains(where: { !$0.isWhitespace }) else { continue }
                switch ChatCommand(line) {
                case nil: try attempt { try await ChatAnswer.print(to: line, $0) }
                case .quit: return
                case .help: print(Messages.chatHelp)
                case .archive: try attempt(archive)
                case .meal(let text):
                    // A server whose guide has no meals returns 404, which says nothing about the consultation.
                    do {
                        try self.attempt(client, input) { try await Self.log(text, $0) }
                    } catch let error as ClientError where error.isGone && input.isEdited {
                        FitIQMock.printError(Messages.sentence(error.description))
                    }
                case .unknown(let word): FitIQMock.printError(Messages.unknownChatCommand(word))
                }
            }
        }
    }

    @Sendable private func archive(_ client: FitIQClient) async throws {
        try await client.archive()
        print("Archived. A new consultation begins: \(try await client.startConsultation(persona: persona)).")
    }

    @Sendable private static func log(_ text: String, _ client: FitIQClient) async throws {
        guard !text.isEmpty else { throw Failure.running("describe the meal: /meal 2 eggs and toast") }
        let meal = try await client.logMeal(text, type: .snack)
        print(Messages.mealCompleted(meal.text, calories: meal.calories))
    }

    /// Executes a line.
    ///
    /// The conversation continues unless the connection fails.
    ///
    /// - Parameter input: The input that can end the wait, if any.
    private func attempt(
        _ client: FitIQClient, _ input: LineInput? = nil, _ body: @escaping @Sendable (FitIQClient) async throws -> Void
    ) throws {
        let base = try Settings.serverURL(url)
        let adminToken = try Settings.fieldValue(adminToken, .adminToken)
        let work: @Sendable () async throws -> Void = {
            try await ChatNews.waiting(for: client, at: base, adminToken: adminToken) { try await body(client) }
        }
        do {
            try ChatAnswer.cause(of: client) {
                if let input { _ = try input.wait(for: work) } else { try Blocking.wait(for: work) }
            }
        } catch ClientError.problem(let problem) where [.chat, .refused, .meal].contains(problem.kind) {
            let text = problem.message + Messages.otherProtocol(after: problem.message, spoken: chatProtocol.rawValue)
            // The user can try another line.
            guard message == nil else { throw Failure.running(text) }
            FitIQMock.printError(text)
        } catch let error as ClientError where input?.isEdited == true && !error.isGone {
            FitIQMock.printError(Messages.sentence(error.description))
        } catch let failure as Failure where message == nil {
            FitIQMock.printError(failure.message)
        }
    }
}

extension ClientError {
    /// Whether the server lacks the requested resource.
    fileprivate var isGone: Bool {
        switch self {
        case .refused(status: 404, _): true
        case .problem(let problem): problem.kind == .notFound
        default: false
        }
    }
}

enum ChatCommand: Equatable {
    case archive, help, quit
    case meal(String)
    case unknown(String)

    /// - Returns: nil if the line is a message.
    init?(_ line: String) {
        guard line.hasPrefix("/") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 1)
        switch parts.first ?? "" {
        case "/archive": self = .archive
        case "/help": self = .help
        case "/quit": self = .quit
        case "/meal": self = .meal(parts.count > 1 ? String(parts[1].drop { $0.isWhitespace }) : "")
        case let word: self = .unknown(String(word))
        }
    }
}

extension ClientConfiguration.ChatStyle: ExpressibleByArgument {}

extension Persona: ExpressibleByArgument {}

enum ChatAnswer {
    /// Sends a message and prints each part of the answer as it arrives, then a line end.
    static func print(to message: String, _ client: FitIQClient) async throws {
        let before = client.state.transcript.count
        let printing = Task { await follow(client, after: before) }
        do {
            let answer = try await client.send(message)
            printing.cancel()
            var line = await printing.value
            line.finish(with: answer)
        } catch {
            printing.cancel()
            var line = await printing.value
            if let text = answer(in: client.state.transcript, after: before) { line.grow(to: text) }
            // Start a new line for the error message that follows on standard error.
            line.end()
            throw error
        }
    }

    private static func follow(_ client: FitIQClient, after count: Int) async -> PrintedLine {
        var line = PrintedLine()
        for await transcript in client.transcript {
            if let text = answer(in: transcript, after: count) { line.grow(to: text) }
        }
        return line
    }

    /// The part received so far of the answer to the message that follows the first `count` lines.
    private static func answer(in transcript: [ClientState.Line], after count: Int) -> String? {
        guard transcript.count > count + 1, let last = transcript.last, last.role == .assistant else { return nil }
        return last.text
    }

    /// Runs the body; if it fails, throws the network error instead of the message that an app would show its user.
    static func cause<Value>(of client: FitIQClient, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch ClientError.problem(let problem) where problem.kind != .chat {
            throw client.lastFailure ?? .problem(problem)
        }
    }
}

private struct PrintedLine: Sendable {
    private var text = ""
    /// Wraps words if a person is reading the answer, otherwise nil.
    private var wrap = System.isTerminal(.output) ? Terminal.columns.map { WordWrap(columns: $0) } : nil

    /// Prints the new part; text that does not continue the old text starts a new line.
    mutating func grow(to whole: String) {
        guard whole != text else { return }
        // Compare bytes, so that the rest begins with a whole scalar.
        if whole.utf8.starts(with: text.utf8) {
            let end = whole.utf8.index(whole.startIndex, offsetBy: text.utf8.count)
            write(String(whole.unicodeScalars.suffix(from: end)))
        } else {
            write("\n" + whole)
        }
        text = whole
    }

    mutating func finish(with whole: String) {
        grow(to: whole)
        write("\n")
    }

    mutating func end() { if !text.isEmpty { write("\n") } }

    private mutating func write(_ part: String) {
        let part = TerminalText.printed(part)
        draw(wrap?.add(part) ?? part)
        StandardOutput.flush()
    }
}

/// Wraps text that arrives in parts, and writes each word once it is complete.
struct WordWrap: Sendable {
    let columns: Int
    /// The number of spaces before each line except the first.
    var indent = 0
    private var column = 0
    private var spaces = ""
    private var word = ""

    init(columns: Int, indent: Int = 0) { (self.columns, self.indent) = (columns, indent) }

    /// Returns the text that can be written now; the last word is held back until a space or line end follows it.
    mutating func add(_ part: String) -> String {
        var text = ""
        for character in part {
            if character == " " {
                text += finish()
                spaces += " "
            } else if character.isNewline {
                text += finish() + "\n"
                (column, spaces) = (0, "")
            } else {
                word.append(character)
            }
        }
        return text
    }

    /// Returns the last word.
    mutating func finish() -> String {
        guard !word.isEmpty else { return "" }
        let width = TerminalText.columns(word)
        if column > indent, column + spaces.count + width > columns {
            (spaces, column) = ("\n" + String(repeating: " ", count: indent), indent)
        } else {
            column += spaces.count
        }
        defer { (spaces, word, column) = ("", "", column + width) }
        return spaces + word
    }
}
