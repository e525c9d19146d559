import FitIQAPI
import JSON
import TestSupport

@testable import FitIQBackend

/// A client's action.
enum Operation {
    case create(user: Int, Persona, ConsultationContext)
    case archive(user: Int, id: String)
    case open(user: Int, id: String, socket: UInt64)
    case close(socket: UInt64)
    case chat(socket: UInt64, ChatProtocol, String)
    case frame(socket: UInt64, String)
    case binary(socket: UInt64)
    case read(user: Int, id: String)
    case createGoal(user: Int)
    case updateGoal(user: Int, id: String, UpdateGoalRequest.Conversation, progress: Double?)
    case chatAboutGoal(user: Int, id: String)
    case readGoals(user: Int)
    case logMeal(user: Int, CreateMealLogRequest)
    case readMealLog(user: Int, id: String)
    case listMealLogs(user: Int)
    case deleteGoal(user: Int, id: String)
    case deleteConsultation(user: Int, id: String)
    case deleteMealLog(user: Int, id: String)
    /// Deletes a user, who is immediately created again with the same id and no data.
    case deleteUser(user: Int)
}

/// The result of an operation.
enum Outcome: Equatable {
    case body([UInt8])
    case refused(APIError)
    case done
}

/// Operations drawn from a seed, and the world that they change.
struct RandomOperations {
    private var numbers: Draw
    var world: World
    private(set) var users: [UserID]
    /// The ids that each user received, oldest first.
    private(set) var ids: [[String]]
    /// The ids of each user's goals, oldest first.
    private(set) var goalIDs: [[String]]
    /// The ids of each user's meal logs, oldest first.
    private(set) var mealLogIDs: [[String]]
    /// All deleted ids, oldest first, and the ids that the last operation deleted.
    private(set) var deleted: [String] = []
    private(set) var justDeleted: Set<String> = []
    private(set) var openSockets: [UInt64] = []
    private var socketCount: UInt64 = 0

