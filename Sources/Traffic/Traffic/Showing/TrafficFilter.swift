import FitIQAPI

/// Selects entries by words: each has to match.
///
///     status=4xx path=/goals CONSULTATION_EXISTS
///
/// A word `key=value` is a condition of ``JournalQuery``. Any other word has to be contained in the entry's line or its
/// bodies, in upper or lower case. Frames share the path, the endpoint and the user of their opening, if the filter saw
/// it.
public struct TrafficFilter: Sendable {
    /// The keys of ``JournalQuery`` that concern an entry by itself.
    public static let keys = JournalQuery.parameters.filter { !["since", "before", "limit", "order"].contains($0) }

    private let query: JournalQuery
    private let words: [String]
    private let hasConditions: Bool
    /// The handshakes of open sockets, whose facts their frames share.
    private var openings: [UInt64: RecordedOpening] = [:]
    private static let whole = TrafficLines(width: 10_000)

    /// Reads a filter; the empty text selects everything.
    ///
    /// - Throws: 400 for a key that is unknown or repeated, or a value that it does not take.
    public init(_ text: String) throws(APIError) {
        var conditions: [(name: String, value: String)] = []
        var words: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            // A query string, or JSON, is not a condition.
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(\.isLetter) else {
                words.append(word.lowercased())
                continue
            }
            let key = String(parts[0])
            guard Self.keys.contains(key) else {
                let message = JournalMessages.unknownParameter(key, allowed: Self.keys)
                throw APIError(.badRequest, .validationFailed, message)
            }
            conditions.append((key, String(parts[1])))
        }
        query = try JournalQuery(query: conditions)
        hasConditions = !conditions.isEmpty
        self.words = words
    }

    /// Whether the entry matches; call it for every entry, in order.
    public mutating func matches(_ entry: JournalEntry) -> Bool {
        defer { query.note(entry, in: &openings) }
        guard query.matches(entry, opening: openings[entry.connection]) else { return false }
        guard !words.isEmpty else { return true }
        var text = Self.whole.lines(of: entry).joined()
        for content in entry.event.contents { text += "\n" + String(decoding: content, as: UTF8.self) }
        return hasWords(text)
    }

    /// Whether a text that is not an entry contains all words; false if there are conditions, which only entries meet.
    public func matches(text: String) -> Bool { !hasConditions && hasWords(text) }

    private func hasWords(_ text: String) -> Bool {
        let text = text.lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    /// Forgets all sockets: the world, or its server, has begun anew.
    public mutating func forgetSockets() { openings.removeAll() }
}

extension JournalEvent {
    /// Whether it only keeps a connection alive: a ping or a pong, as a control frame or as a JSON message.
    public var isPing: Bool {
        guard case .frame(let frame) = self else { return false }
        switch frame.opcode {
        case .ping, .pong: return true
        // A message that says more than its type is longer.
        case .text where frame.payload.byteCount < 200: return frame.type == "ping" || frame.type == "pong"
        case .text, .binary, .close, .continuation: return false
        }
    }
}
