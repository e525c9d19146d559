import FitIQAPI
import JSON

/// What the user of a client sees.
public struct ClientState: Sendable, Hashable {
    /// The consultation whose chat is open, or was last; lower case.
    public internal(set) var consultation: String?
    /// How the chat's connection is.
    public internal(set) var connection = Connection.disconnected
    /// The messages of the chat, oldest first; those that wait to be sent stand at the end.
    public internal(set) var transcript: [Line] = []
    /// What was wrong, oldest first.
    public internal(set) var problems: [Problem] = []
    /// The goals, oldest first.
    public internal(set) var goals: [Goal] = []
    /// The meals that were logged, oldest first.
    public internal(set) var meals: [Meal] = []
    /// Whether anything that was begun is not done: requests, retries, reconnecting, an answer that streams, a meal being worked out.
    public internal(set) var isBusy = false

    /// Makes the state of a client that has done nothing.
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
        /// The backend's id; nil while it is not known.
        public var id: ExactString?
        /// Who wrote it.
        public var role: MessageRole
        /// What it says, as far as it has come.
        public var text: String
        /// Whether it is whole; an answer is once its end came, or the history has it.
        public var isComplete: Bool
        /// Whether the backend has it; a user's line waits, or was refused, while it has not.
        public var isDelivered: Bool

        /// Describes a message.
        public init(
            id: ExactString? = nil, role: MessageRole, text: String, isComplete: Bool = true, isDelivered: Bool = true
        ) {
            self.id = id
            self.role = role
            self.text = text
            self.isComplete = isComplete
            self.isDelivered = isDelivered
        }
    }

    /// Something that is wrong, as the user is told.
    public struct Problem: Sendable, Hashable {
        /// What kind of trouble it is.
        public var kind: Kind
        /// The words to show: the backend's message, or the client's own.
        public var message: String

        /// The kinds that the contract tells apart.
        public enum Kind: String, Sendable, CaseIterable {
            /// There are too many active consultations (429).
            case tooMany = "too_many"
            /// The credentials are refused, and a fresh token did not help.
            case unauthorized
            /// What was asked for is gone (404).
            case notFound = "not_found"
            /// The request was refused for another reason (400), by the backend or by the client before it was sent.
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
        /// Which meal of the day it is.
        public var type: MealType
        /// How far it is.
        public var status: MealLogStatus
        /// The sum of its calories, once completed.
        public var calories: Int?
        /// Why it failed, as the user is told.
        public var error: String?

        /// Describes a meal.
        public init(
            id: String? = nil, text: String, type: MealType, status: MealLogStatus = .processing, calories: Int? = nil,
            error: String? = nil
        ) {
            self.id = id
            self.text = text
            self.type = type
            self.status = status
            self.calories = calories
            self.error = error
        }
    }
}

/// What the client itself tells its user; the backend's own messages are passed on as they came.
enum ClientMessages {
    static let noChat = "No chat is open. Start or open a consultation first."
    static let blankMessage = "The message is blank. Write something before you send it."
    static func longMessage(_ count: Int, limit: Int) -> String {
        "The message has \(count) characters; at most \(limit) can be sent."
    }
    static func tooManyWaiting(limit: Int) -> String {
        "\(limit) messages wait to be sent already. Try again when the coach has answered."
    }
    static func notSent(_ count: Int) -> String {
        count == 1 ? "One message was not sent." : "\(count) messages were not sent."
    }
    static let lostMessage = "A message may not have reached the coach. Send it again."
    static func tooBusy(limit: Int) -> String {
        "\(limit) requests are under way already. Try again in a moment."
    }
    static func notServed(_ what: String, guide: String) -> String {
        "The backend follows the guide \(guide), which has no \(what)."
    }
    static let tooManyConsultations =
        "There are too many active consultations. Archive one, or try again in a minute."
    static func gone(_ what: String) -> String { "The \(what) does not exist any more." }
    static func unknown(_ what: String) -> String { "There is no such \(what)." }
    static let noTitle = "The goal needs a title of 1 to 200 characters."
    static let longDescription = "The goal's description can have at most 2000 characters."
    static let noMealText = "Describe the meal in 1 to 1000 characters."
    static func tooManyMeals(limit: Int) -> String {
        "\(limit) meals are being worked out already. Try again in a moment."
    }
    static let mealLate = "The meal has not been worked out in time. Look again later."
    static let mealFailed = "The meal could not be worked out."
    static let coachSilent = "The coach did not answer. Ask again."
    static let coachFailed = "The coach could not answer."
    static let noConnection = "The chat could not be reached. Check the connection and open it again."
    static let unauthorized = "The sign-in is no longer valid. Sign in again."
    static let noAnswer = "The backend did not answer in time."
    static let noUsableAnswer = "The backend's answer could not be read."
    static func status(_ status: Int) -> String { "The backend answered with status \(status)." }
}
