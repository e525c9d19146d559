import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import TestSupport
import Testing
import WebSocket

@testable import Traffic

extension Journal {
    /// The entries that match a query, in its order.
    func entries(_ query: JournalQuery) -> [JournalEntry] {
        JournalSearch(query, in: entries()).compactMap { if case .found(let entry) = $0 { entry } else { nil } }
    }
}

extension SessionTimeline {
    func text(of session: Session, name: String, notes: [HARNote] = []) -> String {
        var text = ""
        write(session, name: name, notes: notes) { text += $0 + "\n" }
        return text
    }
}

/// The recorded events of the tests.
enum JournalSample {
    static let time = Timestamp(nanosecondsSinceEpoch: 1_738_146_600_000_000_000)

    /// The head of a request, read as the server reads it.
    static func head(_ line: String, _ fields: [String] = []) -> RequestHead {
        var connection = HTTP1.Connection(role: .server)
        connection.receive(
            Array(([line + " HTTP/1.1", "Host: a"] + fields).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8))
        guard case .request(let head)? = try? connection.nextEvent() else {
            preconditionFailure("the sample is no request: \(line)")
        }
        return head
    }

    static func exchange(
        _ line: String, status: Int? = 200, endpoint: Endpoint? = nil, user: ExactString? = nil,
        unmatched: RecordedExchange.Unmatched? = nil, body: String = "", answer: String = ""
    ) -> RecordedExchange {
        RecordedExchange(
            head: head(line), body: Array(body.utf8), requestedAt: time, endpoint: endpoint, user: user,
            unmatched: unmatched, status: status, responseBody: Array(answer.utf8))
    }

    /// The exchange, with the id of a created entity even though the answer was lost.
    static func created(_ id: ExactString, by exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.created = id
        return exchange
    }

    static func frame(
        _ sender: Party, _ opcode: Opcode = .text, _ payload: [UInt8], delivery: Delivery = .complete,
        faults: [String] = []
    ) -> RecordedFrame {
        RecordedFrame(sender: sender, opcode: opcode, payload: payload, delivery: delivery, faults: faults)
    }

    static func frame(
        _ sender: Party, _ text: String, _ opcode: Opcode = .text, delivery: Delivery = .complete, faults: [String] = []
    ) -> RecordedFrame { frame(sender, opcode, Array(text.utf8), delivery: delivery, faults: faults) }

    static func release(of held: Int, _ action: RecordedRelease.Action, payload: [UInt8]? = nil) -> RecordedRelease {
        RecordedRelease(
            held: held, breakpoint: "live-1", action: action, due: time, payload: payload.map { RecordedBody($0) })
    }

    /// The JSON of a single event.
    static func line(_ event: JournalEvent, encoder: JournalEncoder = JournalEncoder(), connection: UInt64 = 7)
        -> String
    {
        var journal = Journal()
        journal.record(event, at: time, connection: connection)
        return journal.entries().map { String(decoding: encoder.encode($0), as: UTF8.self) }.joined(separator: "\n")
    }
}

extension Journal {
    /// A journal of events at the samples' time.
    init(recording events: [JournalEvent]) {
        self.init()
        for event in events { record(event, at: JournalSample.time) }
    }
}

extension JournalEvent {
    var exchange: RecordedExchange? { if case .exchange(let exchange) = self { exchange } else { nil } }
    var frame: RecordedFrame? { if case .frame(let frame) = self { frame } else { nil } }
    var closing: RecordedClosing? { if case .closed(let closing) = self { closing } else { nil } }
}

/// Entries of every kind, drawn from a seed.
struct RandomEvents {
    var numbers: Draw

    init(seed: UInt64) { numbers = Draw(seed: seed) }

    mutating func event() -> JournalEvent {
        switch numbers.below(10) {
        case 0, 1: .exchange(exchange())
        case 2: .opened(opening())
        case 3, 4: .frame(frame())
        case 5: .closed(closing())
        case 6: .fault(RecordedFault(name: text(), effect: numbers.element(of: RecordedFault.Effect.allCases)))
        case 7: .held(hold())
        case 8: .released(release())
        default: numbers.once(in: 2) ? .clock(advancedBy: Int64(bitPattern: numbers.next()) >> 8) : .note(text())
        }
    }

    mutating func time() -> Timestamp {
        // Any time in the years that Int64 can represent as a whole, 1678 to 2261, often with few digits.
        let nanoseconds = Int64(bitPattern: numbers.next() % 9_190_000_000_000_000_000)
        let signed = numbers.once(in: 2) ? nanoseconds : -nanoseconds
        return Timestamp(nanosecondsSinceEpoch: numbers.once(in: 2) ? signed : signed / 1_000_000_000 * 1_000_000_000)
    }

