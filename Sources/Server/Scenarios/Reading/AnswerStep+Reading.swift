import Faults
import FitIQAPI
import FitIQBackend
import JSON

extension AnswerRule {
    static func read(_ cursor: Cursor, pauses: PauseTable) -> AnswerRule? {
        guard let fields = Fields(cursor, as: .answer) else { return nil }
        var rule = AnswerRule(script: AnswerScript(steps: AnswerScript.Step.read(fields, pauses: pauses)))
        if let condition = fields["when"].flatMap({ Fields($0, as: .answerCondition) }) {
            rule.personas = condition["persona"]?.choices(of: Persona.self) ?? []
            rule.contextTypes = condition["context"]?.choices(of: ContextType.self) ?? []
            rule.content = condition["content"]?.textMatch()
            rule.turns = condition["turn"]?.turns()
        }
        rule.script.timing = fields["timing"].flatMap(StreamTiming.read) ?? .human
        rule.script.tokensUsed = fields["tokens_used"]?.integer(0...1_000_000_000)
        rule.script.functionCalled = fields["function_called"]?.text(1...200)
        rule.checkSize(cursor)
        return rule
    }

    private func checkSize(_ cursor: Cursor) {
        var count = 0
        var bytes = 0
        var fields = 0
        for step in script.steps {
            count += 1
            switch step {
            case .text(let text), .chunk(let text, _):
                bytes += text.utf8.count
                fields += cursor.fieldCount(of: text)
            case .burst(let chunks):
                count += chunks.count
                fields += chunks.reduce(0) { $0 + cursor.fieldCount(of: $1) }
                bytes += chunks.reduce(0) { $0 + $1.utf8.count }
            case .builtInAnswer: bytes += ScenarioLimits.builtInAnswerBytes
            case .error(let message, _): fields += cursor.fieldCount(of: message)
            case .pause, .template, .silence, .anotherAnswer: break
            }
        }
        if fields > ScenarioLimits.fields { cursor.refuse(Messages.tooManyFields(fields)) }
        if count > ScenarioLimits.steps { cursor.refuse(Messages.tooManySteps(count)) }
        if bytes > ScenarioLimits.answerBytes { cursor.refuse(Messages.answerTooLong(bytes)) }
    }
}

extension Cursor {
    /// The number of fields in an answer's text; also reports unknown fields.
    fileprivate func fieldCount(of text: String) -> Int {
        do throws(TextTemplate.UnknownField) {
            return try TextTemplate.check(text)
        } catch {
            return refuse(Messages.unknownField(error.text)) ?? 0
        }
    }
}

extension StreamTiming {
    /// Chunks that are only a nanosecond apart.
    static let instant = StreamTiming(firstChunk: 0, rate: .chunksPerSecond(1_000_000_000))

    fileprivate static func read(_ cursor: Cursor) -> StreamTiming? {
        guard case .mapping = cursor.node.content else {
            switch cursor.written {
            case "instant": return .instant
            case "human": return .human
            default:
                return cursor.refuse(
                    expected: "instant, human, or a mapping with first_chunk, chunks_per_second, "
                        + "tokens_per_second, jitter")
            }
        }
        guard let fields = Fields(cursor, as: .timing) else { return nil }
        var timing = StreamTiming()
        timing.firstChunk = fields["first_chunk"]?.duration(0...FaultLimits.longestWait)
        let rates = 0.001...1_000_000_000
        switch fields.one(of: ["chunks_per_second", "tokens_per_second"], isRequired: false) {
        case "chunks_per_second":
            timing.rate = fields["chunks_per_second"]?.double(rates).map(Rate.chunksPerSecond) ?? .human
        case "tokens_per_second":
            timing.rate = fields["tokens_per_second"]?.double(rates).map(Rate.tokensPerSecond) ?? .human
        default: break
        }
        timing.jitter = fields["jitter"].flatMap(Jitter.read) ?? .none
        return timing
    }
}

extension StreamTiming.Jitter {
    fileprivate static func read(_ cursor: Cursor) -> StreamTiming.Jitter? {
        if cursor.written == "none" { return StreamTiming.Jitter.none }
        guard let fields = Fields(cursor, as: .jitter) else { return nil }
        switch fields.one(of: ["uniform", "log_normal"], isRequired: true) {
        case "uniform": return fields["uniform"]?.duration(0...FaultLimits.longestWait).map { .uniform($0) }
        case "log_normal": return fields["log_normal"]?.double(0...3).map { .logNormal(sigma: $0) }
        default: return nil
        }
    }
}

