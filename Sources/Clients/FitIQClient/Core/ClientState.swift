import FitIQAPI
import JSON

/// What a client's user sees.
public struct ClientState: Sendable, Hashable {
    /// The consultation of the current or last chat, in lower case.
    public var consultation: String?
    public var connection = Connection.disconnected
    /// The messages of the chat, oldest first.
    ///
    /// Messages waiting to be sent come last.
    public var transcript: [Line] = []
    public var problems: [Problem] = []
    public var goals: [Goal] = []
    /// The logged meals, oldest first.
    public var meals: [Meal] = []
    /// Templates that coaches created while answering, oldest first, or nil if the client does not report them.
    public var templates: [Template]?
    /// The suggested questions on the coach's screen, or nil if the client does not report them.
    public var quickActions: [String]?
    /// Whether any work is unfinished, such as requests, retries, reconnecting, a streaming answer or a meal that is
    /// being processed.
    public var isBusy = false

    public init() {}

    public enum Connection: String, Sendable, CaseIterable {
        /// The client is disconnected on purpose.
        case disconnected
        /// The client is connecting, for the first time or again.
        case connecting
        /// The server has sent `connected`.
        case connected
        /// The client is disconnected and has given up.
        case failed
    }

    public struct Line: Sendable, Hashable {
        /// The backend's ID, once known.
        public var id: ExactString?
        public var role: MessageRole
        public var text: String
        /// Whether the line is complete.
        ///
        /// An answer is complete when its end has arrived or the history contains it.
        public var isComplete: Bool
        /// Whether the backend has the line.
        ///
        /// If not, the user's message is waiting or was refused.
        public var isDelivered: Bool

        public init(
            id: ExactString? = nil, role: MessageRole, text: String, isComplete: Bool = true, isDelivered: Bool = true
        ) {
            (self.id, self.role, self.text) = (id, role, text)
            (self.isComplete, self.isDelivered) = (isComplete, isDelivered)
        }
    }

    /// A problem that is shown to the user.
    public struct Problem: Sendable, Hashable {
        public var kind: Kind
        /// The text to show: the backend's or the client's message.
        public var message: String

        public enum Kind: String, Sendable, CaseIterable {
            /// There are too many active consultations (429).
            case tooMany = "too_many"
            /// The backend refuses the credentials even with a fresh token.
            case unauthorized
            /// The resource does not exist (404).
            case notFound = "not_found"
            /// The backend refused the request for another reason (400), or the client refused to send it.
            case refused
            /// The backend failed repeatedly (5xx, time-out, no connection).
            case unavailable
            case chat, meal
        }

        public init(kind: Kind, message: String) {
            self.kind = kind
            self.message = message
        }
    }

    public struct Goal: Sendable, Hashable {
        public var id: String
        public var title: String
        /// The consultation about the goal, if any.
        public var conversation: String?

        public init(id: String, title: String, conversation: String? = nil) {
            (self.id, self.title, self.conversation) = (id, title, conversation)
        }
    }

    /// A template that a coach created: a goal to set, a meal or a workout.
    public struct Template: Sendable, Hashable {
        public var type: String
        public var name: String

        public init(type: String, name: String) { (self.type, self.name) = (type, name) }
    }

    public struct Meal: Sendable, Hashable {
        /// The log's ID, or nil before the backend has assigned one.
        public var id: String?
        public var text: String
        /// The type of meal, or nil if the client does not report it.
        public var type: MealType?
        public var status: MealLogStatus
        /// The completed meal's calories.
        public var calories: Int?
        /// The completed meal's protein, in grams.
        public var protein: Double?
        /// The names of the foods, or nil if the client does not report them.
        public var items: [String]?
        public var error: String?

        public init(
            id: String? = nil, text: String, type: MealType? = nil, status: MealLogStatus = .processing,
            calories: Int? = nil, protein: Double? = nil, items: [String]? = nil, error: String? = nil
        ) {
            (self.id, self.text, self.type) = (id, text, type)
            (self.status, self.calories, self.error) = (status, calories, error)
            (self.protein, self.items) = (protein, items)
        }
    }
}

/// The client's messages to its user; the backend's messages are shown unchanged.
enum ClientMessages {
    static let noChat = "No chat is open. Start or open a consultation first."
    static let blankMessage = "The message is blank. Write something before you send it."
    static func notSent(_ count: Int) -> String {
        count == 1 ? "One message was not sent." : "\(count) messages were not sent."
    }
    static let lostMessage = "A message may not have reached the coach. Send it again."
    static func notServed(_ what: String, guide: String) -> String {
        "The backend follows the guide \(guide), which has no \(what)."
    }
    static func gone(_ what: String) -> String { "The \(what) no longer exists." }
    static func unknown(_ what: String) -> String { "There is no such \(what)." }
    static let longDescription = "The goal's description can have at most 2000 characters."
    static let mealLate = "The meal was not processed in time. Check again later."
    static let mealFailed = "The meal could not be processed."
    static let coachSilent = "The coach did not answer. Ask again."
    static let noConnection = "The chat could not be reached. Check the connection and open the chat again."
    static let unauthorized = "The sign-in is no longer valid. Sign in again."
    static let noAnswer = "The backend did not answer in time."
    static func status(_ status: Int) -> String { "The backend answered with status \(status)." }
}
