import FitIQAPI
import JSON
import Judging
import Text
import Traffic

/// A problem with a client, and the smallest known schedule that causes it.
public struct Discovery: Sendable {
    /// The name for files and lists of known defects, made from the symptom, the kinds and the places.
    public let name: String
    /// The symptom, as it appears in ``run``.
    public let symptom: Symptom
    /// A run of the smallest schedule, possibly without faults.
    public let run: ExaminedRun
    public let story: Story
    /// The number of final runs with the symptom, out of all final runs.
    public let confirmed: (count: Int, of: Int)
    /// The number of schedules with the symptom.
    ///
    /// Only the first schedule is reduced.
    public internal(set) var seenCount = 1

    /// The maximum length of a name in bytes.
    public static let nameLimit = 80
    /// The maximum number of lines in a timeline.
    public static let timelineLimit = 20

    /// - Parameter names: The names of other discoveries; this discovery's name must differ from them.
    public init(
        _ symptom: Symptom, in run: ExaminedRun, of story: Story, confirmed: (count: Int, of: Int),
        besides names: [String] = []
    ) {
        (self.symptom, self.run, self.story, self.confirmed) = (symptom, run, story, confirmed)
        name = Self.name(symptom, run.schedule, besides: Set(names.map { ExactString($0) }))
    }

    public var schedule: Schedule { run.schedule }

    /// The verdict, if the symptom is a broken obligation.
    public var verdict: Verdict? { run.reading.verdicts.first { $0.obligation.id == symptom.id } }

    /// A sentence about the fault and the client's reaction.
    public var sentence: String { ExploringMessages.sentence(symptom, schedule) }

    public var advice: String { verdict?.advice ?? ExploringMessages.advice(symptom.id) }

    /// The scenario file that reproduces the problem.
    ///
    /// - Parameter comments: Additional notes for the reader, such as the command that found the problem.
    public func file(comments: [String] = []) -> [UInt8] {
        schedule.file(
            on: story.document, named: name, summary: sentence,
            comments: comments + ["Failed \(confirmed.count) of \(confirmed.of).", "story: \(story.name)\(expecting)"])
    }

    /// The note that makes a run of the file expect everything that the story expects.
    public static let expecting = ", whose expectations count"
    private var expecting: String {
        story.expects(isHarmed: schedule.isHarmful(in: run.outcome.mode)) ? Self.expecting : ""
    }

    /// A file name made from the symptom's last word, the kinds and the places.
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

    /// The lines for entries with faults or the symptom, with two lines of context before and after each entry.
    public var timeline: [String] {
        let entries = run.outcome.entries
        let evidence = Set(symptom.entries)
        var shown: Set<Int> = []
        // If space is short, entries with the symptom have priority.
        let marked =
            entries.indices.filter { evidence.contains(entries[$0].number) }
            + entries.indices.filter { !entries[$0].event.faultNames.isEmpty }
        for distance in 0...2 {
            for index in marked {
                for place in [index - distance, index + distance]
                where entries.indices.contains(place) && shown.count < Self.timelineLimit { shown.insert(place) }
            }
        }
        return shown.sorted().map { EntryLine(entries[$0], since: run.outcome.startedAt).text }
    }
}
