import MockServer

/// A server that is filled up to a limit, and the measured calls.
struct Filling: Sendable {
    /// The contents that fill it.
    let name: String
    /// Its configuration.
    var configure: @Sendable (inout Engine.Configuration) throws -> Void = { _ in }
    /// Fills it.
    var fill: @Sendable (Turns) throws -> Void = { _ in }
    /// Whether to let started work end before measuring.
    var settles = true
    /// The measured actions, in this order.
    let rows: [Row]

    /// All of them.
    static let all: [Filling] =
        [meals, strangers, badRequests, goals, emptyServer] + [worlds, idleWorlds, faults, sockets, socketRules]
        + [fullWorld, madeUpMessages, session] + [manualClock, mealsAtOnce, mealsOverdue, followers]
        + [documents, templates, longHistory, accounts, waits, crowdedUser]
        + [patterns, finalBlocks, longText, operators, marked]
}

extension Turns {
    /// Makes a call many times, for this many users in turn.
    func fill(_ count: Int, _ call: Call, users: Int = 1, expecting status: Int = 201) throws {
        let requests = (0..<users).map { call.bytes(as: users == 1 ? DevelopmentCredentials.userID : "user-\($0)") }
        let id = open()
        for number in 0..<count {
            let answer = exchange(requests[number % users], on: id)
            guard answer.status == status else { throw Unexpected(answer.text) }
        }
    }

    /// Opens sockets, each for its own user, and asks the coach on each.
    func openSockets(_ count: Int, questions: Int = 0) throws {
        let question = Array(#"{"type":"message","content":"What should I eat for breakfast?"}"#.utf8)
        // A text in one frame, with a mask of zeros.
        let frame = [0x81, 0x80 | UInt8(question.count), 0, 0, 0, 0] + question
        for number in 0..<count {
            let user = "user-\(number)"
            let id = open()
            let created = exchange(
                Call("POST", "/api/v1/consultations", #"{"persona":"nutritionist"}"#).bytes(as: user), on: id)
            let text = created.text
            guard let start = text.firstRange(of: "\"data\":{\"id\":\"") else { throw Unexpected(text) }
            let consultation = text[start.upperBound...].prefix(36)
            let opened = exchange(Call.handshake("/api/v1/consultations/\(consultation)/ws").bytes(as: user), on: id)
            guard opened.status == 101 else { throw Unexpected(opened.text) }
            for _ in 0..<questions { _ = exchange(frame, on: id) }
        }
    }
}
