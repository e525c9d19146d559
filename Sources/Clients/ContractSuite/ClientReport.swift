import FitIQAPI

/// What the user of a client sees.
public struct ClientReport: Sendable, Hashable {
    /// The consultation whose chat is or was last open.
    public var consultation: String?
    public var connection = Connection.disconnected
    /// The messages of the chat, oldest first.
    public var transcript: [Line] = []
    /// The reported problems, oldest first.
    public var problems: [Problem] = []
    /// The goals, oldest first.
    public var goals: [Goal] = []
    /// The logged meals, oldest first.
    public var meals: [Meal] = []
    /// Whether anything is unfinished: requests, retries, reconnecting, a streaming answer, a meal in processing.
    public var isBusy = false

    public init() {}

    public enum Connection: String, Sendable, CaseIterable {
        /// There is no connection, and none is wanted.
        case disconnected
        /// A connection is being made, for the first time or again.
        case connecting
        /// The server has sent `connected`.
        case connected
        /// There is no connection, and the client has given up.
        case failed
    }

    public struct Line: Sendable, Hashable {
        public var role: MessageRole
        /// The text received so far.
        public var text: String
        /// Whether it is shown as complete.
        public var isComplete: Bool

        public init(role: MessageRole, text: String, isComplete: Bool = true) {
            self.role = role
            self.text = text
            self.isComplete = isComplete
        }
    }

    /// A problem that the user saw.
    public struct Problem: Sendable, Hashable {
        public var kind: Kind
        /// The text shown, or the backend's message.
        public var message: String

        /// The kinds that the contract distinguishes.
        public enum Kind: String, Sendable, CaseIterable {
            /// There are too many active consultations (429).
            case tooMany = "too_many"
            /// The credentials are refused, and a fresh token did not help.
            case unauthorized
            /// The resource is gone (404).
            case notFound = "not_found"
            /// The request was refused for another reason (400).
            case refused
            /// The backend failed, and repeating did not help (5xx, time-out, no connection).
            case unavailable
            /// An `error` frame arrived.
            case chat
            /// The processing of a meal failed.
            case meal
        }

        public init(kind: Kind, message: String) {
            self.kind = kind
            self.message = message
        }
    }

    public struct Goal: Sendable, Hashable {
        /// The backend's id.
        public var id: String
        public var title: String
        /// The consultation about it, if any.
        public var conversation: String?

        public init(id: String, title: String, conversation: String? = nil) {
            self.id = id
            self.title = title
            self.conversation = conversation
        }
    }

    public struct Meal: Sendable, Hashable {
        /// The log's id; nil before the backend assigned one.
        public var id: String?
        public var text: String
        public var status: MealLogStatus
        /// The sum of its calories, once completed.
        public var calories: Int?
        /// Why it failed, as shown to the user.
        public var error: String?

        public init(
            id: String? = nil, text: String, status: MealLogStatus, calories: Int? = nil, error: String? = nil
        ) {
            self.id = id
            self.text = text
            self.status = status
            self.calories = calories
            self.error = error
        }
    }
}
