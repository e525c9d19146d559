import Faults
import FitIQAPI
import JSON
import Traffic

/// Translates a recorded session's failures into a schedule's faults, with the coach's answers.
///
/// The faults cover what the fake does not do without faults: errors, lost, truncated or late responses, refused
/// handshakes, sockets that the client did not end, the coach's texts, and failed meals. IDs from the recording have no
/// meaning in another world.
public struct RecordedSchedule: Sendable {
    /// All faults in the order of the session, including the coach's answers.
    public private(set) var schedule = Schedule(story: 0)
    /// The number of the session's faults that were omitted.
    public private(set) var omittedCount = 0

    /// The minimum delay of a response that counts as late, in nanoseconds.
    private static let lateness: Int64 = 1_000_000_000
    /// The maximum number of characters in a rule's question, error or failure.
    private static let words = 200

    private var counts: RuleCounts
    /// Whether several consultations have questions, so that a turn does not identify a question.
    private let isDivided: Bool
    /// The questions being answered, by socket.
    private var questions: [UInt64: Question] = [:]
    /// The texts of meals without a result, by ID.
    private var meals: [ExactString: String] = [:]

    private struct Question {
        let place: FaultPoint.Place
        /// The type of the server's first frame, which acknowledges the question.
        let receipt: String
        var isReceived = false
        var chunks: [String] = []
    }

    /// Translates the entries of one world.
    public init(_ entries: [JournalEntry]) {
        counts = RuleCounts(entries)
        var all = counts
        for entry in entries { _ = all.place(of: entry) }
        isDivided = all.turns.count > 1
        for entry in entries {
            switch (entry.event, counts.place(of: entry)) {
            case (.exchange(let exchange), let place?): read(exchange, entry, at: place)
            case (.opened(let opening), let place?): noteLateness("shake-late", of: opening, entry, at: place)
            case (.frame(let frame), let place?): read(frame, of: entry.connection, at: place)
            case (.closed(let closing), _): close(closing, of: entry.connection)
            default: break
            }
        }
        for connection in questions.keys.sorted() { endAnswer(of: connection, isCut: true) }
    }

    private mutating func add(_ kind: FaultKind?, at place: FaultPoint.Place, wait: Int64 = 0) {
        guard let kind, kind.fits(place) else { return }
        var fault = Schedule.Fault(kind, at: place)
        if wait > 0 { fault.wait = .nanoseconds(min(wait, FaultLimits.longestWait)) }
        // A recording may contain texts that are not allowed in rules.
        guard (try? Schedule(story: 0, faults: [fault]).read()) != nil else { return }
        guard schedule.faults.count < ExploreLimits.recordedFaults else {
            omittedCount += 1
            return
        }
        schedule.faults.append(fault)
    }

    // MARK: Requests and handshakes

    private mutating func read(_ exchange: RecordedExchange, _ entry: JournalEntry, at place: FaultPoint.Place) {
        guard let status = exchange.status, exchange.delivery != .none else {
            return add(.named(place.sort == .handshake ? "shake-reset" : "lost-answer"), at: place)
        }
        if exchange.delivery == .partial { return add(.named("truncated"), at: place) }
        if status >= 400 { return add(.recorded(status, exchange, at: place.sort), at: place) }
        noteMeal(exchange)
        noteLateness("slow", of: exchange, entry, at: place)
    }

    private mutating func noteLateness(
        _ kind: String, of exchange: RecordedExchange, _ entry: JournalEntry, at place: FaultPoint.Place
    ) {
        let late = entry.time.nanosecondsSinceEpoch - exchange.requestedAt.nanosecondsSinceEpoch
        if late >= Self.lateness { add(.named(kind), at: place, wait: late) }
    }

    // MARK: Meals

    private mutating func noteMeal(_ exchange: RecordedExchange) {
        guard exchange.endpoint == .createMealLog || exchange.endpoint == .showMealLog,
            let answer = try? JSON.parse(exchange.responseBody.bytes)
        else { return }
        let log = answer["data"] ?? answer
        if exchange.endpoint == .createMealLog, let id = log["id"]?.exactString,
            let text = (try? JSON.parse(exchange.body.bytes))?["raw_input"]?.string
        {
            meals[id] = text
        }
        if log["status"]?.string == "failed" { noteFailure(log) }
    }

    private mutating func noteFailure(_ log: JSONValue) {
        guard let id = (log["id"] ?? log["meal_log_id"])?.exactString, let text = meals.removeValue(forKey: id)
        else { return }
        let message = log["error_message"]?.string ?? log["error"]?.string ?? "The meal could not be processed."
        add(
            FaultKind("recorded-failure", .behaviour, .meal, weight: 5, ["fail": .string(Self.excerpt(message))]),
            at: .meal(text: text))
    }

