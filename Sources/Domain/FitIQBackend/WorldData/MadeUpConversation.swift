import FitIQAPI

/// A conversation of any length: the persona's quick actions as questions, the built-in coach's answers.
///
/// The consultation's id decides which, so the same world has the same conversation in every run.
struct MadeUpConversation {
    private let persona: Persona
    private let context: ContextType
    private let prompts: [String]
    private var numbers: SplitMix64
    private var prompt = 0
    private var turn = 0
    private var isAnswerDue = false
    /// Answers by prompt and by place in the persona's general ones: thousands of messages ask the coach a few dozen times.
    private var answers: [Key: String] = [:]

    private struct Key: Hashable {
        var prompt: Int
        /// -1 for the first turn, in which an answer may say what the consultation is about.
        var place: Int
    }

    init(_ consultation: Consultation) {
        persona = consultation.persona
        context = consultation.context.type
        prompts = QuickAction.matching(contextType: nil, persona: persona).map(\.prompt)
        numbers = SplitMix64(seed: consultation.id.seed)
    }

    /// The next message.
    mutating func next() -> (role: MessageRole, content: String) {
        defer { isAnswerDue.toggle() }
        guard isAnswerDue else {
            // Another one than before.
            prompt = (prompt + 1 + Int(numbers.next(below: UInt64(prompts.count - 1)))) % prompts.count
            return (.user, prompts[prompt])
        }
        defer { turn += 1 }
        return (.assistant, answer())
    }

    private mutating func answer() -> String {
        let key = Key(prompt: prompt, place: turn == 0 ? -1 : turn % AnswerIndex.of(persona).general.count)
        if let answer = answers[key] { return answer }
        let answer = Coach.answer(persona: persona, context: context, question: prompts[prompt], turn: turn)
        answers[key] = answer
        return answer
    }

    /// When one of so many messages was stored: the first one at the start, the last one at the end, the rest evenly between.
    static func time(of index: Int, of count: Int, from start: Timestamp, to end: Timestamp) -> Timestamp {
        precondition(start <= end && index < count, "Messages lie between a start and a later end.")
        guard count > 1 else { return start }
        // The span may be longer than Int64 counts, and its product longer than 64 bits.
        let span = UInt64(bitPattern: end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch)
        let (offset, _) = UInt64(count - 1).dividingFullWidth(span.multipliedFullWidth(by: UInt64(index)))
        return Timestamp(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch &+ Int64(bitPattern: offset))
    }
}
