import JSON

/// Checks a sleep session, and sums its stages.
enum SleepSession {
    private struct Stage {
        var name: String
        var start: DateTime
        var end: DateTime
    }

    private static func stages(of object: JSONObject) -> [Stage] {
        (object["stages"]?.array ?? []).compactMap { stage in
            guard let stage = stage.object, let name = stage["stage"]?.string, let start = stage.time("start_time"),
                let end = stage.time("end_time")
            else { return nil }
            return Stage(name: name, start: start, end: end)
        }
    }

    /// Throws 400 if the session or a stage ends before it begins, or a stage lies outside or overlaps another.
    static func check(_ object: JSONObject) throws(APIError) {
        guard let start = object.time("start_time"), let end = object.time("end_time") else { return }
        guard start < end else { throw .endsBeforeStart("end_time", got: end, start: "start_time") }
        let stages = Array(stages(of: object).enumerated())
        for (index, stage) in stages {
            guard stage.start < stage.end else {
                throw .endsBeforeStart("stages[\(index)].end_time", got: stage.end, start: "its start_time")
            }
            guard stage.name == "in_bed" || (start <= stage.start && stage.end <= end) else {
                throw .invalid(
                    "'stages[\(index)]' must lie within the session, from \(start.wireText) to \(end.wireText).")
            }
        }
        // HealthKit's time in bed lies behind the other stages.
        let sleeping = stages.filter { $0.element.name != "in_bed" }.sorted { $0.element.start < $1.element.start }
        for (one, next) in zip(sleeping, sleeping.dropFirst()) where next.element.start < one.element.end {
            throw .invalid(
                "'stages[\(next.offset)]' begins at \(next.element.start.wireText), before 'stages[\(one.offset)]' ends: "
                    + "stages may not overlap, except for in_bed.")
        }
    }

    /// The computed members.
    static func sums(_ object: JSONObject) -> [JSONObject.Element] {
        let (start, end) = (object.time("start_time"), object.time("end_time"))
        var seconds: [String: Int64] = [:]  // By the stages of the table, which are constants.
        for stage in stages(of: object) {
            seconds[stage.name, default: 0] += stage.end.secondsSinceEpoch - stage.start.secondsSinceEpoch
        }
        let inBed = start.flatMap { start in end.map { $0.secondsSinceEpoch - start.secondsSinceEpoch } } ?? 0
        let asleep = ["asleep", "core", "deep", "rem"].reduce(0) { $0 + seconds[$1, default: 0] }
        let total = seconds.isEmpty ? inBed : asleep
        func minutes(_ seconds: Int64) -> JSONValue { .number(JSONNumber(Int((Double(seconds) / 60).rounded()))) }
        let efficiency = inBed > 0 ? Double(total) / Double(inBed) * 100 : 0
        return [
            ("time_in_bed_minutes", minutes(inBed)), ("total_sleep_minutes", minutes(total)),
            ("sleep_efficiency_percentage", .number(JSONNumber(efficiency))),
        ]
            + ["awake", "rem", "core", "deep"].map { ("\($0)_minutes", minutes(seconds[$0, default: 0])) }
    }
}
