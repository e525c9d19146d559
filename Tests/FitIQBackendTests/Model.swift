import FitIQAPI
import JSON

@testable import FitIQBackend

/// Models the expectations of an observer without access to the backend.
struct Model {
    /// The active consultations of each user.
    private var active: [[Topic: String]]
    /// The conversation of each user's goals.
    private var conversations: [[String: String]]
    /// The goal that each consultation names, even after the consultation has been archived.
    private var goals: [String: String] = [:]
    /// The part of the streaming answer that each socket has received.
    private var streamed: [SocketID: String] = [:]
    private var consultationOfSocket: [SocketID: String] = [:]
    private var mealEvents = MealEventModel()
    private(set) var seen: Set<String> = []
    /// The ids that the last operation deleted, for which events that were due earlier may still arrive.
    private var justDeleted: Set<String> = []
    /// Whether a script may end an answer without completing it.
    private let answersMayBreakOff: Bool

    static let everything: Set<String> = [
        "201", "400", "404", "409", "429", "archived", "connected", "message_received", "stream_chunk",
        "stream_complete", "user_message", "assistant_message_start", "assistant_message_chunk",
        "assistant_message_end", "pong", "error", "close", "goal 201", "goal linked", "goal unlinked", "goal 400",
        "goal 404", "goal 429", "chat 201", "chat continued", "chat linked", "goal deleted", "consultation deleted",
        "meal log deleted", "user deleted", "deleted 404", "meal logged", "meal_log.completed", "meal_log.failed",
    ]

    init(userCount: Int, answersMayBreakOff: Bool = false) {
        self.answersMayBreakOff = answersMayBreakOff
        active = Array(repeating: [:], count: userCount)
        conversations = Array(repeating: [:], count: userCount)
    }

    /// Returns a check of the outcome, if the observer can predict it.
    func expectedOutcome(of operation: Operation, _ random: RandomOperations) -> ((Outcome) -> Bool)? {
        switch operation {
        case .create(let user, let persona, let context):
            let existing = active[user][Topic(persona: persona, context: context)]
            let isFull = active[user].count == 10
            let isUnknownGoal = context.type == .goal && !random.goalIDs[user].contains(context.id?.text ?? "")
            return { outcome in
                guard case .refused(let error) = outcome else { return !isUnknownGoal && existing == nil && !isFull }
                if isUnknownGoal { return error.status.code == 404 }
                if let existing { return error.details?["existing_consultation_id"] == .string(existing) }
                return isFull && error == .tooManyActiveConsultations(limit: 10)
            }
        case .archive(let user, let id), .read(let user, let id):
            let isTheirs = random.ids[user].contains(id)
            return { outcome in
                if case .body = outcome { isTheirs } else { !isTheirs && outcome == .refused(.unknownConsultation(id)) }
            }
        case .open(let user, let id, _):
            let isActive = active[user].values.contains(id)
            return { outcome in (outcome == .done) == isActive }
        case .close, .chat, .frame, .binary, .createGoal: return { $0 == .done }
        case .updateGoal(let user, let goal, let conversation, _):
            let isKnown = random.goalIDs[user].contains(goal)
            guard isKnown, case .link(let id) = conversation else {
                return { Self.status($0) == (isKnown ? 200 : 404) }
            }
            let isActive = active[user].values.contains(id)
            let isTheirs = random.ids[user].contains(id)
            return { Self.status($0) == (isActive ? 200 : isTheirs ? 400 : 404) }
        case .chatAboutGoal(let user, let goal):
            guard random.goalIDs[user].contains(goal) else { return { Self.status($0) == 404 } }
            let existing = conversations[user][goal] ?? active[user][Self.topic(ofChatAbout: goal)]
            guard existing == nil, active[user].count == 10 else { return { Self.status($0) == 200 } }
            return { $0 == .refused(.tooManyActiveConsultations(limit: 10)) }
        case .readMealLog(let user, let id):
            let isTheirs = random.mealLogIDs[user].contains(id)
            return { outcome in
                if case .body = outcome { isTheirs } else { !isTheirs && outcome == .refused(.unknownMealLog(id)) }
            }
        case .deleteGoal(let user, let id): return Self.deletion(of: id, random.goalIDs[user])
        case .deleteConsultation(let user, let id): return Self.deletion(of: id, random.ids[user])
        case .deleteMealLog(let user, let id): return Self.deletion(of: id, random.mealLogIDs[user])
        case .deleteUser: return { $0 == .done }
        case .logMeal, .listMealLogs: return { outcome in if case .body = outcome { true } else { false } }
        case .readGoals(let user):
            let count = random.goalIDs[user].count
            return { outcome in
                guard case .body(let body) = outcome else { return false }
                return (try? JSON.parse(body))?["totalCount"]?.int == count
            }
        }
    }

