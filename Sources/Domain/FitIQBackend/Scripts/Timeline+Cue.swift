import FitIQAPI

extension Timeline {
    /// A step of a script as chunks: a text is as many cues as it has words.
    enum Cue {
        /// `after` nanoseconds instead of the pace.
        case chunk(String, after: Int64?)
        case pause(Int64)
        indirect case template(CreatedTemplate)
        indirect case error(message: String, code: String)

        var chunk: String? {
            if case .chunk(let content, _) = self { content } else { nil }
        }
    }

    static func cues(of step: AnswerScript.Step, builtInAnswer: () -> String) -> [Cue] {
        switch step {
        case .text(let text): Coach.chunks(of: text).map { .chunk($0, after: nil) }
        case .builtInAnswer: Coach.chunks(of: builtInAnswer()).map { .chunk($0, after: nil) }
        case .chunk(let content, let after): [.chunk(content, after: after)]
        case .burst(let chunks):
            // The first one waits as any chunk does.
            chunks.enumerated().map { .chunk($0.element, after: $0.offset == 0 ? nil : 0) }
        case .pause(let duration): [.pause(duration)]
        case .template(let template): [.template(template)]
        case .error(let message, let code): [.error(message: message, code: code ?? AnswerScript.usualErrorCode)]
        case .silence, .anotherAnswer: preconditionFailure("What ends an answer is none of its steps.")
        }
    }
}
