import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

/// What always holds, looked at from inside after each of many random operations.
@Suite("Whatever happens") struct InvariantTests {
    @Test("the rules hold", arguments: [UInt64(2025)])
    func rules(seed: UInt64) throws {
        var random = try RandomOperations(seed: seed, userCount: 30)
        var model = Model(userCount: 30)
        for step in 0..<20_000 {
            if random.below(2) == 0 {
                let delay = Int64(random.below(20) == 0 ? random.below(5000) : random.below(60))
                random.world.pass(milliseconds: delay)
                // Half of the time the loop is late, and the operation finds what is due.
                if random.below(2) == 0 { random.world.backend.advance(&random.world.turn) }
            }
            let operation = random.draw()
            let expected = model.expectedOutcome(of: operation, random)
            let openBefore = Set(random.openSockets)
            let outcome = random.apply(operation)
            var violations: [String] = []
            if let expected, !expected(outcome) { violations.append("\(operation) ended with \(outcome)") }
            model.note(operation, outcome, random)
            let sockets = openBefore.union(random.openSockets)
            violations += model.hear(random.takeEffects(), open: sockets, random.world)
            violations += Invariants.violations(of: model.user(of: operation, random), in: random.world)
            if step.isMultiple(of: 20) { violations += Invariants.violationsOfBytes(in: random.world) }
            if step.isMultiple(of: 1000) { violations += Invariants.deepViolations(of: random.world) }
            guard violations.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(violations.joined(separator: "; "))")
                return
            }
        }
        random.world.waitForAllAnswers()
        let last = model.hear(random.takeEffects(), open: Set(random.openSockets), random.world)
        #expect(last + Invariants.deepViolations(of: random.world) == [], "seed \(seed)")
        #expect(random.world.backend.consultations.allSatisfy { $0.answer == nil && $0.waiting.isEmpty })
        #expect(random.world.backend.nextDeadline == nil)
        // The seed led everywhere.
        #expect(model.seen == Model.everything, "seed \(seed)")
    }
}

/// What an onlooker without access to the backend expects.
struct Model {
    /// The active consultations of each user.
    private var active: [[Topic: String]]
    /// What each socket has heard of the answer that streams.
    private var streamed: [SocketID: String] = [:]
    private var consultationOfSocket: [SocketID: String] = [:]
    private(set) var seen: Set<String> = []

    static let everything: Set<String> = [
        "201", "400", "404", "409", "429", "archived", "connected", "message_received", "stream_chunk",
        "stream_complete",
        "user_message", "assistant_message_start", "assistant_message_chunk", "assistant_message_end", "pong", "error",
        "close",
    ]

    init(userCount: Int) {
        active = Array(repeating: [:], count: userCount)
    }

    /// Says whether an outcome is the right one, where the onlooker knows.
    func expectedOutcome(of operation: Operation, _ random: RandomOperations) -> ((Outcome) -> Bool)? {
        switch operation {
        case .create(let user, let persona, let context):
            let existing = active[user][Topic(persona: persona, context: context)]
            let isFull = active[user].count == 10
            return { outcome in
                guard case .refused(let error) = outcome else {
                    return context.type != .goal && existing == nil && !isFull
                }
                if context.type == .goal { return error.status.code == 404 }
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
        case .close, .chat, .frame, .binary:
            return { $0 == .done }
        }
    }

    mutating func note(_ operation: Operation, _ outcome: Outcome, _ random: RandomOperations) {
        if case .refused(let error) = outcome { seen.insert("\(error.status.code)") }
        switch (operation, outcome) {
        case (.create(let user, let persona, let context), .body):
            seen.insert("201")
            active[user][Topic(persona: persona, context: context)] = random.ids[user].last
        case (.archive(let user, let id), .body):
            seen.insert("archived")
            active[user] = active[user].filter { $0.value != id }
        case (.open(_, let id, let socket), .done):
            consultationOfSocket[SocketID(socket)] = id
        default: break
        }
    }

    /// The user whose consultations an operation may have changed.
    func user(of operation: Operation, _ random: RandomOperations) -> UserID? {
        switch operation {
        case .create(let user, _, _), .archive(let user, _), .open(let user, _, _), .read(let user, _):
            return random.users[user]
        case .close(let socket), .chat(let socket, _, _), .frame(let socket, _), .binary(let socket):
            let id = consultationOfSocket[SocketID(socket)].flatMap { ResourceID($0) }
            return id.flatMap { random.world.backend.positions[$0] }.map {
                random.world.backend.consultations[$0].owner
            }
        }
    }

    /// Follows what the sockets are told, and says what is wrong with it.
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
        case "stream_chunk", "assistant_message_chunk":
            streamed[socket, default: ""] += frame["content"]?.string ?? ""
        case "assistant_message_start":
            if streamed[socket] != nil { return ["an answer begins within another: \(frame)"] }
        case "stream_complete", "assistant_message_end":
            guard let text = streamed.removeValue(forKey: socket), let id = consultationOfSocket[socket],
                let record = try? world.record(id)
            else { return ["an answer without chunks ends: \(frame)"] }
            let stored = record.history.messages.last { message in
                message.role == .assistant
                    && (message.content == text
                        && frame["message_id"]?.string ?? message.id.description == message.id.description)
            }
            if stored == nil { return ["what streamed is not what is stored: \(text)"] }
        default: break
        }
        return []
    }
}
