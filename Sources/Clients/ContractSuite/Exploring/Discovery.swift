import FitIQAPI
import JSON
import Judging
import Scenarios
import Text
import Traffic

/// Something wrong with a client, and the smallest schedule found that shows it.
public struct Discovery: Sendable {
    /// What files and lists of known defects call it: the symptom, the kinds and the places.
    public let name: String
    public let symptom: Symptom
    public let schedule: Schedule
    /// How many of its runs showed the symptom, at the end.
    public let confirmed: (count: Int, of: Int)
    /// How many schedules showed it; the others are not shrunk.
    public var seenCount: Int
    /// What goes wrong, and what the client then does, as a sentence.
    public let sentence: String
    /// The entries of the smallest schedule's run that matter, as lines.
    public let timeline: [String]
    /// How to fix the client.
    public let advice: String
    /// The scenario as the tree of a file.
    public let document: JSONValue
    public let story: String
    public let mode: GuideMode
    public let startedAt: Timestamp
    /// The verdict, if the symptom is a broken obligation.
    public let verdict: Verdict?

    /// The longest name, in bytes.
    public static let nameLimit = 80
    /// The most lines of a timeline.
    public static let timelineLimit = 20
    /// The most characters of a scenario's summary, but for the ellipsis.
    private static let summaryLimit = 299

    /// Describes what a run of the smallest schedule showed.
    ///
    /// - Parameters:
    ///   - names: The names of other discoveries, which this one does not take.
    ///   - document: The tree of the scenario's file in which the schedule's faults happen.
    public init(
        _ symptom: Symptom, _ schedule: Schedule, in story: Story, _ outcome: TrialOutcome, _ reading: TrialReading,
        document: JSONValue, confirmed: (count: Int, of: Int), seenCount: Int, besides names: Set<ExactString> = []
    ) {
        (self.symptom, self.schedule, self.confirmed, self.seenCount) = (symptom, schedule, confirmed, seenCount)
        (self.story, mode, startedAt) = (story.name, outcome.mode, outcome.startedAt)
        verdict = reading.verdicts.first { $0.obligation.id == symptom.id }
        sentence = ExploringMessages.sentence(symptom, schedule)
        timeline = Self.timeline(symptom, outcome)
        advice = verdict?.advice ?? ExploringMessages.advice(symptom.id)
        name = Self.name(symptom, schedule, besides: names)
        self.document = document.setting(
            [("name", .string(name)), ("summary", .string(sentence.onOneLine(limit: Self.summaryLimit)))])
    }

    /// The scenario's file: comments, then a key a line.
    ///
    /// - Parameter comments: What else its reader should know, such as the command that found it.
    public func file(comments: [String] = []) -> [UInt8] {
        ScenarioDocument.text(
            document,
            comments: comments + [
                "Failed \(confirmed.count) of \(confirmed.of).", "Schedule: \(schedule)", "story: \(story)",
            ])
    }

    /// The symptom's last word, the kinds and the places, in characters of file names.
    private static func name(_ symptom: Symptom, _ schedule: Schedule, besides names: Set<ExactString>) -> String {
        var words = symptom.id.split(separator: "/").last.map(String.init) ?? ""
        for (index, fault) in schedule.faults.enumerated() {
            words += (index == 0 ? "-after-" : "-and-") + "\(fault.kind.id)-\(ExploringMessages.short(fault.place))"
        }
        let slug = words.lowercased().utf8.reduce(into: "") { slug, byte in
            if byte.isAlphanumeric {
                slug.unicodeScalars.append(Unicode.Scalar(byte))
            } else if slug.last != "-" {
                slug += "-"
            }
        }
        for number in 1... {
            let end = number == 1 ? "" : "-\(number)"
            let name = String(slug.prefix(nameLimit - end.utf8.count)) + end
            if !names.contains(ExactString(name)) { return name }
        }
        preconditionFailure("Numbers do not end.")
    }

    /// The entries with faults and those that show the symptom, with two before and behind each.
    private static func timeline(_ symptom: Symptom, _ outcome: TrialOutcome) -> [String] {
        let entries = outcome.entries
        let evidence = Set(symptom.entries)
        var shown: Set<Int> = []
        // What shows the symptom comes first where there is no room for all.
        let marked =
            entries.indices.filter { evidence.contains(entries[$0].number) }
            + entries.indices.filter { !entries[$0].event.faultNames.isEmpty }
        for distance in 0...2 {
            for index in marked {
                for place in [index - distance, index + distance]
                where entries.indices.contains(place) && shown.count < timelineLimit { shown.insert(place) }
            }
        }
        return shown.sorted().map { EntryLine(entries[$0], since: outcome.startedAt).text }
    }
}

extension JSONValue {
    /// The object with these members, in the place of those that it has, or else at its beginning.
    fileprivate func setting(_ members: [(String, JSONValue)]) -> JSONValue {
        guard let object else { return self }
        let rest = object.filter { member in !members.contains { $0.0 == member.key } }
        return .object(JSONObject(members.map { ($0.0, $0.1) } + rest.map { ($0.key, $0.value) }))
    }
}
