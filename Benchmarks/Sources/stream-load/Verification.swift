import Load

/// Compares the answers with what the server stored, and with its schedule.
struct Verification {
    /// One line for each mistake.
    private(set) var differences: [String] = []
    /// The number of answers compared with the stored message.
    private(set) var comparedAnswers = 0
    /// The number of those answers' chunks that never came.
    private(set) var lostChunks = 0
    /// Each chunk's lateness, in microseconds.
    private(set) var lateness: [Int32] = []

    /// The times of the chunks, by connection, answer and place; it lacks connections that were not compared.
    private var offsets: [UInt32: [[Int64]]] = [:]

    /// Fetches the history of every connection that ended well, and compares its answers.
    mutating func compareWithHistory(_ consultations: [Consultation], _ chatters: [Chatter], port: UInt16) throws {
        let client = try HTTPClient(port: port)
        for (index, chatter) in chatters.enumerated() where chatter.state == .finished {
            let path = consultations[index].messagesPath
            let answer = try client.exchange("GET", path, consultations[index].credentials)
            guard answer.status == 200, let stored = storedAnswers(in: answer.body) else {
                let got = "\(answer.status) \(String(decoding: answer.body.prefix(500), as: UTF8.self))"
                throw LoadError.unexpected(got, wanted: "200 with data.messages", during: "GET \(path)")
            }
            try compare(UInt32(index), received: chatter.answers, with: stored)
        }
    }

    /// Expects the same schedule for every answer, and compares no text.
    mutating func expect(_ answer: [Int64], of chatters: [Chatter]) {
        for (index, chatter) in chatters.enumerated() where chatter.state == .finished {
            offsets[UInt32(index)] = Array(repeating: answer, count: chatter.completed)
        }
    }

    /// Compares the joined chunks of a connection's answers, escaped as they came, with the stored messages.
    mutating func compare(_ connection: UInt32, received: [[UInt8]], with stored: [StoredAnswer]) throws {
        offsets[connection] = try stored.map { try expectedOffsets(messageID: $0.id, content: $0.content) }
        comparedAnswers += received.count
        if stored.count != received.count {
            report(connection, "\(received.count) answers received, \(stored.count) stored")
        }
        for (turn, (stored, received)) in zip(stored, received).enumerated() {
            let text = unescaped(received)
            guard text != stored.content else { continue }
            let got = text ?? String(decoding: received, as: UTF8.self)
            report(connection, "answer \(turn) is stored as '\(stored.content)', its chunks give '\(got)'")
        }
    }

    /// Compares the number and the arrivals of the chunks with the schedules of the answers compared before.
    mutating func compareWithSchedule(_ samples: [Sample]) {
        var counts = offsets.mapValues { [Int](repeating: 0, count: $0.count) }
        var early = 0
        lateness.reserveCapacity(samples.count)
        for sample in samples {
            let turn = Int(sample.turn)
            guard let expected = offsets[sample.connection], turn < expected.count else { continue }
            counts[sample.connection]?[turn] += 1
            guard Int(sample.index) < expected[turn].count else { continue }
            let late = Int64(sample.microseconds) - expected[turn][Int(sample.index)]
            if late < 0 { early += 1 }
            lateness.append(Int32(clamping: late))
        }
        // Time starts when the message is sent, before the server has it, so a chunk on schedule is never early.
        if early > 0 { differences.append("\(early) chunks came before they were due") }
        for (connection, counts) in counts.sorted(by: { $0.key < $1.key }) {
            for (turn, expected) in (offsets[connection] ?? []).enumerated() where counts[turn] != expected.count {
                lostChunks += max(0, expected.count - counts[turn])
                report(connection, "answer \(turn) came in \(counts[turn]) chunks, scheduled were \(expected.count)")
            }
        }
    }

    private mutating func report(_ connection: UInt32, _ what: String) {
        differences.append("connection \(connection): \(what)")
    }
}
