extension AnswerScript {
    /// The steps of one answer: a script is cut where another one begins.
    struct Part: Equatable {
        enum Ending: Equatable {
            case completion
            case silence
            case error(message: String, code: String)
        }

        var steps: [Step] = []
        var ending = Ending.completion
    }

    /// The answers that a script gives, at least one.
    ///
    /// What stands behind a silence is never reached; another answer without steps is none.
    var parts: [Part] {
        var parts: [Part] = []
        var part = Part()
        for (number, step) in steps.enumerated() {
            let isLast = number == steps.count - 1
            switch step {
            case .silence:
                part.ending = .silence
                return parts + [part]
            case .anotherAnswer:
                parts.append(part)
                part = Part()
                if isLast { return parts }
            case .error(let message, let code) where isLast:
                part.ending = .error(message: message, code: code ?? Self.usualErrorCode)
            default: part.steps.append(step)
            }
        }
        return parts + [part]
    }

    /// How many messages an answer adds to a history.
    var messageCount: Int { parts.count { $0.ending == .completion } }
}
