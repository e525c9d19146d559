import Faults
import FitIQAPI
import JSON
import Text
import Traffic
import WebSocket

/// What went wrong in a recorded session, as faults of a schedule, and what the coach answered there.
///
/// It has whatever the fake does not do by itself: errors, answers that were lost, cut off or late, refused handshakes,
/// ends of sockets that the client did not want, the coach's texts, and meals that failed. Ids of the recording that
/// faults carry have no meaning in another world.
public struct RecordedSchedule: Sendable {
    /// Everything, in the order of the session, the coach's answers included.
    public private(set) var schedule = Schedule(story: 0)
    /// How many faults more the session has than are translated.
    public private(set) var omittedCount = 0

    /// The least lateness of an answer that is told, in nanoseconds.
    private static let lateness: Int64 = 1_000_000_000

    /// The request's or the handshake's number among those of its endpoint, by the number of its entry.
    private var ordinals: [Int: Int] = [:]
    private var sockets: [UInt64: Socket] = [:]
    /// Questions so far, in all consultations: rules count them in each, and a test has few.
    private var turn = 0
    /// The texts of meals by their ids, until it is known what became of them.
    private var meals: [ExactString: String] = [:]

    private struct Socket {
        let endpoint: Endpoint
        let number: Int
        var counts = MessageCounts()
        var types: [String: Int] = [:]  // A few names that the server chooses.
        /// The server's last frame.
        var last: (type: String, number: Int)?
        /// The question that is being answered, and the answer so far.
        var turn: Int?
        var chunks: [String] = []
        /// What the server would have sent next: that it has the client's question.
        var dueReceipt: String?
    }

    /// Translates the entries of one world.
    public init(_ entries: [JournalEntry]) {
        number(entries)
        for entry in entries {
            switch entry.event {
            case .exchange(let exchange): read(exchange, entry)
            case .opened(let opening): open(opening, entry)
            case .frame(let frame): read(frame, of: entry.connection)
            case .closed(let closing): close(closing, of: entry.connection)
            case .fault, .clock, .note, .held, .released: break
            }
        }
        for connection in sockets.keys.sorted() { endAnswer(of: connection, isCut: true) }
    }

    /// Numbers requests and handshakes by their arrival, as rules do.
    private mutating func number(_ entries: [JournalEntry]) {
        var arrivals: [(time: Timestamp, entry: Int, endpoint: Endpoint)] = []
        for entry in entries {
            guard case .exchange(let exchange) = entry.event else {
                guard case .opened(let opening) = entry.event, let endpoint = opening.endpoint else { continue }
                arrivals.append((opening.requestedAt, entry.number, endpoint))
                continue
            }
            guard let endpoint = exchange.endpoint, !endpoint.isSocket || exchange.head.wantsUpgrade else { continue }
            arrivals.append((exchange.requestedAt, entry.number, endpoint))
        }
        arrivals.sort { ($0.time, $0.entry) < ($1.time, $1.entry) }
        var counts: [Endpoint: Int] = [:]
        for arrival in arrivals {
            counts[arrival.endpoint, default: 0] += 1
            ordinals[arrival.entry] = counts[arrival.endpoint]
        }
    }

    private mutating func add(_ kind: FaultKind?, at place: FaultPoint.Place, wait: Int64 = 0) {
        guard let kind, kind.fits(place) else { return }
        guard schedule.faults.count < ExploreLimits.recordedFaults else {
            omittedCount += 1
            return
        }
        var fault = Schedule.Fault(kind, at: place)
        if wait > 0 { fault.wait = .nanoseconds(wait) }
        schedule.faults.append(fault)
    }

    // MARK: Requests and handshakes

