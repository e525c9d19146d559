import FitIQAPI
import JSON
import Traffic

/// The admin API's waits, which end when an event happens in a world.
extension AdminCall {
    /// `POST /__admin/wait`: returns the first matching entry, even if it was recorded before the request, or 408 with
    /// the nearest entries.
    ///
    /// With `optional`, the answer has a null entry instead of status 408.
    func wait() throws(APIError) -> Answer {
        let body = try body(keys: ["for", "within", "since", "optional"])
        var query = try JournalQuery(waitingFor: body["for"], in: "for")
        query.since =
            try body.value("since", expected: "the number of an entry, or \"now\"") { value in
                value == "now" ? world.journal.lastNumber : value.int.flatMap { $0 < 0 ? nil : $0 }
            } ?? 0
        let isOptional = try body.flag("optional") ?? false
        let within = try body.duration("within") ?? AdminLimits.usualWait
        guard within <= AdminLimits.longestWait else { throw .waitTooLong }
        let waiting = engine.followers.count { engine[$0]?.waiter?.world === world }
        guard waiting < AdminLimits.waits else { throw .tooManyWaits }
        engine.followers.append(connection.id)
        return Answer(Waiter(query, in: world, of: engine, within: within, isOptional: isOptional, at: now))
    }
}

/// The answer to `POST /__admin/wait`: the first matching entry, or a refusal once the time is up.
final class Waiter: BodySource {
    private unowned let engine: Engine
    let world: World
    /// The world's life at the start of the wait.
    private let life: Int
    private var lookout: JournalLookout
    private let within: Int64
    /// Whether a wait that finds no match gets an answer instead of a refusal.
    private let isOptional: Bool
    /// When the wait ends, by the system's clock.
    private let end: Timestamp

    var wakesAt: Timestamp? { end }

    init(
        _ query: JournalQuery, in world: World, of engine: Engine, within: Int64, isOptional: Bool, at now: Timestamp
    ) {
        (self.engine, self.world, life, self.within) = (engine, world, world.life, within)
        self.isOptional = isOptional
        lookout = JournalLookout(query)
        end = now.advanced(byNanoseconds: within)
    }

    /// Whether the wait has entries to check or can end.
    var hasNews: Bool {
        lookout.checked < world.journal.lastNumber || world.isGone || world.life != life || engine.isShuttingDown
    }

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        try world.checkIsThere()
        guard world.life == life else { throw .resetWhileWaiting }
        while !slice.isFull {
            switch lookout.next(in: world.journal) {
            case .passed(let cost): slice.spend(cost)
            case .found(let entry):
                slice.bytes += JSONWriter.object { lookout.write(entry, to: &$0, in: world) }
                return .end
            case nil:
                if slice.now < end, !engine.isShuttingDown { return .waiting }
                guard isOptional else { throw lookout.refusal(after: within, in: world) }
                slice.bytes += JSONWriter.object { lookout.write(nil, to: &$0, in: world) }
                return .end
            }
        }
        return .more
    }
}

extension JournalLookout {
    /// The refusal for a wait that finds no match; it lists the nearest entries.
    func refusal(after within: Int64, in world: World) -> APIError {
        let details = JSONWriter.object { writeNearMisses(to: &$0, in: world) }
        return .nothingMatched(within: within, details: (try? JSON.parse(details))?.object ?? [:])
    }

    /// Writes the matching entry, or null and the nearest entries.
    func write(_ found: JournalEntry?, to writer: inout JSONWriter, in world: World) {
        guard let found else {
            writer.member("entry", orNull: nil)
            return writeNearMisses(to: &writer, in: world)
        }
        writer.member("entry", raw: world.journalEncoder.encode(found))
        writeNumbers(to: &writer, in: world)
    }

    private func writeNearMisses(to writer: inout JSONWriter, in world: World) {
        let encoder = world.journalEncoder
        writer.objects("near_misses", nearMisses) { writer, miss in
            writer.member("entry", raw: encoder.encode(miss.entry))
            writer.strings("differences", miss.differences)
        }
        writeNumbers(to: &writer, in: world)
    }

    private func writeNumbers(to writer: inout JSONWriter, in world: World) {
        writer.member("since", since)
        writer.member("last_number", world.journal.lastNumber)
    }
}

extension JournalQuery {
    /// Reads conditions from JSON: the parameters of a journal query as strings, numbers and Booleans.
    ///
    /// - Parameter key: The key of the conditions, for refusals.
    /// - Throws: A 400 for an unknown key, an invalid value, or if there are no conditions.
    init(waitingFor value: JSONValue?, in key: String) throws(APIError) {
        let keys =
            Self.parameters.filter { !["limit", "order", "since", "before"].contains($0) } + Self.memberKeys
        guard let object = value?.object, !object.isEmpty else { throw .waitForWhat(key, keys) }
        var items: [(name: String, value: String)] = []
        var conditions: [MemberCondition] = []
        for (name, value) in object where value != .null {
            guard keys.contains(name) else { throw .unknownAdminKey(name, allowed: keys) }
            if Self.memberKeys.contains(name) {
                conditions += try MemberCondition.reading(value, of: name, in: key)
                continue
            }
            switch value {
            case .string(let text): items.append((name, text))
            case .number(let number): items.append((name, number.text))
            case .bool(let flag): items.append((name, "\(flag)"))
            default: throw .wrongType("\(key).\(name)", expected: "a string, a number, true or false", got: value)
            }
        }
        try self.init(query: items)
        members = conditions
    }

    /// Keys for conditions on JSON: `json` for responses and frames, and `request_json` for request bodies.
    private static let memberKeys = ["json", "request_json"]
}

extension MemberCondition {
    /// Reads an object of conditions: each key is a member's path, and each value is the value required there.
    ///
    /// - Throws: A 400 unless the value is an object of single values with valid paths.
    fileprivate static func reading(
        _ value: JSONValue, of name: String, in key: String
    ) throws(APIError) -> [MemberCondition] {
        guard let object = value.object, !object.isEmpty else {
            let expected = "members by their paths, {\"data.status\": \"completed\"}"
            throw .wrongType("\(key).\(name)", expected: expected, got: value)
        }
        var conditions: [MemberCondition] = []
        for (path, wanted) in object {
            guard let condition = MemberCondition(path, equals: wanted, isOfRequest: name == "request_json") else {
                throw .badMember("\(key).\(name)", path)
            }
            conditions.append(condition)
        }
        return conditions
    }
}
