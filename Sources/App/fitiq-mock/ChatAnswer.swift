import FitIQClient

/// An answer as it comes, on standard output.
enum ChatAnswer {
    /// Sends a message and prints what comes of it, each part as it arrives, and the end of the line.
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
            // What is said on standard error begins a line of its own.
            line.end()
            throw error
        }
    }

    /// Prints the answer that the transcript gains, until it is cancelled.
    private static func follow(_ client: FitIQClient, after count: Int) async -> PrintedLine {
        var line = PrintedLine()
        for await transcript in client.transcript {
            if let text = answer(in: transcript, after: count) { line.grow(to: text) }
        }
        return line
    }

    /// What has come of the answer to a message, before which there were so many lines.
    private static func answer(in transcript: [ClientState.Line], after count: Int) -> String? {
        guard transcript.count > count + 1, let last = transcript.last, last.role == .assistant else { return nil }
        return last.text
    }

    /// Does something, and throws what was wrong on the network rather than what a user of an app is told of it.
    static func cause<Value>(of client: FitIQClient, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch ClientError.problem(let problem) where problem.kind != .chat {
            throw client.lastFailure ?? .problem(problem)
        }
    }
}

/// What stands in the line that is being printed.
private struct PrintedLine: Sendable {
    private var text = ""
    private var isEnded = false

    /// Prints what is new; a text that is another altogether begins a line of its own.
    mutating func grow(to whole: String) {
        guard whole != text else { return }
        if whole.hasPrefix(text) {
            write(whole.utf8.dropFirst(text.utf8.count))
        } else {
            write("\n".utf8)
            write(whole.utf8)
        }
        text = whole
    }

    mutating func finish(with whole: String) {
        grow(to: whole)
        write("\n".utf8)
        isEnded = true
    }

    /// Ends a line in which something stands.
    mutating func end() {
        if !text.isEmpty, !isEnded { write("\n".utf8) }
        isEnded = true
    }

    private func write(_ bytes: some Sequence<UInt8>) {
        StandardOutput.write(Array(bytes))
        StandardOutput.flush()
    }
}
