import Faults
import FitIQAPI
import JSON
import Judging
import Scenarios
import Traffic

/// The fault points of a run, learnt from its journal.
public struct Points: Sendable {
    /// The points in order of time, at most ``ExploreLimits/points``.
    public private(set) var all: [FaultPoint] = []
    /// How many were left out because there are too many.
    public private(set) var omittedCount = 0
    /// The longest time from a request that an explorer's fault let hang to the client's next one of the same kind.
    public private(set) var patience: Duration?
    /// How long the world existed at the last entry.
    public let length: Duration
    private var places: Set<FaultPoint.Place> = []

    /// A socket has an idle gap if the server sends nothing for so long.
    static let gap = Duration.seconds(5)
    /// The questions of a consultation to which the coach may answer otherwise.
    static let turns = 3

    /// Learns the points of a run.
    ///
    /// - Parameters:
    ///   - outcome: A run; its world began without connections.
    ///   - reading: What a judge says of the run.
    ///   - story: The index of the story.
    public init(_ outcome: TrialOutcome, _ reading: TrialReading, story: Int) {
        let startedAt = outcome.startedAt
        var reader = PointReader(startedAt: startedAt)
        for (index, entry) in outcome.entries.prefix(ExploreLimits.entries).enumerated() {
            reader.read(entry, from: reading.situations[index], to: reading.situations[index + 1])
        }
        reader.end()
        patience = reader.patience
        length = .nanoseconds(
            max(0, (outcome.entries.last?.time ?? startedAt).nanosecondsSinceEpoch - startedAt.nanosecondsSinceEpoch))
        for (place, draft) in reader.places() where !isBeyondEnd(place) && places.insert(place).inserted {
            guard all.count < ExploreLimits.points else {
                omittedCount += 1
                continue
            }
            all.append(FaultPoint(place, in: draft.situation, part: draft.part, story: story))
        }
    }

    /// Whether the run came to a place.
    public func reaches(_ place: FaultPoint.Place) -> Bool {
        if case .moment = place { return !isBeyondEnd(place) }
        return places.contains(place)
    }

    /// Whether it is a moment at which the run was over: moments are rounded up.
    private func isBeyondEnd(_ place: FaultPoint.Place) -> Bool {
        if case .moment(let time) = place { time > length } else { false }
    }

    /// The points whose places another run did not have.
    public func new(since other: Points) -> [FaultPoint] { all.filter { !other.places.contains($0.place) } }
}

/// Reads a journal entry by entry, and counts what fault rules count.
private struct PointReader {
    private(set) var patience: Duration?
    private let startedAt: Timestamp
    private var drafts: [Draft] = []
    private var arrivals: [Arrival] = []
    private var sockets: [UInt64: Socket] = [:]
    /// Questions by consultation.
    private var turns: [ExactString: Int] = [:]
    private var situations = Coverage()
    /// When a request was made that hangs.
    private var hung: [Endpoint: Timestamp] = [:]

    init(startedAt: Timestamp) { self.startedAt = startedAt }

    /// A point whose place is known only when all requests are.
    struct Draft {
        var situation: Situation
        var part = FaultPoint.Part.only
        var subject: Subject

        enum Subject {
            /// The index of a request or a handshake.
            case arrival(Int)
            case frame(UInt64, type: String, Int)
            case chunk(UInt64, answer: Int, Int)
            case after(UInt64, type: String, Int)
            case place(FaultPoint.Place)
        }
    }

    /// A request or a handshake; the journal has it when it is answered.
    struct Arrival {
        var endpoint: Endpoint
        var time: Timestamp
        var entry: Int
        /// The socket that it opened.
        var connection: UInt64?
    }

    /// An open socket with what is counted on it.
    private struct Socket {
        var consultation: ExactString
        var counts = MessageCounts()
        var types: [String: Int] = [:]  // A few names that the server chooses.
        /// The server's last frame.
        var last: (type: String, number: Int, time: Timestamp, situation: Situation)?
        /// Where the last chunk of the current answer is among the drafts.
        var lastChunk: Int?
    }

    /// - Parameters:
    ///   - situation: Where the client stood before the entry.
    ///   - then: Where it stands behind it.
    mutating func read(_ entry: JournalEntry, from situation: Situation, to then: Situation) {
        switch entry.event {
        case .exchange(let exchange): read(exchange, entry, situation)
        case .opened(let opening):
            sockets[entry.connection] = Socket(consultation: ExactString(opening.head.target.path))
            arrive(opening, entry, situation, connection: entry.connection)
        case .frame(let frame): read(frame, entry, from: situation, to: then)
        case .closed: endGap(of: entry.connection, at: nil)
        case .fault, .clock, .note, .held, .released: break
        }
        noteMoment(entry.time, then)
    }

    /// Reads the end of the journal: sockets that are open are idle.
    mutating func end() {
        for connection in sockets.keys.sorted() { endGap(of: connection, at: nil) }
    }

    /// The places of the drafts in order, now that each request and each connection has its number.
    func places() -> [(FaultPoint.Place, Draft)] {
        var numbers: [Endpoint: Int] = [:]
        var arrived: [Int: FaultPoint.Place] = [:]
        var connections: [UInt64: (Endpoint, Int)] = [:]
        let order = arrivals.indices.sorted { one, other in
            (arrivals[one].time, arrivals[one].entry) < (arrivals[other].time, arrivals[other].entry)
        }
        for index in order {
            let arrival = arrivals[index]
            let number = numbers[arrival.endpoint, default: 0] + 1
            numbers[arrival.endpoint] = number
            let isHandshake = arrival.endpoint.isSocket
            arrived[index] = isHandshake ? .handshake(arrival.endpoint, number) : .request(arrival.endpoint, number)
            if let connection = arrival.connection { connections[connection] = (arrival.endpoint, number) }
        }
        return drafts.compactMap { draft in
            let place: FaultPoint.Place?
            switch draft.subject {
            case .arrival(let index): place = arrived[index]
            case .place(let known): place = known
            case .frame(let connection, let type, let number):
                place = connections[connection].map { .frame($0, connection: $1, type: type, number) }
            case .chunk(let connection, let answer, let number):
                place = connections[connection].map { .chunk($0, connection: $1, answer: answer, number) }
            case .after(let connection, let type, let number):
                place = connections[connection].map { .after($0, connection: $1, type: type, number) }
            }
            return place.map { ($0, draft) }
        }
    }
}

