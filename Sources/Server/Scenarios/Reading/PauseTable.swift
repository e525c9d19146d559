import Faults
import JSON

/// The names that a scenario gives to durations.
struct PauseTable {
    private var durations: [ExactString: Int64] = [:]
    private var names: [String] = []

    /// No names.
    init() {}

    /// Reads `pauses:`, whose keys are free.
    init(_ cursor: Cursor) {
        guard case .mapping(let members) = cursor.node.content else {
            cursor.refuse(expected: "a mapping of names to durations, such as {thinking: 2s}")
            return
        }
        guard members.count <= ScenarioLimits.pauses else {
            cursor.refuse(Messages.tooMany("pauses", limit: ScenarioLimits.pauses, got: members.count))
            return
        }
        for member in members {
            let path = Path.key(member.key, of: cursor.path)
            func refuse(_ predicate: String) {
                cursor.diagnosis.note(predicate, path: path, position: member.keyPosition ?? member.value.position)
            }
            if ScenarioLimits.duration(member.key) != nil { refuse(Messages.pauseIsDuration(member.key)) }
            if durations[ExactString(member.key)] != nil { refuse(Messages.repeatedKey) }
            let value = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
            durations[ExactString(member.key)] = value.duration(0...FaultLimits.longestWait) ?? 0
            names.append(member.key)
        }
    }

    /// Reads a name, or a duration itself.
    func duration(_ cursor: Cursor) -> Int64? {
        guard let text = cursor.written else {
            cursor.refuse(expected: "a duration, or the name of a pause")
            return nil
        }
        if let duration = durations[ExactString(text)] { return duration }
        if ScenarioLimits.duration(text) != nil { return cursor.duration(0...FaultLimits.longestWait) }
        cursor.refuse(
            Messages.unknownPause(text, known: Array(names.prefix(20)), nearest: Messages.nearest(text, names)))
        return nil
    }
}