    private mutating func read(_ exchange: RecordedExchange, _ entry: JournalEntry) {
        guard let endpoint = exchange.endpoint, let number = ordinals[entry.number] else { return }
        let place: FaultPoint.Place =
            endpoint.isSocket ? .handshake(endpoint, number) : .request(endpoint, number)
        let prefix = endpoint.isSocket ? "shake" : "status"
        guard let status = exchange.status, exchange.delivery != .none else {
            return add(.named(endpoint.isSocket ? "shake-reset" : "lost-answer"), at: place)
        }
        if exchange.delivery == .partial { return add(.named("truncated"), at: place) }
        if status >= 400 {
            let kind = FaultKind.recorded(
                status, Self.replacement(exchange, status), as: prefix, isHandshake: endpoint.isSocket)
            return add(kind, at: place)
        }
        note(exchange, of: endpoint)
        let late = entry.time.nanosecondsSinceEpoch - exchange.requestedAt.nanosecondsSinceEpoch
        if late >= Self.lateness { add(.named("slow"), at: place, wait: late) }
    }

    private mutating func open(_ opening: RecordedOpening, _ entry: JournalEntry) {
        guard let endpoint = opening.endpoint, let number = ordinals[entry.number] else { return }
        sockets[entry.connection] = Socket(endpoint: endpoint, number: number)
        let late = entry.time.nanosecondsSinceEpoch - opening.requestedAt.nanosecondsSinceEpoch
        if late >= Self.lateness { add(.named("shake-late"), at: .handshake(endpoint, number), wait: late) }
    }

    private static func replacement(_ exchange: RecordedExchange, _ status: Int) -> Replacement {
        let fields = exchange.responseFields.nameValuePairs
        func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        let text = String(validating: exchange.responseBody.bytes, as: UTF8.self)
        let isWhole = !exchange.responseBody.isCut && exchange.responseBody.byteCount <= ExploreLimits.recordedBody
        let body = isWhole && text?.isEmpty == false ? text : nil
        let retryAfter = value("retry-after").flatMap { Int($0) }.flatMap { (0...3600).contains($0) ? $0 : nil }
        let isJSON = body.map { JSONValue.container(Array($0.utf8)) != nil } ?? true
        return Replacement(
            status: status, body: body, contentType: isJSON ? nil : value("content-type"), retryAfter: retryAfter)
    }

    // MARK: Meals

    private mutating func note(_ exchange: RecordedExchange, of endpoint: Endpoint) {
        guard endpoint == .createMealLog || endpoint == .showMealLog,
            let answer = try? JSON.parse(exchange.responseBody.bytes)
        else { return }
        let log = answer["data"] ?? answer
        if endpoint == .createMealLog, let id = log["id"]?.exactString,
            let text = (try? JSON.parse(exchange.body.bytes))?["raw_input"]?.string
        {
            meals[id] = text
        }
        noteFailure(log, isFailed: log["status"]?.string == "failed")
    }

    private mutating func noteFailure(_ log: JSONValue, isFailed: Bool) {
        guard isFailed, let id = (log["id"] ?? log["meal_log_id"])?.exactString,
            let text = meals.removeValue(forKey: id)
        else { return }
        let message = log["error_message"]?.string ?? log["error"]?.string
        add(.recordedFailure(message ?? "The meal could not be worked out."), at: .meal(text: text))
    }

    // MARK: Frames

    private mutating func read(_ frame: RecordedFrame, of connection: UInt64) {
        guard frame.opcode == .text, let value = try? JSON.parse(frame.payload.bytes),
            let type = value["type"]?.string, var socket = sockets.removeValue(forKey: connection)
        else { return }
        defer { sockets[connection]?.last = socket.last }
        if frame.sender == .client {
            if type == "message" || type == "user_message" {
                turn += 1
                (socket.turn, socket.chunks) = (turn, [])
                socket.dueReceipt = type == "message" ? "message_received" : "user_message"
            }
            sockets[connection] = socket
            return
        }
        socket.counts.count(frame.payload.bytes)
        socket.types[type, default: 0] += 1
        socket.last = (type, socket.types[type] ?? 1)
        socket.dueReceipt = nil
        let content = value["content"]?.string ?? ""
        switch type {
        case "stream_chunk", "assistant_message_chunk":
            if socket.turn != nil { socket.chunks.append(content) }
            sockets[connection] = socket
        case "stream_complete", "assistant_message_end":
            sockets[connection] = socket
            endAnswer(of: connection)
        case "error":
            sockets[connection] = socket
            endAnswer(of: connection, error: value["error"]?.string ?? value["message"]?.string ?? "")
        default:
            sockets[connection] = socket
            if type == "meal_log.failed", let log = value["data"] { noteFailure(log, isFailed: true) }
        }
    }

