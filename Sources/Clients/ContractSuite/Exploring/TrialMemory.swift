import FitIQAPI
import JSON
import Judging

/// What a run taught: small enough to keep for every run.
public struct Lesson: Sendable, Equatable {
    /// A symptom without its words.
    public struct Sighting: Sendable, Equatable {
        public var id: String
        public var situation: Situation
    }

    public var sightings: [Sighting] = []
    /// The indices of the faults that acted.
    public var acted: Set<Int> = []
    /// The points that the story does not have without faults, at most ``ExploreLimits/newPoints``.
    public var points: [FaultPoint] = []
    public var patience: Duration?
    /// Every situation of the client.
    public var coverage = Coverage()

    public init() {}

    /// The longest patience that is read, in nanoseconds: 7 d.
    private static let longestPatience = 7 * 86_400 * 1_000_000_000
}

/// Remembers what runs taught, so that an exploration that is begun again does not repeat them.
///
/// An exploration asks before each run and tells after it, by keys that depend only on its seed: with the same settings
/// it goes on where it ended.
public protocol TrialMemory: Sendable {
    /// What the run with this key taught; nil if it was never made.
    func lesson(of key: String) -> Lesson?
    func keep(_ lesson: Lesson, of key: String) throws
}

extension Lesson {
    /// The lesson with its key as one line of JSON, without the line's end.
    public func line(of key: String) -> [UInt8] {
        var line: JSONObject = ["schedule": .string(key)]
        line["symptoms"] = .array(
            sightings.map { [.string($0.id), .number(JSONNumber($0.situation.index))] })
        line["acted"] = .array(acted.sorted().map { .number(JSONNumber($0)) })
        line["points"] = .array(points.map(\.json))
        if let patience { line["patience"] = .number(JSONNumber(Int(patience.nanoseconds))) }
        line["situations"] = .array(coverage.situations.map { .number(JSONNumber($0.index)) })
        return JSONValue.object(line).encoded()
    }

    /// Reads a line that ``line(of:)`` wrote; nil for anything else.
    public static func read(_ line: [UInt8]) -> (key: String, lesson: Lesson)? {
        guard let value = try? JSON.parse(line), let key = value["schedule"]?.string,
            let sightings = value["symptoms"]?.elements(Sighting.read), let acted = value["acted"]?.elements(\.int),
            let points = value["points"]?.elements(FaultPoint.read),
            let situations = value["situations"]?.elements(Situation.read),
            acted.allSatisfy((0..<ExploreLimits.faults).contains)
        else { return nil }
        var lesson = Lesson()
        (lesson.sightings, lesson.acted, lesson.points) = (sightings, Set(acted), points)
        for situation in situations { lesson.coverage.insert(situation) }
        if let patience = value["patience"] {
            guard let nanoseconds = patience.int, (0...longestPatience).contains(nanoseconds) else { return nil }
            lesson.patience = .nanoseconds(nanoseconds)
        }
        return (key, lesson)
    }
}

extension JSONValue {
    /// The elements as values of another type; nil unless each is one.
    fileprivate func elements<Value>(_ read: (JSONValue) -> Value?) -> [Value]? {
        let values = array?.compactMap(read)
        return values?.count == array?.count ? values : nil
    }
}

extension Lesson.Sighting {
    fileprivate static func read(_ value: JSONValue) -> Self? {
        guard let id = value[0]?.string, let situation = value[1].flatMap(Situation.read) else { return nil }
        return Self(id: id, situation: situation)
    }
}

extension Situation {
    fileprivate static func read(_ value: JSONValue) -> Situation? {
        guard let index = value.int, (0..<count).contains(index) else { return nil }
        return Situation(index: index)
    }
}

extension FaultPoint {
    /// Its situation, part and place: `[12,0,"POST /api/v1/goals 1"]`.
    fileprivate var json: JSONValue {
        [.number(JSONNumber(situation.index)), .number(JSONNumber(Int(part.rawValue))), .string("\(place)")]
    }

    fileprivate static func read(_ value: JSONValue) -> FaultPoint? {
        guard let values = value.array, values.count == 3, let situation = Situation.read(values[0]),
            let part = values[1].int.flatMap(UInt8.init(exactly:)).flatMap(Part.init),
            let place = values[2].string.flatMap(Place.init)
        else { return nil }
        return FaultPoint(place, in: situation, part: part)
    }
}
