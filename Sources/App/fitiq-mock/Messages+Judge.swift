import FitIQAPI
import Text

/// What 'judge' says.
extension Messages {
    static let standardInput = "standard input"

    static func judgement(of journal: String) -> String { "The client in \(journal)" }

    static func inLine(_ number: Int, _ sentence: String) -> String { "line \(number): \(sentence)" }

    static func noSuchWorld(_ id: String, others: [String]) -> String {
        let near = NearestWord.hint(id, among: others)
        let shown = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
        return "no entry is of the world '\(id)'; there are entries of \(shown).\(near)"
    }

    static func tooManyWorlds(limit: Int) -> String {
        "the journal has more than \(limit) worlds, which is the most that are judged at once; name one with --world."
    }

    static func disorderedEntry(_ number: Int, after last: Int, world: String) -> String {
        "entry \(number) of \(world) comes after entry \(last): a journal is judged in order. "
            + "Are these two journals in one file, or is it the newest first?"
    }
}
