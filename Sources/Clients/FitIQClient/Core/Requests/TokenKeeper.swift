import FitIQAPI
import JSON

/// The token that requests bring along, and what happens when it is refused.
///
/// A token that was refused is never sent again (consultation-websocket, HTTP errors).
struct TokenKeeper: Sendable {
    private(set) var token: String
    private var spare: String?
    /// Whether the token was refused and no other has come.
    private(set) var isRefused = false
    /// Until when another is waited for; nil while none is.
    private(set) var deadline: Timestamp?

    init(token: String, spare: String?) {
        self.token = token
        self.spare = spare.isExactly(token) ? nil : spare
    }

    /// Whether requests may go out.
    var isUsable: Bool { !isRefused }

    /// Notes a 401.
    ///
    /// - Returns: whether the user has to bring another token.
    mutating func refuse(_ refused: String, until limit: Timestamp) -> Bool {
        // A late refusal of an older token; what it leaves waiting needs one all the same.
        guard refused.isExactly(token) else { return ask(until: limit) }
        if let spare {
            (token, self.spare) = (spare, nil)
            return false
        }
        isRefused = true
        return ask(until: limit)
    }

    /// Begins to wait for another token.
    ///
    /// - Returns: whether that is news.
    mutating func ask(until limit: Timestamp) -> Bool {
        guard isRefused, deadline == nil else { return false }
        deadline = limit
        return true
    }

    /// Takes another token.
    ///
    /// - Returns: whether it is one: the refused one is none.
    mutating func use(_ new: String) -> Bool {
        guard !isRefused || !new.isExactly(token) else { return false }
        (token, isRefused, deadline) = (new, false, nil)
        return true
    }

    /// Ends the wait.
    mutating func giveUp() { deadline = nil }
}
