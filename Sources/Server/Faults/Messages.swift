import FitIQAPI
import Text

/// Every text of this module that goes to a client or to whoever handles the rules.
enum Messages {
    /// The message of an answer in place of the right one.
    static func replaced(status: Int, rule: String) -> String {
        "A scenario has this request answered with \(status) (fault '\(excerpt(rule))')."
    }

    /// The message of an answer beyond a quota.
    static func quotaExceeded(requests: Int, window: Int64, secondsLeft: Int, rule: String) -> String {
        "A scenario allows \(requests) request\(requests == 1 ? "" : "s") in \(Durations.exact(window)) here "
            + "(fault '\(excerpt(rule))'); try again in \(secondsLeft) s."
    }

    /// The message of a refused handshake.
    static func refused(status: Int, rule: String) -> String {
        "A scenario has this WebSocket handshake answered with \(status) (fault '\(excerpt(rule))')."
    }

    static func duplicateName(_ name: String) -> String {
        "There is a fault named '\(excerpt(name))' already; choose another name, or remove that one first."
    }

    static func tooManyRules(limit: Int) -> String {
        "A world has at most \(limit) faults; remove some first."
    }

    static func longName(_ name: String, limit: Int) -> String {
        "The fault's name '\(excerpt(name))' has \(name.utf8.count) bytes; at most \(limit) are allowed."
    }

    static let emptyName = "The fault has no name; give it one of 1 to \(FaultLimits.ruleName) bytes."

    /// The beginning of a name, so that no message grows with what somebody wrote.
    static func excerpt(_ name: String) -> String {
        name.utf8.count <= FaultLimits.ruleName ? name : String(name.unicodeScalars.prefix(24)) + "…"
    }
}

/// What a caller of this module did wrong; each text stands on a `precondition`.
enum Misuse {
    static let afterEnd = "Nothing follows on a wire whose end is marked."
    static let noHead = "The response has no blank line after its head."
}
