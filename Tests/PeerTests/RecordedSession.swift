import Foundation
import TestSupport
import Testing

/// A session that another program recorded, and its client's transcript.
struct RecordedSession {
    /// The transcript of a client that plays `session_steps.json`.
    struct Transcript: Decodable, Equatable {
        struct Answer: Decodable, Equatable {
            let request: String
            let status: Int
            let body: String

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                request = try values.decode(String.self)
                status = try values.decode(Int.self)
                body = try values.decode(String.self)
            }
        }

        let answers: [Answer]
        let sockets: [[String]]
    }

    /// The traffic, as the recorder wrote it.
    let har: URL
    /// The recorded client's transcript.
    let transcript: URL
    private let files: ScratchFolder

    /// Creates a session that has not been recorded yet.
    init() throws {
        files = try ScratchFolder()
        har = files["session.har"]
        transcript = files["recorded.json"]
    }

    /// Opens a session that was recorded earlier.
    init(har: URL, transcript: URL) throws {
        files = try ScratchFolder()
        self.har = har
        self.transcript = transcript
    }

    /// Runs a recording script from `peers`; a failed run is recorded as an issue with its output.
    func record(with program: URL, _ script: String, _ arguments: [String]) async throws {
        let command = try await Command.peer(script, arguments, with: program)
        try #require(command.status == 0, "\(script) failed:\n\(command.transcript)")
    }

    /// Expects each recorded answer to be one that the fake could give, because the fake did send it.
    func expectConforming() async throws {
        let compared = try await Command(try Programs.fitiqMock(), ["conform", har.path])
        #expect(compared.status == 0, "conform failed:\n\(compared.transcript)")
    }

    /// Requires `show` to print every request with its status, in order, and messages from both sides.
    func expectShown() async throws {
        let shown = try await Command(try Programs.fitiqMock(), ["show", har.path])
        try #require(shown.status == 0, "show failed:\n\(shown.transcript)")
        var rest = shown.output.split(separator: "\n")[...]
        for answer in try recorded().answers {
            // Lines have a limited width, so the end of a long path may be missing.
            let path = try #require(answer.request.split(separator: " ").last).prefix(40)
            let method = answer.request.prefix { $0 != " " }
            let place = rest.firstIndex { line in
                [" \(answer.status) ", " \(method) ", " \(path)"].allSatisfy { line.contains($0) }
            }
            let found = try #require(
                place, "\(answer.request) \(answer.status) is missing, or too early:\n\(shown.output)")
            rest = rest[(found + 1)...]
        }
        for text in ["How much protein do I need?", "stream_chunk", "And carbohydrates? 🥖", "assistant_message_end"] {
            #expect(shown.output.contains(text), "\(text) is missing:\n\(shown.output)")
        }
    }

    /// Replays the session to a client with its own token, and requires the same transcript as the recorded client got.
    func expectReplayed(credentials: String, _ options: String...) async throws {
        try await RunningServer.run(["replay", har.path] + options) { server in
            let told = files["replayed.json"]
            let token = try await Command(try Programs.fitiqMock(), ["token", "--user", "somebody-else"]).output
            try await record(
                with: try Programs.python(), "session_client",
                [
                    server.ready.url, token.trimmingCharacters(in: .whitespacesAndNewlines), server.ready.api_key,
                    told.path, "--credentials", credentials,
                ])
            let (replayed, recorded) = (try Self.read(told), try recorded())
            #expect(replayed.answers == recorded.answers)
            #expect(replayed.sockets == recorded.sockets)
        }
    }

    func remove() { files.remove() }

    /// The recorded client's transcript, which must not be empty, because an empty recording would prove nothing.
    private func recorded() throws -> Transcript {
        let transcript = try Self.read(transcript)
        try #require(transcript.answers.count == 8 && transcript.sockets.map(\.isEmpty) == [false, false])
        return transcript
    }

    private static func read(_ file: URL) throws -> Transcript {
        try JSONDecoder().decode(Transcript.self, from: Data(contentsOf: file))
    }
}
