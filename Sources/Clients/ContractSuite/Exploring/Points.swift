import FitIQAPI
import JSON
import Judging
import Traffic

/// The points in a run at which faults can take effect, extracted from the run's journal.
public struct Points: Sendable {
    /// The points in chronological order, at most ``ExploreLimits/points``.
    public private(set) var all: [FaultPoint] = []
    /// The longest time from a hanging request to the client's next request of the same kind.
    public private(set) var patience: Duration?
    /// The world's age at the last entry.
    public let length: Duration
    private var places: Set<FaultPoint.Place> = []

    /// How long the server must be silent before a socket has an idle gap.
    static let gap = Duration.seconds(5)
    /// The number of questions per consultation for which a fault can change the answer.
    static let turns = 3

    /// - Parameter outcome: A run in a world that started without connections.
    public init(_ outcome: TrialOutcome, _ reading: TrialReading) {
        let start = outcome.startedAt.nanosecondsSinceEpoch
        length = .nanoseconds(max(0, (outcome.entries.last?.time.nanosecondsSinceEpoch ?? start) - start))
        let entries = outcome.entries.prefix(ExploreLimits.entries)
        var counts = RuleCounts(entries)
        var gaps: [UInt64: Gap] = [:]
        // The index of the last chunk of each socket's current answer.
        var chunks: [UInt64: Int] = [:]
        // When each hanging request was made.
        var hung: [Endpoint: Timestamp] = [:]
        var met = Coverage()
        for (index, entry) in entries.enumerated() {
            let (situation, then) = (reading.situations[index], reading.situations[index + 1])
            switch (entry.event, counts.place(of: entry)) {
            case (.exchange(let exchange), let place?):
                add(place, in: situation)
                notePatience(exchange, &hung)
                if let meal = exchange.loggedMeal { add(.meal(text: meal), in: situation) }
            case (.opened, let place?): add(place, in: situation)
            case (.frame(let frame), let place?) where frame.sender == .client:
                if place.number <= Self.turns { add(place, in: situation) }
            case (.frame, let place?):
                if let gap = gaps[entry.connection], gap.time.advanced(by: Self.gap) <= entry.time {
                    add(gap.place, in: gap.situation)
                }
                let added = add(place, in: situation)
                if place.sort == .chunk {
                    if place.number > 1, let before = chunks[entry.connection], let added {
                        all[before].part = place.number == 2 ? .first : .middle
                        all[added].part = .last
                    }
                    chunks[entry.connection] = added
                }
                guard let last = counts.sockets[entry.connection]?.last else { break }
                gaps[entry.connection] = Gap(place: last, time: entry.time, situation: then)
                if ["stream_complete", "assistant_message_end"].contains(last.text) { add(last, in: then) }
            case (.closed, _): if let gap = gaps[entry.connection] { add(gap.place, in: gap.situation) }
            default: break
            }
            guard !met.contains(then) else { continue }
            met.insert(then)
            // These points depend only on time.
            let seconds = max(1, (entry.time.nanosecondsSinceEpoch - start + 999_999_999) / 1_000_000_000)
            add(.moment(seconds: Int(seconds)), in: then)
        }
        // Sockets that are still open are idle.
        for (_, gap) in gaps.sorted(by: { $0.key < $1.key }) { add(gap.place, in: gap.situation) }
    }

    /// The time after the server's last frame on a socket.
    private struct Gap {
        let place: FaultPoint.Place
        let time: Timestamp
        let situation: Situation
    }

    /// Adds a point if its place is new; returns its index if there is room.
    @discardableResult
    private mutating func add(_ place: FaultPoint.Place, in situation: Situation) -> Int? {
        guard !isBeyondEnd(place), places.insert(place).inserted, all.count < ExploreLimits.points else { return nil }
        all.append(FaultPoint(place, in: situation))
        return all.count - 1
    }

    private mutating func notePatience(_ exchange: RecordedExchange, _ hung: inout [Endpoint: Timestamp]) {
        guard let endpoint = exchange.endpoint else { return }
        // The journal records a hanging request immediately, not when the client gives up.
        if exchange.delivery == .none, exchange.faults.contains(where: { $0.hasPrefix("hang-") }) {
            hung[endpoint] = exchange.requestedAt
        } else if let time = hung.removeValue(forKey: endpoint), time < exchange.requestedAt {
            let wait = exchange.requestedAt.nanosecondsSinceEpoch - time.nanosecondsSinceEpoch
            patience = max(patience ?? .zero, .nanoseconds(wait))
        }
    }

    public func reaches(_ place: FaultPoint.Place) -> Bool {
        place.sort == .moment ? !isBeyondEnd(place) : places.contains(place)
    }

    /// Whether the place is a moment after the run's end; this can happen because moments are rounded up.
    private func isBeyondEnd(_ place: FaultPoint.Place) -> Bool {
        place.sort == .moment && .seconds(place.number) > length
    }

    /// The points that the other run does not have.
    public func new(since other: Points) -> [FaultPoint] { all.filter { !other.places.contains($0.place) } }
}

extension RecordedExchange {
    /// The text of a logged meal, if a rule can contain it; a slash at the start would turn the text into a pattern.
    fileprivate var loggedMeal: String? {
        guard endpoint == .createMealLog, (200..<300).contains(status ?? 0),
            let text = (try? JSON.parse(body.bytes))?["raw_input"]?.string,
            (1...200).contains(text.unicodeScalars.count), !text.hasPrefix("/"),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            text.contains(where: { !$0.isWhitespace })
        else { return nil }
        return text
    }
}
