import Deflate
import FitIQAPI
import HTTP1
import HTTPTypes

extension Session {
    /// The traffic in a world's journal, as a recorder next to the client sees it: what did not reach the other side is
    /// not in it.
    ///
    /// Secrets stay as they are in the journal, and so do truncated bodies. Frames of a WebSocket whose handshake the
    /// journal has dropped are omitted.
    ///
    /// - Parameter origin: The scheme and the host of URLs: `http://127.0.0.1:8080`.
    public init(_ journal: some Sequence<JournalEntry>, origin: String) {
        var draft = SessionDraft(origin: origin)
        for entry in journal { draft.add(entry) }
        self = draft.session
    }
}

/// A session that is made of a journal, one entry after the other.
package struct SessionDraft: Sendable {
    private var whole = Session()
    /// The places of open WebSockets.
    private var open: [UInt64: Int] = [:]
    private let origin: String

    package init(origin: String) { self.origin = origin }

    package mutating func add(_ entry: JournalEntry) {
        switch entry.event {
        case .exchange(let exchange): whole.entries.append(SessionExchange(exchange, entry.time, origin))
        case .opened(let opening):
            open[entry.connection] = whole.entries.count
            var socket = SessionExchange(opening, entry.time, "ws" + origin.dropFirst("http".count))
            (socket.opened, socket.waited, socket.lasted) = (entry.time, 0, 0)
            whole.entries.append(socket)
        case .frame(let frame) where frame.delivery == .complete:
            guard let place = open[entry.connection] else { break }
            whole.entries[place].frames.append(SessionFrame(time: entry.time, value: frame))
        case .closed(let closing):
            guard let place = open.removeValue(forKey: entry.connection) else { break }
            // A fault, or whatever else ends it, is to a recorder the end of the transport.
            let cause: RecordedClosing.Cause =
                [.closeFrame, .reset].contains(closing.cause) ? closing.cause : .finish
            whole.entries[place].ending = SessionEnding(time: entry.time, party: closing.party, cause: cause)
        case .frame, .fault, .clock, .note, .held, .released: break
        }
    }

    /// The sort is stable: simultaneous requests keep the order of the journal.
    package var session: Session {
        var session = whole
        session.entries.sort { $0.started < $1.started }
        return session
    }
}

extension SessionExchange {
    fileprivate init(_ exchange: RecordedExchange, _ answered: Timestamp, _ origin: String) {
        let lasted = max(0, answered.nanosecondsSinceEpoch - exchange.requestedAt.nanosecondsSinceEpoch)
        self.init(
            started: exchange.requestedAt, waited: lasted, lasted: lasted,
            request: SessionRequest(
                method: exchange.head.method.rawValue, url: origin + exchange.head.target.description,
                fields: exchange.head.fields.nameValuePairs.map(SessionField.init).describing(exchange.body),
                body: exchange.body.byteCount == 0 ? nil : exchange.body))
        guard let status = exchange.status, exchange.delivery != .none else { return }
        response = SessionResponse(
            status: status,
            fields: exchange.responseFields.nameValuePairs.map(SessionField.init).describing(exchange.responseBody),
            body: exchange.head.method == .head ? RecordedBody() : exchange.responseBody,
            isComplete: exchange.delivery == .complete)
    }
}

extension [SessionField] {
    /// The fields that agree with a journal's body, which is the text of what had gzip.
    fileprivate func describing(_ body: RecordedBody) -> [SessionField] {
        body.bytes.starts(with: [0x1F, 0x8B]) ? self : filter { $0.codingFormat != ZlibFormat.gzip }
    }
}
