import FitIQAPI

enum Operation: CustomStringConvertible {
    case connect(accepted: Bool)
    case request(Target, Credentials)
    case handshake(String, Credentials)
    case mealHandshake(Credentials)
    case chat(ChatProtocol, String)
    case badFrame(BadFrame)
    case jsonPing, controlPing, stopReading, finishWriting, closeSocket, vanish, shutDown
    case garbage(Int)
    case partialRequest(Int)
    case echo(Int)
    case read(Int)
    case advance(Int64)
    /// An operator's request: a world, a path of its admin API, and a body.
    case byHand(String, String, String)

    var description: String {
        switch self {
        case .connect(let accepted): accepted ? "connects" : "is not let in"
        case .request(let target, let credentials): "\(target)\(credentials.note)"
        case .handshake(let id, let credentials): "opens the socket of \(id)\(credentials.note)"
        case .mealHandshake(let credentials): "opens its socket of meals\(credentials.note)"
        case .chat(.stream, let content): "message \(content)"
        case .chat(.assistantMessage, let content): "user_message \(content)"
        case .jsonPing: "sends a JSON ping"
        case .controlPing: "sends a control ping"
        case .badFrame(let frame): "sends \(frame)"
        case .garbage(let count): "sends \(count) bytes of garbage"
        case .partialRequest(let count): "sends the first \(count) bytes of a request"
        case .echo(let count): "sends \(count) bytes to the echo socket"
        case .stopReading: "stops reading"
        case .read(let count): count == .max ? "reads all there is" : "reads \(count) bytes"
        case .finishWriting: "finishes writing"
        case .closeSocket: "closes its socket"
        case .vanish: "vanishes"
        case .advance(let nanoseconds): "moves \(nanoseconds / 1000) µs"
        case .shutDown: "the server is told to stop"
        case .byHand(let world, let path, let body): "an operator of \(world): \(path) \(body)"
        }
    }
}

enum Credentials: Int {
    case good, none, wrongKey, expired, foreignWorld, noKey

    var note: String {
        switch self {
        case .good: ""
        case .none: " (without credentials)"
        case .wrongKey: " (with a wrong API key)"
        case .expired: " (with an expired token)"
        case .foreignWorld: " (with a token of another world)"
        case .noKey: " (without an API key)"
        }
    }
}

/// A message that the server rejects, for example with an `error` frame.
enum BadFrame: Int, CaseIterable {
    case notJSON, noType, blank, binary
    /// These end the connection.
    case unmasked, reservedBits, invalidUTF8

    var isFatal: Bool { rawValue >= BadFrame.unmasked.rawValue }

    var closeCode: UInt16 { self == .invalidUTF8 ? 1007 : 1002 }
}

/// A request's target; ids are strings because they may be invalid.
enum Target: CustomStringConvertible {
    case createGoal, listGoals, listMeals, quickActions, deleteUser, health, listWorlds
    case badBody, wrongMethod, unknownPath, unknownWorld
    case create(Persona, ContextType, String?)
    case listConsultations(page: Int, size: Int)
    case show(String)
    case messages(String, page: Int?)
    case archive(String)
    case showGoal(String)
    case updateGoal(String, UpdateGoalRequest.Conversation, progress: Int)
    case chatAboutGoal(String)
    case createMeal(Int)
    case showMeal(String)
    case deleteGoal(String)
    case deleteConsultation(String)
    case deleteMeal(String)
    /// Registering an account with one of a few addresses, and acting on the world's accounts, even deleted ones.
    case register(address: Int)
    case showAccount(SimulatedAccount)
    case deleteAccount(SimulatedAccount)
    case app(AppRequest)
    /// An id in a path; the user has no entity with this id.
    case stray(Endpoint, String)
    /// Another world's goals, requested with this world's credentials.
    case elsewhere(String?)
    /// The admin API's request for a new world, with its seed, mode and clock.
    case makeWorld(UInt64, GuideMode, isManual: Bool)
    /// The admin API's request for a clock move; without an id, in the default world.
    case advanceClock(String?, milliseconds: Int)
    case resetWorld(String)
    case deleteWorld(String)