    private static func excerpt(_ text: String) -> String { String(text.prefix(words)) }

    // MARK: Frames

    private mutating func read(_ frame: RecordedFrame, of connection: UInt64, at place: FaultPoint.Place) {
        guard let value = try? JSON.parse(frame.payload.bytes), let type = value["type"]?.string else { return }
        let content = value["content"]?.string ?? ""
        guard frame.sender == .server else {
            // A slash at the start would turn the text into a pattern.
            let words = isDivided ? Self.excerpt(String(content.drop { $0 == "/" })) : ""
            questions[connection] = Question(
                place: .question(turn: place.number, asking: words),
                receipt: type == "message" ? "message_received" : type)
            return
        }
        questions[connection]?.isReceived = true
        switch type {
        case _ where place.sort == .chunk: questions[connection]?.chunks.append(content)
        case "stream_complete", "assistant_message_end": endAnswer(of: connection)
        case "error": endAnswer(of: connection, error: value["error"]?.string ?? value["message"]?.string ?? "")
        case "meal_log.failed": if let log = value["data"] { noteFailure(log) }
        default: break
        }
    }

    /// Records the coach's answer; a truncated answer gets one more chunk, at which a fault truncates it.
    private mutating func endAnswer(of connection: UInt64, error: String? = nil, isCut: Bool = false) {
        guard let question = questions.removeValue(forKey: connection) else { return }
        let chunks = (question.chunks + (isCut ? ["…"] : [])).filter { !$0.isEmpty }
        if let error {
            let message = error.isEmpty ? "The coach is not available." : Self.excerpt(error)
            let steps: [JSONValue] = chunks.map { ["chunk": .string($0)] } + [["error": .string(message)]]
            add(
                FaultKind("recorded-error", .behaviour, .question, weight: 6, ["steps": .array(steps)]),
                at: question.place)
        } else if !chunks.isEmpty {
            add(
                FaultKind("recorded-answer", .behaviour, .question, weight: 2, FaultKind.chunks(chunks)),
                at: question.place)
        }
    }

    private mutating func close(_ closing: RecordedClosing, of connection: UInt64) {
        let question = questions[connection]
        endAnswer(of: connection, isCut: true)
        guard closing.party == .server, let socket = counts.sockets[connection] else { return }
        // The socket ended before the server's first frame.
        guard let last = socket.last else { return add(.named("shake-reset"), at: socket.handshake) }
        // The place of the server's next frame.
        let next = question.flatMap { question -> FaultPoint.Place? in
            guard question.isReceived else { return socket.next(question.receipt) }
            return question.chunks.isEmpty ? nil : socket.next("stream_chunk")
        }
        switch closing.cause {
        case .closeFrame:
            let code = closing.summary.sent?.code.map { "\($0.rawValue)" } ?? "none"
            let frame = FaultPoint.Place.frame(
                socket.endpoint, connection: last.connection, type: last.text, last.number)
            add(.named("close-\(code)") ?? .named("close-4000"), at: next ?? frame)
        default:
            let how = closing.cause == .reset ? "reset" : "finish"
            if let next { add(.named(how), at: next) } else { add(.named("end-\(how)"), at: last) }
        }
    }
}

extension FaultKind {
    /// The kind of fault for a recorded refusal or failure.
    fileprivate static func recorded(
        _ status: Int, _ exchange: RecordedExchange, at sort: FaultPoint.Place.Sort
    ) -> FaultKind {
        let fields = exchange.responseFields.nameValuePairs
        func value(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        var members: JSONObject = ["status": .number(JSONNumber(min(status, FaultLimits.statuses.upperBound)))]
        let body = exchange.responseBody
        if !body.isCut, (1...ExploreLimits.recordedBody).contains(body.byteCount),
            let text = String(validating: body.bytes, as: UTF8.self)
        {
            members["body"] = .string(text)
            if JSONValue.container(body.bytes) == nil {
                members["content_type"] = value("content-type").map(JSONValue.string)
            }
        }
        if let seconds = value("retry-after").flatMap({ Int($0) }), (0...3600).contains(seconds) {
            members["retry_after"] = .number(JSONNumber(seconds))
        }
        let id = "\(sort == .handshake ? "shake" : "status")-\(status)"
        return FaultKind(
            "recorded-\(id)", status < 500 ? .refused : .failed, sort, weight: 7,
            milder: [id, sort == .handshake ? "shake-503" : "status-503"], members)
    }
}
