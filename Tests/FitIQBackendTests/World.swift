import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

/// A backend with a manual clock.
struct World {
    /// 2025-01-29T10:30:00Z.
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)
    static let origin = "http://127.0.0.1:8080"

    var backend: Backend
    var turn: Turn

    init(
        seed: UInt64 = 1, pace: Pace = .human, mode: GuideMode = .union, limits: Limits = Limits(),
        script: Script = Script(), perTopic: ConsultationsPerTopic = .one
    ) {
        backend = Backend(
            Backend.Configuration(
                origin: World.origin, pace: pace, mode: mode, limits: limits, script: script,
                rules: WorldRules(perTopic: perTopic)))
        turn = Turn(now: World.start, identifiers: ResourceIDSequence(seed: seed))
    }

    // MARK: Beginnings

    func withUser(_ id: ExactString = "user-1") throws(APIError) -> (World, UserID) {
        var world = self
        let user = try world.backend.user(id)
        return (world, user)
    }

    func withTwoUsers(
        _ first: ExactString = "user-1", _ second: ExactString = "user-2"
    ) throws(APIError) -> (World, UserID, UserID) {
        var world = self
        let (one, other) = (try world.backend.user(first), try world.backend.user(second))
        return (world, one, other)
    }

    /// The world with a user, and the id of the user's consultation.
    func withConsultation(_ id: ExactString = "user-1") throws(APIError) -> (World, UserID, String) {
        var (world, user) = try withUser(id)
        let consultation = try world.create(by: user)
        return (world, user, consultation)
    }

    /// The world with a consultation and open sockets, whose greetings are still among the effects.
    func chatting(_ id: ExactString = "user-1", on sockets: [UInt64] = [1]) throws(APIError) -> (World, UserID, String)
    {
        var (world, user, consultation) = try withConsultation(id)
        for number in sockets { try world.open(number, on: consultation, by: user) }
        return (world, user, consultation)
    }

    // MARK: Time

    /// Moves the clock without serving deadlines, like a late loop.
    mutating func pass(milliseconds: Int64) { turn.now = turn.now.advanced(byNanoseconds: milliseconds * 1_000_000) }

    /// Moves the clock and serves what is due.
    mutating func wait(milliseconds: Int64) {
        pass(milliseconds: milliseconds)
        backend.advance(&turn)
    }

    /// Serves all future deadlines, each at its time.
    mutating func waitForAllAnswers() {
        while let deadline = backend.nextDeadline {
            turn.now = max(turn.now, deadline)
            backend.advance(&turn)
        }
    }

    // MARK: Commands

    mutating func create(
        _ persona: Persona = .nutritionist, _ context: ConsultationContext = .general, title: String? = nil,
        by user: UserID
    ) throws(APIError) -> String {
        let request = CreateConsultationRequest(persona: persona, context: context, title: title)
        return World.id(of: try backend.createConsultation(request, by: user, &turn))
    }

    mutating func archive(_ id: String, by user: UserID) throws(APIError) -> [UInt8] {
        try backend.archive(id, by: user, &turn)
    }

    mutating func open(_ number: UInt64, on id: String, by user: UserID) throws(APIError) {
        try backend.openSocket(SocketID(number), on: id, by: user, &turn)
    }

    mutating func close(_ number: UInt64) { backend.closeSocket(SocketID(number)) }

    mutating func send(_ text: String, from number: UInt64) {
        backend.receive(text: text.bytes, from: SocketID(number), &turn)
    }

    /// Chats in the consultation-websocket protocol.
    mutating func message(_ content: String, from number: UInt64) {
        send(#"{"type":"message","content":"\#(content)"}"#, from: number)
    }

    /// Chats in the enhanced-consultations protocol.
    mutating func userMessage(_ content: String, from number: UInt64) {
        send(#"{"type":"user_message","content":"\#(content)"}"#, from: number)
    }

    /// The output to sockets since the last call, after all answers.
    @discardableResult
    mutating func takeAnswers() -> [Effect] {
        waitForAllAnswers()
        return takeEffects()
    }

    /// The output to sockets since the last call, after a wait.
    mutating func takeEffects(after milliseconds: Int64) -> [Effect] {
        wait(milliseconds: milliseconds)
        return takeEffects()
    }

    /// The output to sockets since the last call.
    mutating func takeEffects() -> [Effect] {
        let effects = turn.effects
        turn.effects = []
        return effects
    }

    // MARK: Reading

    func show(_ id: String, for user: UserID) throws -> JSONValue {
        let body = try JSON.parse(try backend.consultation(id, for: user))
        return body["data"] ?? .null
    }

    /// The history, without the side effects of reading it.
    func messages(_ id: String, _ query: [(name: String, value: String)] = [], for user: UserID) throws -> JSONValue {
        let body = try JSON.parse(try history(id, query, for: user))
        return body["data"] ?? .null
    }

    func history(
        _ id: String, _ query: [(name: String, value: String)] = [], for user: UserID
    ) throws(APIError) -> [UInt8] {
        var copy = backend
        return try copy.messages(id, query: query, for: user, turn).make()
    }

    func list(_ query: [(name: String, value: String)] = [], for user: UserID) throws -> JSONValue {
        let body = try JSON.parse(backend.consultations(try ConsultationListQuery(query: query), for: user))
        return body["data"] ?? .null
    }

    func record(_ id: String) throws -> ConsultationRecord {
        guard let position = ResourceID(id).flatMap({ backend.consultations.position(of: $0) }) else {
            throw UnknownID(id: id)
        }
        return backend.consultations[position]
    }

    struct UnknownID: Error { let id: String }

    private static func id(of body: [UInt8]) -> String {
        let answer = try? JSON.parse(body)
        return (answer?["data"]?["id"] ?? answer?["consultation_id"])?.string ?? ""
    }
}

extension String { var bytes: [UInt8] { Array(utf8) } }

extension Limits {
    static func with(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }
}

extension Shelf { var last: Record? { positions.map { $0 }.last.map { self[$0] } } }

/// The API error that an attempt throws, or nil if the attempt succeeds.
func refusal<Success>(_ attempt: @autoclosure () throws -> Success) -> APIError? {
    do {
        _ = try attempt()
    } catch let error as APIError {
        return error
    } catch {
        Issue.record(error)
    }
    return nil
}

extension [Effect] {
    /// The frames that one socket received, as JSON.
    func frames(of number: UInt64) -> [JSONValue] {
        compactMap { effect in
            guard case .send(SocketID(number), let text) = effect else { return nil }
            return try? JSON.parse(text)
        }
    }

    /// The texts that one socket received.
    func texts(of number: UInt64) -> [String] {
        compactMap { effect in
            guard case .send(SocketID(number), let text) = effect else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// A summary of what one socket received: the types of its frames, with repeated types once, and its close.
    func story(of number: UInt64) -> [String] {
        var story: [String] = []
        for effect in self {
            switch effect {
            case .send(SocketID(number), let text):
                let type = (try? JSON.parse(text))?["type"]?.string ?? "no type"
                if story.last != type { story.append(type) }
            case .close(SocketID(number), let code, let reason): story.append("close \(code) \(reason)")
            default: break
            }
        }
        return story
    }

    /// One socket's chunks, joined together, in either protocol.
    func streamed(to number: UInt64) -> String {
        frames(of: number).filter { ["stream_chunk", "assistant_message_chunk"].contains($0["type"]?.string) }
            .compactMap { $0["content"]?.string }.joined()
    }
}

extension JSONValue {
    /// The members that have this name in an array's elements.
    func all(_ name: String) -> [String] { (array ?? []).compactMap { $0[name]?.string } }
}

extension AnswerInProgress {
    /// The due times after the start.
    var offsets: [Int64] { timeline.moments.map(\.offset) }
    /// The whole text of the streaming answer.
    var text: String { current.text }
}
