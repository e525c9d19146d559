import JSON
import Testing

@testable import FitIQAPI

@Suite("A sleep session") struct SleepSessionTests {
    /// From 22:00 to 06:00, eight hours, with these stages: `core 22:30-02:30`.
    private static func json(_ stages: [String], end: String = "2025-01-29T06:00:00Z") -> String {
        func time(_ text: Substring) -> String { "2025-01-\(text < "12" ? 29 : 28)T\(text):00Z" }
        let objects = stages.map { stage in
            let parts = stage.split { " -".contains($0) }
            return #"{"stage":"\#(parts[0])","start_time":"\#(time(parts[1]))","end_time":"\#(time(parts[2]))"}"#
        }
        let list = stages.isEmpty ? "" : #","stages":[\#(objects.joined(separator: ","))]"#
        return #"{"start_time":"2025-01-28T22:00:00Z","end_time":"\#(end)"\#(list)}"#
    }

    /// The minutes spent in bed, asleep, awake, and in REM, core and deep sleep.
    struct Night: Sendable {
        let stages: [String]
        let minutes: [Int]
        let efficiency: JSONValue
    }

    static let nights = [
        Night(stages: [], minutes: [480, 480, 0, 0, 0, 0], efficiency: 100),
        Night(stages: ["core 22:30-02:30", "rem 02:30-05:30"], minutes: [480, 420, 0, 180, 240, 0], efficiency: 87.5),
        Night(
            stages: [
                "rem 05:00-06:00", "awake 22:00-22:30", "deep 01:00-02:15", "asleep 22:30-23:00", "core 23:00-01:00",
            ],
            minutes: [480, 285, 30, 60, 120, 75], efficiency: 59.375),
        // HealthKit's time in bed spans the other stages and does not count.
        Night(
            stages: ["in_bed 22:00-06:00", "core 22:00-02:00", "in_bed 01:00-03:00", "core 02:00-06:00"],
            minutes: [480, 480, 0, 0, 480, 0], efficiency: 100),
        Night(stages: ["in_bed 22:00-06:00"], minutes: [480, 0, 0, 0, 0, 0], efficiency: 0),
        Night(stages: ["awake 22:00-06:00"], minutes: [480, 0, 480, 0, 0, 0], efficiency: 0),
    ]

    @Test("A session's totals are the sums of its stages in any order", arguments: nights)
    func sums(night: Night) throws {
        for stages in [night.stages, night.stages.reversed()] {
            let session = try JSON.parse(try Document.read(.sleep, Self.json(stages)).encoded)
            let names = ["time_in_bed", "total_sleep", "awake", "rem", "core", "deep"]
            #expect(names.map { session["\($0)_minutes"]?.int } == night.minutes)
            #expect(session["sleep_efficiency_percentage"] == night.efficiency)
        }
    }

    @Test("A session rounds its durations to whole minutes")
    func rounding() throws {
        let session = try JSON.parse(try Document.read(.sleep, Self.json([], end: "2025-01-29T06:00:30Z")).encoded)
        #expect(session["time_in_bed_minutes"] == 481)
    }

    @Test("A session may be part of a longer time in bed")
    func longerInBed() throws {
        let body = Self.json(["in_bed 21:00-07:00", "core 22:30-02:30"]).bytes
        let object = try DocumentRequest.object(body, for: .sleep, at: .example)
        #expect(object["stages"]?.array?.count == 2)
    }

    static let refused: [(stages: [String], path: String)] = [
        (["core 21:59-23:00"], "stages[0]"), (["core 22:00-23:00", "rem 05:00-06:01"], "stages[1]"),
        (["core 21:00-06:00"], "stages[0]"), (["core 23:00-23:00"], "stages[0].end_time"),
        (["rem 01:00-02:00", "core 23:00-22:30"], "stages[1].end_time"), (["in_bed 23:00-22:30"], "stages[0].end_time"),
        (["core 22:00-23:01", "rem 23:00-23:30"], "stages[1]"),
        (["core 01:00-02:00", "rem 01:59-03:00", "in_bed 22:00-06:00"], "stages[1]"),
        (["rem 01:59-03:00", "core 01:00-02:00"], "stages[0]"),
        (["core 22:00-06:00", "in_bed 22:30-05:00", "awake 01:00-01:05"], "stages[2]"),
    ]

    @Test("A stage may not exceed the session, overlap another stage or end before it begins", arguments: refused)
    func refuses(stages: [String], path: String) {
        let refusal = refusal(try DocumentRequest.object(Self.json(stages).bytes, for: .sleep, at: .example))
        #expect(refusal?.status == .badRequest)
        #expect(refusal?.message.hasPrefix("'\(path)' ") == true, "\(refusal?.message ?? "taken")")
    }

    @Test("A session must end after it begins", arguments: ["2025-01-28T22:00:00Z", "2025-01-28T21:59:59Z"])
    func order(end: String) {
        let refusal = refusal(try DocumentRequest.object(Self.json([], end: end).bytes, for: .sleep, at: .example))
        #expect(refusal?.message == "'end_time' must be after start_time; got \(end).")
    }
}
