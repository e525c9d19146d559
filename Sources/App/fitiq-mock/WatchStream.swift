import FitIQAPI
import HTTPTypes
import JSON
import Traffic

/// Reads a world's events over one or more connections: takes bytes and returns what has happened.
struct WatchStream {
    enum News {
        case entry(JournalEntry)
        case breach(TrafficLines.Breach)
        /// This many entries were dropped before the server could send them.
        case missed(Int)
        /// The world was reset or rewound.
        case began
        /// The world or server restarted while there was no connection; the next connection delivers everything.
        case restarted
    }

    private var events = EventStreamReader()
    private var journal = JournalReader()
    /// The number of the last entry; nil before the first entry, when the stream starts with new events.
    private(set) var lastNumber: Int?
    /// The server's name for its current run.
    private var instance: String?
    private var breaches = BreachCounts()
    /// The number of the last entry before the first shown entry.
    private var start = 0
    /// Whether the server has yet to describe its world on this connection.
    private var isNew = true
    /// Whether the next connection must read from the start instead of continuing.
    private(set) var isSuperseded = false

    /// Starts a connection and returns the fields of its request.
    mutating func connect() -> HTTPFields {
        (events, journal) = (EventStreamReader(), JournalReader())
        (isNew, isSuperseded) = (true, false)
        var fields: HTTPFields = [.accept: "text/event-stream"]
        if let name = HTTPField.Name("Last-Event-ID") { fields[name] = lastNumber.map(String.init) }
        return fields
    }

    mutating func receive(_ bytes: [UInt8]) throws(EventStreamReader.TooLong) -> [News] {
        var news: [News] = []
        for event in try events.receive(bytes) where !isSuperseded {
            let facts = try? JSON.parse(event.data)
            switch event.event {
            case "world": if let facts, let change = begin(facts) { news.append(change) }
            case "verdicts": news += broken(facts).map(News.breach)
            case "missed": if let count = facts?["missed"]?.int { news.append(.missed(count)) }
            default:
                if let id = event.id { lastNumber = id }
                journal.receive(event.data + [UInt8(ascii: "\n")])
                // Skip what newer servers have added, and lines that are not entries.
                if let line = try? journal.next() { news.append(.entry(line.entry)) }
            }
        }
        return news
    }

    /// Handles a server's description of its world, which is sent first and after each restart.
    private mutating func begin(_ facts: JSONValue) -> News? {
        let (other, last) = (facts["instance"]?.string, facts["last_number"]?.int ?? 0)
        defer { (instance, isNew) = (other, false) }
        if isNew, instance != nil && other != instance || last < lastNumber ?? 0 {
            (breaches, start, lastNumber, isSuperseded) = (BreachCounts(), 0, 0, true)
            return .restarted
        }
        if !isNew {
            (breaches, start, lastNumber) = (BreachCounts(), last, last)
            return .began
        }
        if lastNumber == nil { (start, lastNumber) = (last, last) }
        return nil
    }

    /// The breaches in a `verdicts` event that have not been reported yet.
    ///
    /// A row contains either the first findings or only the newest one. Breaches from before the first shown entry are
    /// not reported.
    private mutating func broken(_ facts: JSONValue?) -> [TrafficLines.Breach] {
        var broken: [TrafficLines.Breach] = []
        for row in facts?["verdicts"]?.array ?? [] {
            guard let id = row["id"]?.string, let count = row["finding_count"]?.int else { continue }
            let told = breaches.rise(of: id, to: count)
            let newest = told < count ? row["finding"].map { [$0] } ?? [] : []
            for finding in row["findings"]?.array.map({ Array($0.dropFirst(told)) }) ?? newest {
                let entries = finding["entries"]?.array?.compactMap(\.int) ?? []
                guard entries.max() ?? .max > start else { continue }
                broken.append(
                    TrafficLines.Breach(
                        obligation: id, level: finding["level"]?.string ?? "must",
                        message: finding["message"]?.string ?? "", entries: entries))
            }
        }
        return broken
    }
}

/// How many breaches of each obligation have been shown.
struct BreachCounts {
    private var counts: [ExactString: Int] = [:]

    /// Records the number of breaches; returns how many were already shown, or zero if the number has fallen.
    mutating func rise(of obligation: String, to count: Int) -> Int {
        let key = ExactString(obligation)
        defer { counts[key] = count > 0 ? count : nil }
        let before = counts[key] ?? 0
        return before <= count ? before : 0
    }
}
