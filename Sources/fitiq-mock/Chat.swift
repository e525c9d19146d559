import ArgumentParser
import FitIQAPI
import FitIQClient
import JSON
import MockServer
import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

struct Chat: ParsableCommand {
    static let defaultURL = "http://127.0.0.1:8080"

    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat with a coach of a running fake, and see the answer as it streams.",
        discussion:
            "Reads messages from standard input, a line each, until the end of input. Continues the consultation that exists with this coach, or begins one."
    )

    @Option(help: ArgumentHelp("The coach.", valueName: "name"))
    var persona = Persona.nutritionist

    @Option(
        help: ArgumentHelp("Send this message and end after its answer, instead of reading lines.", valueName: "text"))
    var message: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "message (consultation-websocket) or user_message (enhanced-consultations).",
            valueName: "type"))
    var chatProtocol = MessageType.message

    @Option(help: ArgumentHelp("Where the fake is. (default: \(Chat.defaultURL))", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The bearer token. (default: the one that 'serve' prints)", valueName: "jwt"))
    var token: String?

    @Option(help: ArgumentHelp("The X-API-Key. (default: \(DevelopmentCredentials.apiKey))", valueName: "key"))
    var apiKey: String?

    /// The type of the frames that it sends, and with it that of the answers.
    enum MessageType: String, CaseIterable, ExpressibleByArgument {
        case message
        case userMessage = "user_message"
    }

    func run() throws {
        let credentials = Credentials(
            token: Settings.text(token, "TOKEN")
                ?? DevelopmentCredentials.token(
                    secret: Settings.text(nil, "JWT_SECRET") ?? DevelopmentCredentials.jwtSecret),
            apiKey: Settings.text(apiKey, "API_KEY") ?? DevelopmentCredentials.apiKey)
        do {
            let base = try BaseURL(Settings.text(url, "URL") ?? Chat.defaultURL)
            try chat(base, credentials)
        } catch let error as ClientError {
            if case .transport(let cause) = error, cause.operation == .connect {
                throw Failure.configuration(
                    "\(cause). Start the server with 'fitiq-mock serve', or name another with --url.")
            }
            if case .badURL = error { throw Failure.configuration("\(error)") }
            throw Failure.running("\(error)")
        }
    }

    private func chat(_ base: BaseURL, _ credentials: Credentials) throws {
        let id = try RESTClient(base: base, credentials: credentials).startConsultation(persona: persona.rawValue)
        let socket = try ChatSocket(base: base, credentials: credentials, consultation: id, seed: SystemEntropy.seed())
        defer { socket.close() }
        if let message {
            try ask(message, socket)
            return
        }
        let isTerminal = isatty(STDIN_FILENO) == 1
        if isTerminal { print("\(persona.displayName), consultation \(id). End with Ctrl-D.") }
        while true {
            if isTerminal {
                print("> ", terminator: "")
                fflush(nil)
            }
            guard let line = readLine() else { return }
            if line.contains(where: { !$0.isWhitespace }) { try ask(line, socket) }
        }
    }

    /// Sends a message and prints the answer chunk by chunk.
    private func ask(_ content: String, _ socket: ChatSocket) throws {
        try socket.send(["type": .string(chatProtocol.rawValue), "content": .string(content)])
        var isInLine = false
        // What is said on standard error begins a line of its own.
        func endLine() {
            if isInLine { print() }
            fflush(nil)
        }
        while true {
            let frame: JSONValue
            do throws(ClientError) {
                frame = try socket.next()
            } catch {
                endLine()
                throw error
            }
            switch frame["type"]?.string {
            case "stream_chunk", "assistant_message_chunk":
                isInLine = true
                print(frame["content"]?.string ?? "", terminator: "")
                fflush(nil)
            case "stream_complete", "assistant_message_end":
                print()
                return
            case "error":
                let said = frame["error"]?.string ?? "the server sent an error without a text."
                let text = said + Messages.otherProtocol(after: said, spoken: chatProtocol.rawValue)
                // The conversation goes on: the next line may be better.
                endLine()
                guard message == nil else { throw Failure.running(text) }
                FitIQMock.printError(text)
                return
            default: continue
            }
        }
    }
}

extension Persona: ExpressibleByArgument {}
