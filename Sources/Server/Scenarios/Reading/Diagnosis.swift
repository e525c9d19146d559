/// Collects the mistakes of one reading; shared by everything that takes part in it.
final class Diagnosis {
    private var mistakes: [ScenarioErrors.Mistake] = []
    private var omittedCount = 0

    var isClean: Bool { mistakes.isEmpty }

    /// Notes a mistake: the message is what is to be said of the value at the path.
    ///
    /// It is made only where it is kept: looking for the nearest name takes its time, and a file can have any number of
    /// mistakes.
    func note(_ predicate: @autoclosure () -> String, path: Path, position: Position?) {
        guard mistakes.count < ScenarioLimits.mistakes else {
            omittedCount += 1
            return
        }
        let text = path.text
        mistakes.append(
            ScenarioErrors.Mistake(
                line: position?.line, column: position?.column, path: text,
                message: (text.isEmpty ? Messages.documentName : text) + " " + predicate()))
    }

    /// The mistakes in the order of the file.
    func errors(file: String?) -> ScenarioErrors {
        let ordered = mistakes.enumerated().sorted { left, right in
            let places = [left.element, right.element].map { ($0.line ?? 0, $0.column ?? 0) }
            return places[0] == places[1] ? left.offset < right.offset : places[0] < places[1]
        }
        return ScenarioErrors(file: file, mistakes: ordered.map(\.element), omittedCount: omittedCount)
    }
}