    /// Notes what the coach answered; what was cut goes on for one chunk, at which it is cut.
    private mutating func endAnswer(of connection: UInt64, error: String? = nil, isCut: Bool = false) {
        guard let socket = sockets[connection], let turn = socket.turn else { return }
        sockets[connection]?.turn = nil
        var chunks = socket.chunks.filter { !$0.isEmpty }
        if isCut { chunks.append("…") }
        let place = FaultPoint.Place.question(turn: turn)
        if let error {
            add(.recordedError(chunks, error), at: place)
        } else if !chunks.isEmpty {
            add(.recordedAnswer(chunks), at: place)
        }
    }

    private mutating func close(_ closing: RecordedClosing, of connection: UInt64) {
        let isCut = sockets[connection]?.turn != nil
        let chunks = sockets[connection]?.chunks.count ?? 0
        endAnswer(of: connection, isCut: isCut)
        guard let socket = sockets.removeValue(forKey: connection), closing.party == .server else { return }
        guard let last = socket.last else {
            // It ended before the server had said anything.
            return add(.named("shake-reset"), at: .handshake(socket.endpoint, socket.number))
        }
        let (endpoint, number) = (socket.endpoint, socket.number)
        var next: FaultPoint.Place?
        if let type = socket.dueReceipt {
            next = .frame(endpoint, connection: number, type: type, (socket.types[type] ?? 0) + 1)
        } else if isCut, chunks > 0 {
            next = .chunk(endpoint, connection: number, answer: socket.counts.answer, chunks + 1)
        }
        switch closing.cause {
        case .closeFrame:
            let code = closing.summary.sent?.code.map { Int($0.rawValue) }
            let kind = FaultKind.named(code.map { "close-\($0)" } ?? "close-none") ?? .named("close-4000")
            add(kind, at: next ?? .frame(endpoint, connection: number, type: last.type, last.number))
        default:
            let how = closing.cause == .reset ? "reset" : "finish"
            guard let next else {
                let place = FaultPoint.Place.after(endpoint, connection: number, type: last.type, last.number)
                return add(.named("end-\(how)"), at: place)
            }
            add(.named(how), at: next)
        }
    }
}

extension FaultKind {
    fileprivate static func recorded(
        _ status: Int, _ replacement: Replacement, as prefix: String, isHandshake: Bool
    ) -> FaultKind {
        let family: Family = status < 500 ? .refused : .failed
        let id = "\(prefix)-\(status)"
        return isHandshake
            ? .handshake("recorded-\(id)", family, weight: 7, milder: [id, "shake-503"]) { _ in .replace(replacement) }
            : .request("recorded-\(id)", family, weight: 7, milder: [id, "status-503"]) { _ in .replace(replacement) }
    }

    fileprivate static func recordedAnswer(_ chunks: [String]) -> FaultKind {
        .answer("recorded-answer", weight: 2, ["chunks": .array(chunks.map { .string($0) })])
    }

    fileprivate static func recordedError(_ chunks: [String], _ error: String) -> FaultKind {
        let message = error.isEmpty ? "The coach is not available." : error
        let steps: [JSONValue] = chunks.map { ["chunk": .string($0)] } + [["error": .string(message)]]
        return .answer("recorded-error", weight: 6, ["steps": .array(steps)])
    }

    fileprivate static func recordedFailure(_ message: String) -> FaultKind {
        .meal("recorded-failure", weight: 5, ["fail": .string(message)])
    }
}
