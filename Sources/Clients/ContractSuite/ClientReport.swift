import FitIQAPI

/// What the user of a client sees.
public struct ClientReport: Sendable, Hashable {
    /// The consultation whose chat is open, or was last.
    public var consultation: String?
    /// How the chat's connection is.
    public var connection = Connection.disconnected
    /// The messages of the chat, oldest first.
    public var transcript: [Line] = []
    /// What was told to be wrong, oldest first.
    public var problems: [Problem] = []
    /// The goals, oldest first.
    public var goals: [Goal] = []
    /// The meals that were logged, oldest first.
    public var meals: [Meal] = []
    /// Whether anything that was begun is not done: requests, retries, reconnecting, an answer that streams, a meal being worked out.
    public var isBusy = false

    /// Makes the report of a client that has done nothing.
    public init() {}

    /// How the connection of a chat is.
    public enum Connection: String, Sendable, CaseIterable {
        /// There is none, and none is wanted.
        case disconnected
        /// One is being made, for the first time or again.
        case connecting
        /// The server has said `connected`.
        case connected
        /// There is none, and the client has given up.
        case failed
    }

    /// A message of the chat.
    public struct Line: Sendable, Hashable {
        /// Who wrote it.
        public var role: MessageRole
        /// What it says, as far as it has come.
        public var text: String
        /// Whether it is shown as whole.
        public var isComplete: Bool

        /// Describes a message.
        public init(role: MessageRole, text: String, isComplete: Bool = true) {
            self.role = role
            self.text = text
            self.isComplete = isComplete
        }
    }

    /// Something that the user was told to be wrong.
    public struct Problem: Sendable, Hashable {
        /// What kind of trouble it is.
        public var kind: Kind
        /// The words shown, or the backend's message.
        public var message: String

        /// The kinds that the contract tells apart.
        public enum Kind: String, Sendable, CaseIterable {
            /// There are too many active consultations (429).
            case tooMany = "too_many"
            /// The credentials are refused, and a fresh token did not help.
            case unauthorized
            /// What was asked for is gone (404).
            case notFound = "not_found"
            /// The request was refused for another reason (400).
            case refused
            /// The backend failed, and repeating did not help (5xx, time-out, no connection).
            case unavailable
            /// An `error` frame came.
            case chat
            /// A meal could not be worked out.
            case meal
        }

        /// Describes a problem.
        public init(kind: Kind, message: String) {
            self.kind = kind
            self.message = message
        }
    }

    /// A goal.
    public struct Goal: Sendable, Hashable {
        /// The backend's id.
        public var id: String
        /// Its title.
        public var title: String
        /// The consultation about it; nil while there is none.
        public var conversation: String?

        /// Describes a goal.
        public init(id: String, title: String, conversation: String? = nil) {
            self.id = id
            self.title = title
            self.conversation = conversation
        }
    }

    /// A meal that was logged.
    public struct Meal: Sendable, Hashable {
        /// The log's id; nil before the backend gave it one.
        public var id: String?
        /// What the user wrote.
        public var text: String
        /// How far it is.
        public var status: MealLogStatus
        /// The sum of its calories, once completed.
        public var calories: Int?
        /// Why it failed, as the user is told.
        public var error: String?

        /// Describes a meal.
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