extension PointReader {
    private mutating func read(_ exchange: RecordedExchange, _ entry: JournalEntry, _ situation: Situation) {
        guard exchange.unmatched == nil, let endpoint = exchange.endpoint else { return }
        // Rules count what wants to become a socket.
        guard !endpoint.isSocket || exchange.head.wantsUpgrade else { return }
        arrive(exchange, entry, situation)
        // The journal has what hangs at once, and not when the client gives it up.
        if exchange.delivery == .none, exchange.faults.contains(where: { $0.hasPrefix("hang-") }) {
            hung[endpoint] = exchange.requestedAt
        } else if let time = hung.removeValue(forKey: endpoint), time < exchange.requestedAt {
            let wait = exchange.requestedAt.nanosecondsSinceEpoch - time.nanosecondsSinceEpoch
            patience = max(patience ?? .zero, .nanoseconds(wait))
        }
        if endpoint == .createMealLog, (200..<300).contains(exchange.status ?? 0),
            let text = (try? JSON.parse(exchange.body.bytes))?["raw_input"]?.string, Self.isPlain(text)
        {
            drafts.append(Draft(situation: situation, subject: .place(.meal(text: text))))
        }
    }

    private mutating func arrive(
        _ exchange: RecordedExchange, _ entry: JournalEntry, _ situation: Situation, connection: UInt64? = nil
    ) {
        guard let endpoint = exchange.endpoint else { return }
        drafts.append(Draft(situation: situation, subject: .arrival(arrivals.count)))
        arrivals.append(
            Arrival(endpoint: endpoint, time: exchange.requestedAt, entry: entry.number, connection: connection))
    }

    private mutating func read(
        _ frame: RecordedFrame, _ entry: JournalEntry, from situation: Situation, to then: Situation
    ) {
        let connection = entry.connection
        guard frame.opcode == .text, let type = SocketFaults.type(ofMessage: frame.payload.bytes),
            let consultation = sockets[connection]?.consultation
        else { return }
        guard frame.sender == .server else {
            if type == "message" || type == "user_message" { ask(in: consultation, situation) }
            return
        }
        guard SocketPoint.types.contains(type) else { return }
        endGap(of: connection, at: entry.time)
        let number = count(type, frame, on: connection, situation)
        sockets[connection]?.last = (type, number, entry.time, then)
        if type == "stream_complete" || type == "assistant_message_end" { noteGap(on: connection) }
    }

    /// Counts a frame of the server as rules do, drafts its point, and returns its number among those of its type.
    private mutating func count(
        _ type: String, _ frame: RecordedFrame, on connection: UInt64, _ situation: Situation
    ) -> Int {
        guard var socket = sockets.removeValue(forKey: connection) else { return 0 }
        socket.counts.count(frame.payload.bytes)
        let number = socket.types[type, default: 0] + 1
        socket.types[type] = number
        if type == "stream_chunk" || type == "assistant_message_chunk" {
            let chunk = socket.counts.chunk
            var part = FaultPoint.Part.only
            if chunk > 1, let before = socket.lastChunk {
                drafts[before].part = chunk == 2 ? .first : .middle
                part = .last
            }
            socket.lastChunk = drafts.count
            drafts.append(
                Draft(
                    situation: situation, part: part,
                    subject: .chunk(connection, answer: socket.counts.answer, chunk)))
        } else {
            drafts.append(Draft(situation: situation, subject: .frame(connection, type: type, number)))
        }
        sockets[connection] = socket
        return number
    }

    private mutating func ask(in consultation: ExactString, _ situation: Situation) {
        let turn = turns[consultation, default: 0] + 1
        turns[consultation] = turn
        guard turn <= Points.turns else { return }
        drafts.append(Draft(situation: situation, subject: .place(.question(turn: turn))))
    }

    /// Notes the gap behind the last frame of a socket if it was long, or if nothing follows (no time).
    private mutating func endGap(of connection: UInt64, at time: Timestamp?) {
        guard let last = sockets[connection]?.last else { return }
        if let time, last.time.advanced(by: Points.gap) > time { return }
        noteGap(on: connection)
    }

    private mutating func noteGap(on connection: UInt64) {
        guard let last = sockets[connection]?.last else { return }
        drafts.append(
            Draft(situation: last.situation, subject: .after(connection, type: last.type, last.number)))
    }

    /// Notes when a situation was met first, for what depends only on time.
    private mutating func noteMoment(_ time: Timestamp, _ situation: Situation) {
        guard !situations.contains(situation) else { return }
        situations.insert(situation)
        let elapsed = time.nanosecondsSinceEpoch - startedAt.nanosecondsSinceEpoch
        let seconds = max(1, (elapsed + 999_999_999) / 1_000_000_000)
        drafts.append(Draft(situation: situation, subject: .place(.moment(.seconds(seconds)))))
    }

    /// Whether a rule for meals can have the text as it is: patterns begin with a slash.
    private static func isPlain(_ text: String) -> Bool {
        (1...200).contains(text.unicodeScalars.count) && !text.hasPrefix("/")
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            && text.contains { !$0.isWhitespace }
    }
}