extension AnswerScript.Step {
    /// An answer's steps, in any notation; if there is no text, the steps of the built-in coach's answer.
    static func read(_ answer: Fields, pauses: PauseTable) -> [AnswerScript.Step] {
        let form = answer.one(of: ["text", "chunks", "steps", "error", "silence"], isRequired: false)
        answer.refuse(["code"], unless: form == "error", Messages.needs("'error'"))
        var steps: [AnswerScript.Step] = []
        switch form {
        case "text": steps = answer["text"]?.words(bytes: ScenarioLimits.answerBytes).map { [.text($0)] } ?? []
        case "chunks": steps = list(answer["chunks"], of: "chunks").compactMap(chunk)
        case "steps":
            steps = list(answer["steps"], of: "steps").compactMap { read($0, pauses: pauses) }
            checkOrder(steps, answer["steps"])
        case "error": steps = error(answer).map { [$0] } ?? []
        case "silence": steps = answer["silence"]?.isTrue() == true ? [.silence] : []
        default: steps = [.builtInAnswer]
        }
        if let template = answer["template_created"].flatMap(CreatedTemplate.read) {
            // The steps precede every kind of end.
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
        let text = fields.required("text", "the chunk's text")?.words(bytes: ScenarioLimits.answerBytes)
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
            return cursor.written.flatMap { words[$0] } ?? cursor.refuse(expected: Messages.step)
        }
        guard let fields = Fields(cursor, as: .step) else { return nil }
        let kind = fields.one(of: ["text", "chunk", "burst", "pause", "template_created", "error"], isRequired: true)
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

    /// Reports steps after a silence, unless steps are missing because of earlier mistakes.
    private static func checkOrder(_ steps: [AnswerScript.Step], _ cursor: Cursor?) {
        guard let index = steps.firstIndex(of: .silence), index < steps.count - 1,
            let elements = cursor?.elements(limit: ScenarioLimits.steps, of: "steps"), elements.count == steps.count
        else { return }
        elements[index + 1].refuse("comes after silence, which ends the answer: no step may follow.")
    }
}

extension MealRule {
    static func read(_ cursor: Cursor) -> MealRule? {
        guard let fields = Fields(cursor, as: .meal) else { return nil }
        var rule = MealRule()
        if let condition = fields["when"].flatMap({ Fields($0, as: .mealCondition) }) {
            rule.text = condition["text"]?.textMatch()
            rule.mealTypes = condition["meal_type"]?.choices(of: MealType.self) ?? []
            rule.isForPhotos = condition["photo"]?.isTrue() ?? false
            condition.refuse(["text"], unless: !rule.isForPhotos, Messages.contradicts("photo"))
            fields.refuse(["after", "never"], unless: !rule.isForPhotos, Messages.contradicts("photo"))
        }
        rule.duration = fields["after"]?.duration()
        let outcome = fields.one(of: ["items", "fail", "never"], isRequired: false)
        fields.refuse(["details", "code", "suggestions"], unless: outcome == "fail", Messages.needs("'fail'"))
        fields.refuse(["after"], unless: outcome != "never", Messages.contradicts("never"))
        switch outcome {
        case "items":
            rule.outcome = .completed(
                fields.list("items", limit: ScenarioLimits.items, of: "foods") {
                    Fields($0, as: .food).flatMap(MealItem.read)
                })
        case "fail":
            var failure = MealLogFailure(message: fields["fail"]?.text(1...500) ?? "")
            failure.read(fields)
            rule.outcome = .failed(failure)
        case "never" where fields["never"]?.isTrue() == true: rule.outcome = .never
        default: break
        }
        return rule
    }
}

struct PauseTable {
    private var durations: [ExactString: Int64] = [:]
    private var names: [String] = []

    init() {}

    /// Reads `pauses:`, which allows any keys.
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
            if ScenarioLimits.duration(member.key) != nil {
                refuse("is also a duration: a pause needs a name other than \(member.key).")
            }
            if durations[ExactString(member.key)] != nil { refuse(Messages.repeatedKey) }
            let value = Cursor(node: member.value, path: path, diagnosis: cursor.diagnosis)
            durations[ExactString(member.key)] = value.duration(0...FaultLimits.longestWait) ?? 0
            names.append(member.key)
        }
    }

    /// Reads a name or a literal duration.
    func duration(_ cursor: Cursor) -> Int64? {
        guard let text = cursor.written else { return cursor.refuse(expected: "a duration, or the name of a pause") }
        if let duration = durations[ExactString(text)] { return duration }
        if ScenarioLimits.duration(text) != nil { return cursor.duration(0...FaultLimits.longestWait) }
        return cursor.refuse(
            Messages.unknownPause(text, known: Array(names.prefix(20)), nearest: Messages.nearest(text, names)))
    }
}