    var description: String {
        switch self {
        case .create(let persona, let type, let id):
            "creates a consultation: \(persona.rawValue), \(type.rawValue), \(id ?? "no id")"
        case .listConsultations(let page, let size): "lists consultations, page \(page) of \(size)"
        case .show(let id): "shows consultation \(id)"
        case .messages(let id, let page): "lists messages of \(id), \(page.map { "page \($0)" } ?? "all")"
        case .archive(let id): "archives \(id)"
        case .quickActions: "lists quick actions"
        case .createGoal: "creates a goal"
        case .listGoals: "lists goals"
        case .showGoal(let id): "shows goal \(id)"
        case .updateGoal(let id, let conversation, let progress): "updates goal \(id): \(conversation), \(progress) %"
        case .chatAboutGoal(let id): "chats about goal \(id)"
        case .createMeal(let number): "logs \(Texts.meals[number])"
        case .listMeals: "lists meal logs"
        case .showMeal(let id): "shows meal log \(id)"
        case .deleteGoal(let id): "deletes goal \(id)"
        case .deleteConsultation(let id): "deletes consultation \(id)"
        case .deleteMeal(let id): "deletes meal log \(id)"
        case .deleteUser: "deletes its user"
        case .register(let address): "registers \(SimulatedAccount.email(address))"
        case .showAccount(let account): "shows account \(account.subject)"
        case .deleteAccount(let account): "deletes account \(account.subject)"
        case .app(let request): "\(request)"
        case .stray(let endpoint, let id): "\(endpoint.name) \(id), which it does not have"
        case .badBody: "creates a consultation with a bad body"
        case .wrongMethod: "sends DELETE"
        case .unknownPath: "asks for a path that is not there"
        case .unknownWorld: "asks for a world that is not there"
        case .elsewhere(let id): "lists goals of \(id ?? "default") with what is good here"
        case .health: "asks for health"
        case .makeWorld(let seed, let mode, let isManual):
            "makes a world: seed \(seed), \(mode.rawValue), \(isManual ? "manual" : "real") clock"
        case .advanceClock(let world, let milliseconds):
            "moves the clock of \(world ?? "default") by \(milliseconds) ms"
        case .resetWorld(let id): "resets \(id)"
        case .deleteWorld(let id): "deletes \(id)"
        case .listWorlds: "lists worlds"
        }
    }

    /// The account whose token is sent; nil for the user's own token.
    var account: SimulatedAccount? {
        switch self {
        case .showAccount(let account), .deleteAccount(let account): account
        case .app(let request): request.account
        default: nil
        }
    }

    var endpoint: Endpoint? {
        switch self {
        case .create, .badBody: .createConsultation
        case .listConsultations: .listConsultations
        case .show: .showConsultation
        case .messages: .listMessages
        case .archive: .archiveConsultation
        case .quickActions: .listQuickActions
        case .createGoal: .createGoal
        case .listGoals: .listGoals
        case .showGoal: .showGoal
        case .updateGoal: .updateGoal
        case .chatAboutGoal: .chatAboutGoal
        case .createMeal: .createMealLog
        case .listMeals: .listMealLogs
        case .showMeal: .showMealLog
        case .deleteGoal: .deleteGoal
        case .deleteConsultation: .deleteConsultation
        case .deleteMeal: .deleteMealLog
        case .deleteUser, .deleteAccount: .deleteUser
        case .register: .register
        case .showAccount: .showProfile
        case .app(let request): request.endpoint
        case .stray(let endpoint, _): endpoint
        case .wrongMethod, .unknownPath, .unknownWorld, .elsewhere, .health, .makeWorld, .advanceClock, .resetWorld,
            .deleteWorld, .listWorlds:
            nil
        }
    }
}

enum Texts {
    /// Messages as JSON strings without quotation marks.
    static let messages = [
        "Hello", "What should I eat for breakfast?", "I can't sleep", "Xyzzy", "Thanks!", "é 😀 — “odd”", "a",
        #"two\nlines \"quoted\""#, "Show me a home workout",
    ]
    static let meals = ["2 eggs", "2 eggs and toast", "120g chicken breast", "qwertyuiop", "half a pizza with salad"]
}
