import FitIQAPI
import JSON

@testable import FitIQBackend

/// A consultation in a world with a script, and what its sockets receive, as lines with times.
struct Stage {
    var world: World
    let user: UserID
    let id: String
    /// The message ids in order of arrival: `#1` in lines.
    private var heard: [String] = []

    init(
        _ script: Script, persona: Persona = .nutritionist, pace: Pace = .human, mode: GuideMode = .union,
        limits: Limits = Limits()
    ) throws {
        world = World(pace: pace, mode: mode, limits: limits, script: script)
        user = try world.backend.user("user-1")
        _ = try world.create(persona, by: user)
        // Guides have the id in different places.
        id = world.backend.consultations[0].consultation.id.description
    }

    /// One script for every question.
    init(_ steps: [AnswerScript.Step], timing: StreamTiming = .even, pace: Pace = .human) throws {
        try self.init(Script(answers: [AnswerRule(script: AnswerScript(steps: steps, timing: timing))]), pace: pace)
    }

    /// Opens a socket, and drops its greeting.
    mutating func open(_ socket: UInt64) throws {
        try world.open(socket, on: id, by: user)
        _ = world.takeEffects()
    }

    mutating func ask(_ content: String = "Hello", from socket: UInt64 = 1, as chatProtocol: ChatProtocol = .stream) {
        switch chatProtocol {
        case .stream: world.message(content, from: socket)
        case .assistantMessage: world.userMessage(content, from: socket)
        }
    }

    /// What a socket receives from now on until nothing is due, or until a given time.
    mutating func lines(of socket: UInt64 = 1, until end: Int64 = .max) -> [String] {
        var lines: [String] = []
        func now() -> Int64 { world.turn.now.nanosecondsSinceEpoch - World.start.nanosecondsSinceEpoch }
        while true {
            for frame in world.takeEffects().frames(of: socket) { lines.append("\(Lines.time(now())) \(line(frame))") }
            guard let deadline = world.backend.nextDeadline,
                deadline.nanosecondsSinceEpoch - World.start.nanosecondsSinceEpoch <= end
            else { return lines }
            world.turn.now = max(world.turn.now, deadline)
            world.backend.advance(&world.turn)
        }
    }

    private mutating func line(_ frame: JSONValue) -> String {
        var words = [frame["type"]?.string ?? "no type"]
        if let id = frame["message_id"]?.string {
            if !heard.contains(id) { heard.append(id) }
            words.append("#\((heard.firstIndex(of: id) ?? 0) + 1)")
        }
        if let content = frame["content"]?.string { words.append("\"\(content)\"") }
        if let code = frame["code"]?.string { words.append(code) }
        if let error = frame["error"]?.string { words.append("\"\(error)\"") }
        if let metadata = frame["metadata"] {
            if let name = metadata["template_created"]?["name"]?.string { words.append("template \"\(name)\"") }
            if let function = metadata["function_called"]?.string { words.append("function \(function)") }
            if let tokens = metadata["tokens_used"]?.int, metadata["persona"] != nil {
                words.append("\(tokens) tokens")
            }
        }
        return words.joined(separator: " ")
    }

    /// The history as lines: `user "Hello"`, `assistant "About "`.
    func history() throws -> [String] { try world.record(id).history.messages.map { "\($0.role) \"\($0.content)\"" } }
}

extension StreamTiming {
    /// The first chunk after 0.5 s, then 20 a second.
    static let even = StreamTiming(firstChunk: 500_000_000, rate: .chunksPerSecond(20))
}

extension CreatedTemplate {
    static let run = CreatedTemplate(type: "goal", id: "run", name: "Run 5 km")
    static let swim = CreatedTemplate(type: "goal", id: "swim", name: "Swim")
}

extension Int64 {
    static func seconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
