import FitIQAPI
import JSON

extension Backend {
    /// Summarizes the moods in a period (`GET /api/v1/wellness/mood-entries/analytics`).
    public func moodAnalytics(_ query: MoodAnalyticsQuery, for user: UserID) -> Deferred<[UInt8]> {
        let entries = users[user].documents[.moodEntries, default: []]
        var cost = 0
        for entry in entries where cost < 1 << 20 { cost += entry.encoded.count }
        return Deferred(cost: cost) { MoodAnalytics(of: entries, query).body }
    }
}

/// The period, summary, trends, most frequent labels and associations, and, on request, each day.
///
/// Shares range from 0 to 1. Weeks begin on Monday, in UTC. Equal counts are ordered by name.
private struct MoodAnalytics {
    private struct Mood {
        let day: Int64
        let valence: Double
        let labels: [String]
        let associations: [String]
    }

    private let query: MoodAnalyticsQuery
    /// The moods, oldest first.
    private let moods: [Mood]
    // Moods grouped by the first day of the week, and by day, ascending, without empty groups.
    private let weeks: [(day: Int64, moods: [Mood])]
    private let days: [(day: Int64, moods: [Mood])]

    init(of entries: [Document], _ query: MoodAnalyticsQuery) {
        self.query = query
        let within = entries.filter { (query.first...query.last).contains($0.time) }.sorted { $0.time < $1.time }
        moods = within.map { entry in
            let object = entry.object
            func texts(_ member: String) -> [String] { object[member]?.array?.compactMap(\.string) ?? [] }
            // Worlds saved by earlier versions may contain any number, and the sum could be infinite.
            let valence = min(max(object["valence"]?.double ?? 0, -1), 1)
            return Mood(
                day: Self.day(of: entry.time), valence: valence, labels: texts("labels"),
                associations: texts("associations"))
        }
        let moods = moods
        func grouped(by key: (Mood) -> Int64) -> [(day: Int64, moods: [Mood])] {
            Dictionary(grouping: moods, by: key).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        days = grouped(by: \.day)
        // 1970-01-01 was a Thursday, so a week began three days before it.
        weeks = grouped { $0.day - (($0.day + 3) % 7 + 7) % 7 }
    }

    private static func day(of time: DateTime) -> Int64 { time.startOfDay.secondsSinceEpoch / 86_400 }

    private static func text(ofDay day: Int64) -> String {
        String(DateTime(secondsSinceEpoch: day * 86_400).wireText.prefix(10))
    }

    private static func average(_ moods: some Collection<Mood>) -> Double {
        moods.isEmpty ? 0 : moods.reduce(0) { $0 + $1.valence } / Double(moods.count)
    }

    /// The trend from the earlier to the later half of the days.
    private var trend: String {
        guard days.count > 1 else { return "insufficient_data" }
        let averages = days.map { Self.average($0.moods) }
        func mean(_ days: ArraySlice<Double>) -> Double { days.reduce(0, +) / Double(days.count) }
        let change = mean(averages[(averages.count / 2)...]) - mean(averages[..<(averages.count / 2)])
        // Sums of tenths have rounding errors.
        return change > 0.1 + 1e-9 ? "improving" : change < -0.1 - 1e-9 ? "declining" : "stable"
    }

    /// The most frequent names, each counted once per entry, with the average of these entries.
    private static func top(
        _ limit: Int, of moods: [Mood], _ names: (Mood) -> [String]
    ) -> [(name: String, count: Int, average: Double)] {
        var found: [ExactString: (count: Int, sum: Double)] = [:]
        for mood in moods {
            for name in Set(names(mood).map { ExactString($0) }) {
                found[name, default: (0, 0)].count += 1
                found[name, default: (0, 0)].sum += mood.valence
            }
        }
        return found.sorted { (-$0.value.count, $0.key) < (-$1.value.count, $1.key) }.prefix(limit)
            .map { ($0.key.text, $0.value.count, $0.value.sum / Double($0.value.count)) }
    }

    var body: [UInt8] {
        let (first, last) = (Self.day(of: query.first), Self.day(of: query.last))
        let totalDays = Int(last - first + 1)
        func share(_ count: Int) -> Double { Double(count) / Double(moods.count) }
        return JSONWriter.success(reserving: 2048) { data in
            data.object("period") { period in
                period.member("start_date", Self.text(ofDay: first))
                period.member("end_date", Self.text(ofDay: last))
                period.member("total_days", totalDays)
            }
            data.object("summary") { summary in
                summary.member("total_entries", moods.count)
                summary.member("average_valence", Self.average(moods))
                summary.member("days_with_entries", days.count)
                summary.member("logging_consistency", Double(days.count) / Double(totalDays))
            }
            data.object("trends") { trends in
                trends.member("trend_direction", trend)
                trends.array("weekly_averages") { array in
                    for week in weeks {
                        array.object { writer in
                            writer.member("week_start", Self.text(ofDay: week.day))
                            writer.member("average_valence", Self.average(week.moods))
                        }
                    }
                }
            }
            data.array("top_labels") { array in
                for top in Self.top(query.labelLimit, of: moods, \.labels) {
                    array.object { writer in
                        writer.member("label", top.name)
                        writer.member("count", top.count)
                        writer.member("percentage", share(top.count))
                    }
                }
            }
            data.array("top_associations") { array in
                for top in Self.top(query.associationLimit, of: moods, \.associations) {
                    array.object { writer in
                        writer.member("association", top.name)
                        writer.member("count", top.count)
                        writer.member("percentage", share(top.count))
                        writer.member("average_valence", top.average)
                    }
                }
            }
            if query.includesDays {
                data.array("daily_aggregates") { array in days.forEach { write($0, into: &array) } }
            }
        }
    }

    private func write(_ day: (day: Int64, moods: [Mood]), into array: inout JSONWriter) {
        array.object { writer in
            writer.member("date", Self.text(ofDay: day.day))
            writer.member("entry_count", day.moods.count)
            writer.member("average_valence", Self.average(day.moods))
            writer.member("min_valence", day.moods.map(\.valence).min() ?? 0)
            writer.member("max_valence", day.moods.map(\.valence).max() ?? 0)
            writer.array("most_common_labels") { array in
                for top in Self.top(query.labelLimit, of: day.moods, \.labels) {
                    array.object { writer in
                        writer.member("label", top.name)
                        writer.member("count", top.count)
                    }
                }
            }
            writer.array("most_common_associations") { array in
                for top in Self.top(query.associationLimit, of: day.moods, \.associations) {
                    array.object { writer in
                        writer.member("association", top.name)
                        writer.member("count", top.count)
                    }
                }
            }
        }
    }
}