    private static func deletion(of id: String, _ known: [String]) -> (Outcome) -> Bool {
        { status($0) == (known.contains(id) ? 200 : 404) }
    }

    mutating func note(_ operation: Operation, _ outcome: Outcome, _ random: RandomOperations) {
        justDeleted = random.justDeleted
        noteDeletion(operation, outcome, random)
        if case .refused(let error) = outcome { seen.insert("\(error.status.code)") }
        noteGoals(operation, outcome, random)
        switch (operation, outcome) {
        case (.create(let user, let persona, let context), .body):
            seen.insert("201")
            active[user][Topic(persona: persona, context: context)] = random.ids[user].last
        case (.archive(let user, let id), .body):
            seen.insert("archived")
            active[user] = active[user].filter { $0.value != id }
        case (.open(_, let id, let socket), .done): consultationOfSocket[SocketID(socket)] = id
        case (.logMeal, .body): seen.insert("meal logged")
        default: break
        }
    }

    private mutating func noteDeletion(_ operation: Operation, _ outcome: Outcome, _ random: RandomOperations) {
        switch (operation, outcome) {
        case (.deleteGoal(let user, let id), .done):
            seen.insert("goal deleted")
            conversations[user][id] = nil
            goals = goals.filter { $0.value != id }
        case (.deleteConsultation(let user, let id), .done):
            seen.insert("consultation deleted")
            active[user] = active[user].filter { $0.value != id }
            forget(id, of: user)
            goals[id] = nil
        case (.deleteMealLog, .done): seen.insert("meal log deleted")
        case (.deleteUser(let user), .done):
            seen.insert("user deleted")
            (active[user], conversations[user]) = ([:], [:])
        case (.deleteGoal(_, let id), .refused), (.deleteConsultation(_, let id), .refused),
            (.deleteMealLog(_, let id), .refused):
            if random.deleted.contains(id) { seen.insert("deleted 404") }
        default: break
        }
    }

    // MARK: Goals

    /// The status of an outcome; 200 for every success.
    private static func status(_ outcome: Outcome) -> Int {
        if case .refused(let error) = outcome { error.status.code } else { 200 }
    }

    private static func topic(ofChatAbout goal: String) -> Topic {
        Topic(persona: .generalWellness, context: ConsultationContext(.goal, id: goal))
    }

    /// Tracks the links in simple tables: a goal has one conversation, and a conversation has one goal.
    private mutating func noteGoals(_ operation: Operation, _ outcome: Outcome, _ random: RandomOperations) {
        switch (operation, outcome) {
        case (.createGoal, .done): seen.insert("goal 201")
        case (.updateGoal, .refused(let error)), (.chatAboutGoal, .refused(let error)):
            seen.insert("goal \(error.status.code)")
        case (.create(let user, _, let context), .body):
            guard context.type == .goal, let goal = context.id?.text, let id = random.ids[user].last else { return }
            goals[id] = goal
            if conversations[user][goal] == nil { conversations[user][goal] = id }
        case (.archive(let user, let id), .body): forget(id, of: user)
        case (.updateGoal(let user, let goal, .link(let id), _), .body):
            seen.insert("goal linked")
            if let former = conversations[user][goal] { goals[former] = nil }
            forget(id, of: user)
            conversations[user][goal] = id
            goals[id] = goal
        case (.updateGoal(let user, let goal, .unlink, _), .body):
            guard let former = conversations[user].removeValue(forKey: goal) else { return }
            goals[former] = nil
            seen.insert("goal unlinked")
        case (.chatAboutGoal(let user, let goal), .body):
            let topic = Self.topic(ofChatAbout: goal)
            if conversations[user][goal] != nil {
                seen.insert("chat continued")
                return
            }
            seen.insert(active[user][topic] == nil ? "chat 201" : "chat linked")
            guard let id = active[user][topic] ?? random.ids[user].last else { return }
            forget(id, of: user)
            active[user][topic] = id
            conversations[user][goal] = id
            goals[id] = goal
        default: break
        }
    }

    private mutating func forget(_ id: String, of user: Int) {
        conversations[user] = conversations[user].filter { $0.value != id }
    }

