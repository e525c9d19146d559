import FitIQAPI
import FitIQClient
import HTTP1
import HTTPTypes
import JSON
import Sockets
import Text
import Traffic

/// Why a stream of events ended or did not begin.
enum WatchTrouble: Error, CustomStringConvertible {
    case socket(SocketError)
    case http(RemoteError)
    /// The server answered something other than events.
    case refused(status: Int, message: String)
    case ended
    case silent(seconds: Int64)
    case tooLongEvent

    var description: String {
        switch self {
        case .socket(let error): error.description
        case .http(let error): "the server's response is not valid HTTP: \(error.message)"
        case .refused(let status, let message): "the server answered \(status): \(message.onOneLine(limit: 400))"
        case .ended: "the server ended it"
        case .silent(let seconds): "nothing came for \(seconds) s"
        case .tooLongEvent: "the server sent an event of more than \(EventStreamReader.eventLimit) bytes"
        }
    }
}

/// The events of a world as a client reads them: bytes in, news out, over as many connections as it takes.
struct WatchStream {
    /// What the events say.
    enum News {
        case entry(JournalEntry)
        case breach(TrafficLines.Breach)
        /// So many entries were lost before they could be sent.
        case missed(Int)
        /// The world was reset or rewound.
        case began
        /// The world began anew, or its server, while there was no connection; the next one brings all of it.
        case restarted
    }

    private let target: String
    private let fields: HTTPFields
    private var http = HTTP1.Connection(role: .client)
    private var events = EventStreamReader()
    private var journal = JournalReader()
    /// The status and the beginning of the body of an answer that is not a stream of events.
    private var refusal: (status: Int, body: [UInt8])?
    /// The number of the last entry; nil before the first, and then the stream begins with what happens.
    private var lastNumber: Int?
    /// The server's name for its present life.
    private var instance: String?
    private var breaches = BreachCounts()
    /// Whether the connection has brought no facts of its world yet.
    private var isNew = true
    /// Whether the next connection reads from the beginning what this one would only continue.
    private(set) var isSuperseded = false
    /// Whether any event or answer came on this connection.
    private(set) var hasBegun = false

    init(_ base: BaseURL, world: String?, adminToken: String?) {
        target =
            base.path + "/__admin" + (world.map { "/worlds/" + PercentCoding.encoded($0) } ?? "")
            + "/events?verdicts=true"
        var fields: HTTPFields = [.accept: "text/event-stream"]
        if let host = HTTPField.Name("Host") { fields[host] = base.authority }
        if let name = HTTPField.Name("X-Admin-Token") { fields[name] = adminToken }
        self.fields = fields
    }

    /// Begins a connection; returns its request.
    mutating func connect() -> [UInt8] {
        var limits = HTTP1.Limits()
        // The stream has no end.
        limits.body = 1 << 60
        http = HTTP1.Connection(role: .client, limits: limits)
        (events, journal) = (EventStreamReader(), JournalReader())
        (refusal, isNew, isSuperseded, hasBegun) = (nil, true, false, false)
        var (fields, request) = (fields, [UInt8]())
        if let lastNumber, let name = HTTPField.Name("Last-Event-ID") { fields[name] = String(lastNumber) }
        http.sendRequest(method: .get, target: target, fields: fields, body: nil, into: &request)
        return request
    }

    /// Receives bytes of the server, and passes on what they say.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, _ tell: (News) -> Void) throws(WatchTrouble) {
        http.receive(bytes)
        try read(tell)
    }

    /// Receives the end of the server's bytes.
    mutating func receiveEndOfStream(_ tell: (News) -> Void) throws(WatchTrouble) {
        // A stream of events has no end that could be missing.
        guard !hasBegun else { throw .ended }
        http.receiveEndOfStream()
        try read(tell)
        throw .ended
    }

    private mutating func read(_ tell: (News) -> Void) throws(WatchTrouble) {
        while true {
            let event: HTTP1.Event
            do throws(RemoteError) { event = try http.nextEvent() } catch { throw .http(error) }
            switch event {
            case .response(let head):
                hasBegun = head.status == .ok
                if !hasBegun { refusal = (head.status.code, []) }
            case .body(let bytes):
                if refusal == nil {
                    try read(bytes, tell)
                    if isSuperseded { return }
                } else if refusal?.body.count ?? 0 < 64 * 1024 {
                    refusal?.body += bytes
                }
            case .end, .connectionClosed:
                guard let refusal else { throw .ended }
                let error = (try? JSON.parse(refusal.body))?["error"]
                throw .refused(status: refusal.status, message: error?["message"]?.string ?? "no message")
            case .needsData, .paused: return
            case .request, .informational: continue
            }
        }
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, _ tell: (News) -> Void) throws(WatchTrouble) {
        let arrived: [ServerSentEvent]
        do throws(EventStreamReader.TooLong) { arrived = try events.receive(bytes) } catch { throw .tooLongEvent }
        for event in arrived where !isSuperseded {
            switch event.event {
            case "world": if let facts = try? JSON.parse(event.data) { begin(facts, tell) }
            case "verdicts": for breach in broken(event.data) { tell(.breach(breach)) }
            case "missed": if let count = (try? JSON.parse(event.data))?["missed"]?.int { tell(.missed(count)) }
            default: readEntry(event, tell)
            }
        }
    }

    /// Notes what a server says of its world, first and whenever that begins anew.
    private mutating func begin(_ facts: JSONValue, _ tell: (News) -> Void) {
        let (other, last) = (facts["instance"]?.string, facts["last_number"]?.int ?? 0)
        defer { (instance, isNew) = (other, false) }
        if isNew, instance != nil && other != instance || last < lastNumber ?? 0 {
            (breaches, lastNumber, isSuperseded) = (BreachCounts(), 0, true)
            tell(.restarted)
        } else if !isNew {
            (breaches, lastNumber) = (BreachCounts(), last)
            tell(.began)
        } else if lastNumber == nil {
            lastNumber = last
        }
    }

    private mutating func readEntry(_ event: ServerSentEvent, _ tell: (News) -> Void) {
        if let id = event.id { lastNumber = id }
        journal.receive(event.data + [UInt8(ascii: "\n")])
        // What a newer server adds is skipped; a line that is not an entry too.
        if let line = try? journal.next() { tell(.entry(line.entry)) }
    }

    /// The breaches that a `verdicts` event adds to those that were told.
    ///
    /// A row has the first findings, or only the newest.
    private mutating func broken(_ data: [UInt8]) -> [TrafficLines.Breach] {
        let rows = (try? JSON.parse(data))?["verdicts"]?.array ?? []
        return rows.flatMap { row -> [TrafficLines.Breach] in
            guard let id = row["id"]?.string, let count = row["finding_count"]?.int else { return [] }
            let told = breaches.rise(of: id, to: count)
            let newest = told < count ? row["finding"].map { [$0] } ?? [] : []
            return (row["findings"]?.array.map { Array($0.dropFirst(told)) } ?? newest).map { finding in
                TrafficLines.Breach(
                    obligation: id, level: finding["level"]?.string ?? "must",
                    message: finding["message"]?.string ?? "",
                    entries: finding["entries"]?.array?.compactMap(\.int) ?? [])
            }
        }
    }
}