    /// Text with all the characters that JSON escapes, and with characters that are long in UTF-8.
    mutating func text() -> String {
        let pieces = [
            "a", "goal", " ", "\"", "\\", "/", "\n", "\r", "\t", "\u{08}", "\u{0C}", "\u{00}", "\u{1F}", "\u{7F}", "é",
            "漢", "👩‍👩‍👧", "\u{FFFD}", "{\"type\":\"stream_chunk\",\"content\":\"Hello \"}", "12345678", "\u{2028}",
        ]
        return (0..<numbers.below(12)).map { _ in numbers.element(of: pieces) }.joined()
    }

    mutating func bytes() -> [UInt8] { numbers.once(in: 2) ? Array(text().utf8) : numbers.bytes(numbers.below(20)) }

    private mutating func faults() -> [String] { numbers.once(in: 3) ? (0..<numbers.below(3)).map { _ in text() } : [] }
    private mutating func delivery() -> Delivery {
        numbers.once(in: 2) ? .complete : numbers.element(of: Delivery.allCases)
    }
    private mutating func user() -> ExactString? {
        numbers.once(in: 2) ? numbers.element(of: ["demo", "0193-a-user-with-a-long-name", ExactString(text())]) : nil
    }

    private mutating func body() -> RecordedBody {
        let bytes = bytes()
        return numbers.once(in: 4)
            ? RecordedBody(bytes, of: bytes.count + 1 + numbers.below(1000)) : RecordedBody(bytes)
    }

    private mutating func head() -> RequestHead {
        let line = numbers.element(of: [
            "GET /health", "POST /w/abc/api/v1/goals?a=b&c=%20d", "OPTIONS *", "PROPFIND /a?",
            "GET http://a.example:80/x?y",
            "HEAD http://a.example", "CONNECT a.example:443", "PATCH /api/v1/goals/%C3%A9/", "DELETE //",
        ])
        let fields = [
            "Authorization: Bearer x.y-z", "x-api-key: k", "X-Empty:", "Accept: a, b", "Accept: c",
            "Connection: Upgrade",
            "Upgrade: websocket", "Expect: 100-continue", "Content-Length: 5", "X-Obs: \u{E9}\t\u{E9}",
        ]
        return JournalSample.head(line, fields.filter { _ in numbers.once(in: 2) })
    }

    private mutating func responseFields() -> RecordedFields {
        switch numbers.below(3) {
        case 0: .none
        case 1: .encoded(Array("Content-Type: application/json\r\nX-Two:  a: b \r\nX-None:\r\n".utf8))
        default: .fields([.retryAfter: "2", .contentType: "text/plain; a=\"é\""])
        }
    }

    private mutating func exchange() -> RecordedExchange {
        RecordedExchange(
            head: head(), body: body(), requestedAt: time(),
            endpoint: numbers.once(in: 2) ? numbers.element(of: Endpoint.allCases) : nil, user: user(),
            unmatched: numbers.once(in: 2) ? numbers.element(of: RecordedExchange.Unmatched.allCases) : nil,
            status: numbers.once(in: 5) ? nil : 100 + numbers.below(500), responseFields: responseFields(),
            responseBody: body(), delivery: delivery(), faults: faults())
    }

    private mutating func opening() -> RecordedOpening {
        RecordedOpening(
            head: head(), requestedAt: time(), endpoint: numbers.once(in: 2) ? .webSocket : nil, user: user(),
            responseFields: responseFields(), faults: faults())
    }

    private mutating func frame() -> RecordedFrame {
        let opcode: Opcode = numbers.element(of: [.text, .text, .binary, .continuation, .close, .ping, .pong])
        var frame = RecordedFrame(
            sender: numbers.element(of: Party.allCases), opcode: opcode, payload: [], delivery: delivery(),
            faults: faults())
        frame.payload = opcode == .close ? RecordedBody(bytes()) : body()
        return frame
    }

    private mutating func hold() -> RecordedHold {
        RecordedHold(
            breakpoint: text(), place: numbers.element(of: RecordedHold.Place.allCases),
            sender: numbers.element(of: Party.allCases), until: time(), subject: text())
    }

    private mutating func release() -> RecordedRelease {
        RecordedRelease(
            held: 1 + numbers.below(10_000), breakpoint: text(),
            action: numbers.element(of: RecordedRelease.Action.allCases), due: time(),
            payload: numbers.once(in: 2) ? body() : nil)
    }

    private mutating func closing() -> RecordedClosing {
        func frame() -> CloseSummary.Frame? {
            if numbers.once(in: 2) { return nil }
            return CloseSummary.Frame(
                code: numbers.once(in: 2) ? CloseCode(rawValue: UInt16(truncatingIfNeeded: numbers.next())) : nil,
                reason: text())
        }
        return RecordedClosing(
            by: numbers.element(of: Party.allCases), cause: numbers.element(of: RecordedClosing.Cause.allCases),
            summary: CloseSummary(sent: frame(), received: frame()), message: numbers.once(in: 2) ? text() : nil,
            faults: faults())
    }
}