    /// The violations in a user's goals and newest consultations that the tables do not cover.
    func violationsOfLinks(after operation: Operation, _ random: RandomOperations) -> [String] {
        guard let user = user(of: operation, random) else { return [] }
        let backend = random.world.backend
        guard let number = random.users.firstIndex(of: user) else { return ["a user who was deleted"] }
        let conversations = conversations[number]
        let wrongGoals = random.goalIDs[number].filter { goal in
            let position = ResourceID(goal).flatMap { backend.goals.position(of: $0) }
            return position.flatMap { backend.goals[$0].goal.conversationID?.description } != conversations[goal]
        }
        let wrongConsultations = random.ids[number].suffix(20).filter { id in
            (try? random.world.record(id))?.consultation.goalID?.description != goals[id]
        }
        return (wrongGoals + wrongConsultations).map { "\($0) is not linked as it should be" }
    }

    /// The user whose consultations an operation may have changed.
    func user(of operation: Operation, _ random: RandomOperations) -> UserID? {
        switch operation {
        case .create(let user, _, _), .archive(let user, _), .open(let user, _, _), .read(let user, _),
            .createGoal(let user), .updateGoal(let user, _, _, _), .chatAboutGoal(let user, _), .readGoals(let user),
            .logMeal(let user, _), .readMealLog(let user, _), .listMealLogs(let user), .deleteGoal(let user, _),
            .deleteConsultation(let user, _), .deleteMealLog(let user, _), .deleteUser(let user):
            return random.users[user]
        case .close(let socket), .chat(let socket, _, _), .frame(let socket, _), .binary(let socket):
            let id = consultationOfSocket[SocketID(socket)].flatMap { ResourceID($0) }
            return id.flatMap { random.world.backend.consultations.position(of: $0) }.map {
                random.world.backend.consultations[$0].owner
            }
        }
    }

    /// Tracks what the sockets receive, and reports violations.
    mutating func hear(_ effects: [Effect], open: Set<UInt64>, _ world: World) -> [String] {
        var open = open
        var violations: [String] = []
        for effect in effects {
            switch effect {
            case .close(let socket, let code, _):
                seen.insert("close")
                if open.remove(socket.number) == nil { violations.append("\(socket) closed, and was not open") }
                if code != 1000 { violations.append("\(socket) closed with \(code)") }
                streamed[socket] = nil
            case .send(let socket, let text):
                guard open.contains(socket.number) else {
                    violations.append("a frame for \(socket), which is not open")
                    continue
                }
                guard let frame = try? JSON.parse(text), let type = frame["type"]?.string else {
                    violations.append("a frame that is not JSON")
                    continue
                }
                seen.insert(type)
                if let id = consultationOfSocket[socket], justDeleted.contains(id) { continue }
                if type.hasPrefix("meal_log.") {
                    if let id = frame["data"]?["id"]?.string, justDeleted.contains(id) { continue }
                    violations += mealEvents.hear(frame, on: socket, of: consultationOfSocket[socket], world)
                    continue
                }
                if type != "pong", frame["consultation_id"]?.string != consultationOfSocket[socket] {
                    violations.append("a frame of another consultation: \(frame)")
                }
                violations += hear(frame, type: type, on: socket, world)
            }
        }
        return violations
    }

    private mutating func hear(_ frame: JSONValue, type: String, on socket: SocketID, _ world: World) -> [String] {
        switch type {
        case "stream_chunk", "assistant_message_chunk": streamed[socket, default: ""] += frame["content"]?.string ?? ""
        case "assistant_message_start":
            if answersMayBreakOff { streamed[socket] = nil }
            if streamed[socket] != nil { return ["an answer begins within another: \(frame)"] }
        case "stream_complete", "assistant_message_end":
            guard let text = streamed.removeValue(forKey: socket), let id = consultationOfSocket[socket],
                let record = try? world.record(id)
            else { return ["an answer without chunks ends: \(frame)"] }
            let stored = record.history.messages.last { message in
                message.role == .assistant
                    && (message.content == text
                        // In the first protocol, nothing shows where an answer begins if the previous answer broke off.
                        || answersMayBreakOff && frame["message_id"] == nil && text.hasSuffix(message.content))
                    && frame["message_id"]?.string ?? message.id.description == message.id.description
            }
            if stored == nil { return ["what streamed is not what is stored: \(text)"] }
        default: break
        }
        return []
    }
}
