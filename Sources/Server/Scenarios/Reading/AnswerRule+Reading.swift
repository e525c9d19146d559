import Faults
import FitIQAPI
import FitIQBackend

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

    /// Notes an answer that has more to it than a world should hold.
    private func checkSize(_ cursor: Cursor) {
        var count = 0
        var bytes = 0
        for step in script.steps {
            count += 1
            switch step {
            case .text(let text), .chunk(let text, _): bytes += text.utf8.count
            case .burst(let chunks):
                count += chunks.count
                bytes += chunks.reduce(0) { $0 + $1.utf8.count }
            case .builtInAnswer: bytes += ScenarioLimits.builtInAnswerBytes
            case .pause, .template, .error, .silence, .anotherAnswer: break
            }
        }
        if count > ScenarioLimits.steps { cursor.refuse(Messages.tooManySteps(count)) }
        if bytes > ScenarioLimits.answerBytes { cursor.refuse(Messages.answerTooLong(bytes)) }
    }
}

extension StreamTiming {
    /// Without any time between chunks, save for the nanosecond that keeps them apart.
    static let instant = StreamTiming(firstChunk: 0, rate: .chunksPerSecond(1_000_000_000))

    fileprivate static func read(_ cursor: Cursor) -> StreamTiming? {
        guard case .mapping = cursor.node.content else {
            switch cursor.written {
            case "instant": return .instant
            case "human": return .human
            default:
                cursor.refuse(
                    expected: "instant, human, or a mapping with first_chunk, chunks_per_second, "
                        + "tokens_per_second, jitter")
                return nil
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