    static let contents = [
        "Hello", "What should I eat for breakfast?", "I can't sleep", "Xyzzy", "Thanks!", "é 😀 — “odd”", "a",
        "How do I stay motivated?", #"two\nlines"#, "Show me a home workout",
    ]
    static let meals = ["2 eggs", "2 eggs and toast", "120g chicken breast", "qwertyuiop", "\n?"]
    static let junk = ["x", "[]", "{}", #"{"type":"message"}"#, #"{"type":"user_message","content":" "}"#]

    init(seed: UInt64, userCount: Int, pace: Pace = .human, limits: Limits = Limits(), script: Script = Script()) throws
    {
        numbers = Draw(seed: seed)
        world = World(seed: seed, pace: pace, limits: limits, script: script)
        var users: [UserID] = []
        for number in 0..<userCount { users.append(try world.backend.user("user-\(number)")) }
        self.users = users
        ids = Array(repeating: [], count: userCount)
        goalIDs = ids
        mealLogIDs = ids
    }

    mutating func below(_ bound: Int) -> Int { numbers.below(bound) }

    private mutating func element<Element>(of list: [Element]) -> Element? {
        list.isEmpty ? nil : list[below(list.count)]
    }

    /// One of this user's ids, usually a recent one, or sometimes another user's id.
    private mutating func id(for user: Int) -> String {
        if let gone = goneID() { return gone }
        let owner = below(20) == 0 ? below(users.count) : user
        let recent = Array(ids[owner].suffix(12))
        return element(of: recent) ?? "none"
    }

    /// One of this user's goals, usually one of the first few, so that consultations compete, or sometimes another
    /// user's.
    private mutating func goalID(for user: Int) -> String {
        if let gone = goneID() { return gone }
        let owner = below(20) == 0 ? below(users.count) : user
        return element(of: Array(goalIDs[owner].prefix(5))) ?? "00000000-0000-4000-8000-000000000000"
    }

    private mutating func mealLogID(for user: Int) -> String {
        if let gone = goneID() { return gone }
        let owner = below(5) == 0 ? below(users.count) : user
        return element(of: mealLogIDs[owner].suffix(12)) ?? "none"
    }

    /// Sometimes the id of a deleted entity.
    private mutating func goneID() -> String? { below(25) == 0 ? element(of: deleted.suffix(50)) : nil }

    mutating func draw() -> Operation {
        let user = below(users.count)
        let socket = element(of: openSockets.suffix(80)) ?? 0
        switch below(128) {
        case 0..<18:
            let persona = Persona.allCases[below(Persona.allCases.count)]
            let type = ContextType.allCases[below(ContextType.allCases.count)]
            let needsID = type == .goal || (type != .general && below(2) == 0)
            let id = type == .goal ? goalID(for: user) : "item-\(below(2))"
            return .create(user: user, persona, ConsultationContext(type, id: needsID ? ExactString(id) : nil))
        case 18..<24: return .archive(user: user, id: id(for: user))
        case 24..<40: return .open(user: user, id: id(for: user), socket: socketCount + 1)
        case 40..<52: return .close(socket: socket)
        case 52..<80:
            return .chat(socket: socket, below(2) == 0 ? .stream : .assistantMessage, element(of: Self.contents) ?? "a")
        case 80..<84: return .frame(socket: socket, element(of: Self.junk) ?? "x")
        case 84..<88: return .frame(socket: socket, #"{"type":"ping"}"#)
        case 88..<92: return .binary(socket: socket)
        case 92..<95 where goalIDs[user].count < 8: return .createGoal(user: user)
        case 100..<106:
            let conversation: UpdateGoalRequest.Conversation =
                switch below(4) {
                case 0: .unlink
                case 1: .keep
                default: .link(id(for: user))
                }
            let progress = below(3) == 0 ? Double(below(5)) / 4 : nil
            return .updateGoal(user: user, id: goalID(for: user), conversation, progress: progress)
        case 106..<110: return .chatAboutGoal(user: user, id: goalID(for: user))
        case 110..<112: return .readGoals(user: user)
        case 112..<119: return .logMeal(user: user, mealRequest())
        case 119..<122: return .readMealLog(user: user, id: mealLogID(for: user))
        case 122..<124: return .listMealLogs(user: user)
        case 124: return .deleteGoal(user: user, id: goalID(for: user))
        case 125: return .deleteConsultation(user: user, id: id(for: user))
        case 126: return .deleteMealLog(user: user, id: mealLogID(for: user))
        case 127 where below(4) == 0: return .deleteUser(user: user)
        default: return .read(user: user, id: id(for: user))
        }
    }

    private mutating func mealRequest() -> CreateMealLogRequest {
        let time = below(2) == 0 ? nil : DateTime(secondsSinceEpoch: 1_738_146_600 + Int64(below(5)))
        return CreateMealLogRequest(
            rawInput: element(of: Self.meals) ?? "2 eggs", mealType: MealType.allCases[below(4)], loggedAt: time)
    }

    private mutating func note(deleted ids: [String]) {
        deleted += ids
        justDeleted = Set(ids)
    }

    mutating func apply(_ operation: Operation) -> Outcome {
        justDeleted = []
        do throws(APIError) {
            switch operation {
            case .create(let user, let persona, let context):
                let request = CreateConsultationRequest(persona: persona, context: context)
                let body = try world.backend.createConsultation(request, by: users[user], &world.turn)
                if let newest = world.backend.consultations.last {
                    ids[user].append(newest.consultation.id.description)
                }
                return .body(body)
            case .archive(let user, let id): return .body(try world.archive(id, by: users[user]))
            case .open(let user, let id, let socket):
                try world.open(socket, on: id, by: users[user])
                socketCount = socket
                openSockets.append(socket)
            case .close(let socket):
                // A close has no time of its own, so first serve what is due.
                world.backend.advance(&world.turn)
                world.close(socket)
                openSockets.removeAll { $0 == socket }
            case .chat(let socket, .stream, let content): world.message(content, from: socket)
            case .chat(let socket, .assistantMessage, let content): world.userMessage(content, from: socket)
            case .frame(let socket, let text): world.send(text, from: socket)
            case .binary(let socket): world.backend.receiveBinary(from: SocketID(socket), &world.turn)
            case .read(let user, let id):
                world.backend.advance(&world.turn)
                let body = try world.backend.consultation(id, for: users[user])
                return .body(body + (try world.history(id, for: users[user])))
            case .createGoal(let user):
                let goal = try world.createGoal(by: users[user])
                goalIDs[user].append(goal)
            case .updateGoal(let user, let id, let conversation, let progress):
                var request = UpdateGoalRequest()
                (request.conversation, request.change.progress) = (conversation, progress)
                return .body(try world.backend.updateGoal(id, request, by: users[user], &world.turn))
            case .chatAboutGoal(let user, let id):
                let count = world.backend.consultationCount
                let body = try world.backend.chatAboutGoal(.init(goalID: id), by: users[user], &world.turn)
                if world.backend.consultationCount > count, let newest = world.backend.consultations.last {
                    ids[user].append(newest.consultation.id.description)
                }
                return .body(body)
            case .readGoals(let user):
                world.backend.advance(&world.turn)
                return .body(world.backend.goals(for: users[user], at: world.turn.now).make())
            case .logMeal(let user, let request):
                let body = try world.backend.createMealLog(request, by: users[user], &world.turn)
                if let newest = world.backend.mealLogs.last { mealLogIDs[user].append(newest.log.id.description) }
                return .body(body)
            case .readMealLog(let user, let id):
                world.backend.advance(&world.turn)
                return .body(try world.backend.mealLog(id, for: users[user]))
            case .listMealLogs(let user):
                world.backend.advance(&world.turn)
                return .body(world.backend.mealLogs(try MealLogListQuery(query: []), for: users[user]).make())
            case .deleteGoal(let user, let id):
                try world.backend.deleteGoal(id, by: users[user], &world.turn)
                goalIDs[user].removeAll { $0 == id }
                note(deleted: [id])
            case .deleteConsultation(let user, let id):
                try world.backend.deleteConsultation(id, by: users[user], &world.turn)
                ids[user].removeAll { $0 == id }
                note(deleted: [id])
            case .deleteMealLog(let user, let id):
                try world.backend.deleteMealLog(id, by: users[user], &world.turn)
                mealLogIDs[user].removeAll { $0 == id }
                note(deleted: [id])
            case .deleteUser(let user):
                world.backend.deleteUser(users[user], &world.turn)
                users[user] = try world.backend.user("user-\(user)")
                note(deleted: ids[user] + goalIDs[user] + mealLogIDs[user])
                (ids[user], goalIDs[user], mealLogIDs[user]) = ([], [], [])
            }
            return .done
        } catch {
            return .refused(error)
        }
    }

    /// The output to sockets; drops the sockets that the backend closed.
    mutating func takeEffects() -> [Effect] {
        let effects = world.takeEffects()
        for case .close(let socket, _, _) in effects { openSockets.removeAll { $0 == socket.number } }
        return effects
    }
}
