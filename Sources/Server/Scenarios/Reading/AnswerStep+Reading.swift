import Faults
import FitIQAPI
import FitIQBackend

extension AnswerScript.Step {
    /// The steps of an answer, however it is written; the built-in coach's text where it says nothing itself.
    static func read(_ answer: Fields, pauses: PauseTable) -> [AnswerScript.Step] {
        let form = answer.one(of: ["text", "chunks", "steps", "error", "silence"], isRequired: false)
        answer.refuse(["code"], unless: form == "error", Messages.needs("'error'"))
        var steps: [AnswerScript.Step] = []
        switch form {
        case "text": steps = answer["text"]?.words(bytes: ScenarioLimits.answerBytes).map { [.text($0)] } ?? []
        case "chunks":
            steps = list(answer["chunks"], of: "chunks").compactMap(chunk)
        case "steps":
            steps = list(answer["steps"], of: "steps").compactMap { read($0, pauses: pauses) }
            checkOrder(steps, answer["steps"])
        case "error": steps = error(answer).map { [$0] } ?? []
        case "silence": steps = answer["silence"]?.isTrue() == true ? [.silence] : []
        default: steps = [.builtInAnswer]
        }
        if let template = answer["template_created"].flatMap(CreatedTemplate.read) {
            // Before the end, whatever the answer ends with.
            switch steps.last {
            case .error, .silence: steps.insert(.template(template), at: steps.count - 1)
            default: steps.append(.template(template))
            }
        }
        return steps
    }

    private static func list(_ cursor: Cursor?, of what: String) -> [Cursor] {
        guard let cursor, let elements = cursor.elements(limit: ScenarioLimits.steps, of: what) else { return [] }
        if elements.isEmpty { cursor.refuse(Messages.emptyList(of: what)) }
        return elements
    }

    private static func chunk(_ cursor: Cursor) -> AnswerScript.Step? {
        guard case .mapping = cursor.node.content else {
            return cursor.words(bytes: ScenarioLimits.answerBytes).map { .chunk($0) }
        }
        guard let fields = Fields(cursor, as: .chunk) else { return nil }
        let text = fields.required("text", "what the chunk says")?.words(bytes: ScenarioLimits.answerBytes)
        let after = fields["after"]?.duration(0...FaultLimits.longestWait)
        return text.map { .chunk($0, after: after) }
    }

    private static func error(_ fields: Fields) -> AnswerScript.Step? {
        guard let message = fields["error"]?.text(1...1000) else { return nil }
        return .error(message: message, code: fields["code"]?.text(1...100))
    }

    private static let words: [String: AnswerScript.Step] = [  // Lower-case ASCII.
        "built_in": .builtInAnswer, "another_answer": .anotherAnswer, "silence": .silence,
    ]

    private static func read(_ cursor: Cursor, pauses: PauseTable) -> AnswerScript.Step? {
        guard case .mapping = cursor.node.content else {
            guard let word = cursor.written, let step = words[word] else {
                cursor.refuse(expected: Messages.step)
                return nil
            }
            return step
        }
        guard let fields = Fields(cursor, as: .step) else { return nil }
        let kinds = ["text", "chunk", "burst", "pause", "template_created", "error"]
        let kind = fields.one(of: kinds, isRequired: true)
        fields.refuse(["after"], unless: kind == "chunk", Messages.needs("'chunk'"))
        fields.refuse(["code"], unless: kind == "error", Messages.needs("'error'"))
        switch kind {
        case "text": return fields["text"]?.words(bytes: ScenarioLimits.answerBytes).map { .text($0) }
        case "chunk":
            let after = fields["after"]?.duration(0...FaultLimits.longestWait)
            return fields["chunk"]?.words(bytes: ScenarioLimits.answerBytes).map { .chunk($0, after: after) }
        case "burst":
            return .burst(
                list(fields["burst"], of: "chunks").compactMap { $0.words(bytes: ScenarioLimits.answerBytes) })
        case "pause": return fields["pause"].flatMap(pauses.duration).map { .pause($0) }
        case "template_created": return fields["template_created"].flatMap(CreatedTemplate.read).map { .template($0) }
        case "error": return error(fields)
        default: return nil
        }
    }

    /// Notes what follows a silence; the steps are all there where nothing was noted before.
    private static func checkOrder(_ steps: [AnswerScript.Step], _ cursor: Cursor?) {
        guard let index = steps.firstIndex(of: .silence), index < steps.count - 1,
            let elements = cursor?.elements(limit: ScenarioLimits.steps, of: "steps"), elements.count == steps.count
        else { return }
        elements[index + 1].refuse(Messages.afterTheEnd)
    }
}
