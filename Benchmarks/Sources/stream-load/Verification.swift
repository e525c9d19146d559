import FoundationEssentials
import Load

/// What became of the answers, against what the server stored and what it meant to send.
struct Verification {
    /// One line for each answer that differs, at most the first of each connection.
    private(set) var differences: [String] = []
    /// How many answers were compared with the stored message.
    private(set) var comparedAnswers = 0
    /// How many microseconds late each chunk was, negative when early; nil when the schedule is unknown.
    private(set) var lateness: [Int32]?

    /// Compares the concatenated chunks of every answer with the assistant's message in the history.
    mutating func compareWithHistory(_ consultations: [Consultation], _ chatters: [Chatter], port: UInt16) throws {
        let client = try HTTPClient(port: port)
        for (consultation, chatter) in zip(consultations, chatters) where chatter.state == .finished {
            let answer = try client.exchange("GET", consultation.messagesPath, consultation.credentials)
            guard answer.status == 200,
                let history = try? JSONDecoder().decode(History.self, from: Data(answer.body))
            else {
                let got = "\(answer.status) \(String(decoding: answer.body.prefix(500), as: UTF8.self))"
                throw LoadError.unexpected(
                    got, wanted: "200 with data.messages", during: "GET \(consultation.messagesPath)")
            }
            let stored = history.data.messages.filter { $0.role == "assistant" }.map(\.content)
            let received = try chatter.answers.map(unescaped)
            comparedAnswers += received.count
            if stored != received { differences.append("\(consultation.user): \(difference(stored, received))") }
        }
    }

    /// Compares the number of chunks of every answer, and the arrival of each, with the schedule.
    mutating func compareWithSchedule(
        _ consultations: [Consultation], _ load: StreamLoad, command: String?
    ) throws {
        var answers: [Answer] = []
        var firstAnswer: [Int] = []
        for (consultation, chatter) in zip(consultations, load.chatters) {
            firstAnswer.append(answers.count)
            for turn in 0..<chatter.turns {
                answers.append(Answer(user: consultation.user, consultationID: consultation.id, turn: turn))
            }
        }
        guard let expected = try expectedOffsets(of: answers, command: command) else { return }
        var counts = [Int](repeating: 0, count: answers.count)
        var late: [Int32] = []
        late.reserveCapacity(load.samples.count)
        for sample in load.samples {
            let answer = firstAnswer[Int(sample.connection)] + Int(sample.turn)
            counts[answer] += 1
            guard Int(sample.index) < expected[answer].count else { continue }
            late.append(Int32(clamping: Int64(sample.microseconds) - Int64(expected[answer][Int(sample.index)])))
        }
        lateness = late
        for (index, answer) in answers.enumerated() where counts[index] != expected[index].count {
            differences.append(
                "\(answer.user), answer \(answer.turn): \(counts[index]) chunks, scheduled \(expected[index].count)")
        }
    }

    private func difference(_ stored: [String], _ received: [String]) -> String {
        guard stored.count == received.count else {
            return "\(received.count) answers received, \(stored.count) stored"
        }
        let turn = zip(stored, received).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
        return "answer \(turn) is '\(stored[turn])', its chunks give '\(received[turn])'"
    }

    /// The text whose JSON string content these bytes are.
    private func unescaped(_ escaped: [UInt8]) throws -> String {
        let text =
            (try? JSONDecoder().decode([String].self, from: Data(Array("[\"".utf8) + escaped + Array("\"]".utf8))))
        guard let text = text?.first else {
            let got = String(decoding: escaped.prefix(200), as: UTF8.self)
            throw LoadError.unexpected(got, wanted: "the content of a JSON string", during: "joining chunks")
        }
        return text
    }
}

private struct History: Decodable {
    struct Fields: Decodable { let messages: [Message] }
    struct Message: Decodable {
        let role: String
        let content: String
    }
    let data: Fields
}
