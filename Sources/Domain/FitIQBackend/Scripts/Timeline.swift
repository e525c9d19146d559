import FitIQAPI

/// What happens in an answer and when, and what is stored of it: a script, laid out.
struct Timeline: Sendable, Equatable {
    enum Event: Sendable, Equatable {
        case chunk(String)
        // Rare and large: behind a pointer, a moment stays as small as a chunk.
        indirect case template(CreatedTemplate)
        indirect case error(message: String, code: String)
        /// The answer is complete and stored; another one may follow.
        case completion
        /// Nothing more is said, and nothing is stored.
        case abandonment
    }

    struct Moment: Sendable, Equatable {
        /// Nanoseconds since the question's turn came.
        var offset: Int64
        var event: Event
    }

    /// A message in the making.
    struct Answer: Sendable, Equatable {
        let id: ResourceID
        /// The sum of its chunks.
        var text = ""
        var metadata = MessageMetadata()
        /// Whether it ends with a completion.
        var isStored = true
    }

    /// In order; each answer's last one is a completion or, the very last, an abandonment.
    private(set) var moments: [Moment] = []
    /// At least one.
    private(set) var answers: [Answer] = []

    /// Lays out a script.
    ///
    /// A pure function: the same script, id and pace make the same timeline. Ids of further answers follow from the first
    /// one's, since those of the world's sequence would come to depend on what else happens meanwhile.
    ///
    /// - Parameters:
    ///   - id: of the first answer; it seeds the pace.
    ///   - pace: ``Pace/instant`` takes all time out.
    ///   - builtInAnswer: what the built-in coach would say; asked for where the script wants it.
    init(_ script: AnswerScript, id: ResourceID, pace: Pace, builtInAnswer: () -> String) {
        var identifiers = ResourceIDSequence(seed: id.seed)
        var layout = Layout(isInstant: pace == .instant)
        for (number, part) in script.parts.enumerated() {
            let answer = Answer(id: number == 0 ? id : identifiers.next())
            append(part, of: script, answer: answer, layout: &layout, builtInAnswer: builtInAnswer)
        }
        precondition(!answers.isEmpty, "A script has at least one answer.")
    }

    private mutating func append(
        _ part: AnswerScript.Part, of script: AnswerScript, answer: Answer, layout: inout Layout,
        builtInAnswer: () -> String
    ) {
        var answer = answer
        let cues = part.steps.flatMap { Self.cues(of: $0, builtInAnswer: builtInAnswer) }
        let chunks = cues.compactMap(\.chunk)
        let gaps = script.timing.gaps(of: chunks, seed: answer.id.seed)
        layout.begin(after: gaps.first)
        var chunkCount = 0
        for cue in cues {
            switch cue {
            case .chunk(let content, let after):
                layout.speak(after: after, gap: gaps.after[chunkCount])
                chunkCount += 1
                answer.text += content
                append(.chunk(content), layout)
            case .pause(let duration): layout.pause(duration)
            case .template(let template):
                layout.stop()
                answer.metadata.templateCreated = template
                append(.template(template), layout)
            case .error(let message, let code):
                layout.stop()
                append(.error(message: message, code: code), layout)
            }
        }
        layout.end()
        answer.isStored = part.ending == .completion
        answer.metadata.tokensUsed = script.tokensUsed ?? (answer.text.utf8.count + 3) / 4
        answer.metadata.functionCalled = script.functionCalled
        if case .error(let message, let code) = part.ending { append(.error(message: message, code: code), layout) }
        append(answer.isStored ? .completion : .abandonment, layout)
        answers.append(answer)
    }

    private mutating func append(_ event: Event, _ layout: Layout) {
        moments.append(Moment(offset: layout.offset, event: event))
    }
}
