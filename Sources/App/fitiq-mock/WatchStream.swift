import FitIQAPI
import HTTPTypes
import JSON
import Traffic

/// The events of a world as a client reads them: bytes in, news out, over as many connections as it takes.
struct WatchStream {
    enum News {
        case entry(JournalEntry)
        case breach(TrafficLines.Breach)
        /// This many entries were lost before they could be sent.
        case missed(Int)
        /// The world was reset or rewound.
        case began
        /// The world or its server restarted without a connection; the next connection delivers everything.
        case restarted
    }

    private var events = EventStreamReader()
    private var journal = JournalReader()
    /// The number of the last entry; nil before the first, and then the stream begins with what happens.
    private(set) var lastNumber: Int?
    /// The server's name for its present life.
    private var instance: String?
    private var breaches = BreachCounts()
    /// The last entry before those that are shown.
    private var start = 0
    /// Whether the connection has brought no facts of its world yet.
    private var isNew = true
    /// Whether the next connection reads from the beginning what this one would only continue.
    private(set) var isSuperseded = false

    /// Begins a connection; returns the fields of its request.
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
                // Skips a newer server's additions, and lines that are not entries.
                if let line = try? journal.next() { news.append(.entry(line.entry)) }
            }
        }
        return news
    }

    /// Records a server's description of its world, at first and after each restart.
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

    /// The breaches that a `verdicts` event adds to the reported ones.
    ///
    /// A row has the first findings, or only the newest. Earlier breaches than the first entry are not reported.
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

/// How many breaches of each obligation were shown.
struct BreachCounts {
    private var counts: [ExactString: Int] = [:]

    /// Notes how many there are, and returns how many were shown before; fewer than then is a new beginning.
    mutating func rise(of obligation: String, to count: Int) -> Int {
        let key = ExactString(obligation)
        defer { counts[key] = count > 0 ? count : nil }
        let before = counts[key] ?? 0
        return before <= count ? before : 0
    }
}
