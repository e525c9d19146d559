import FitIQAPI
import HTTP1
import Judging
import Testing
import Traffic
import WebSocket

@testable import ContractSuite

/// An event in a made-up run, with its time in seconds and its connection.
typealias Moment = (at: Double, connection: UInt64, event: JournalEvent)

extension Timestamp {
    /// The beginning of made-up runs.
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    static func after(_ seconds: Double) -> Timestamp {
        start.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
    }
}

extension RequestHead {
    init(_ line: String, _ fields: String = "") throws {
        try self.init(recorded: Array("\(line) HTTP/1.1\r\n\(fields)".utf8))
    }
}

extension RecordedFrame {
    init(_ text: String, by party: Party = .server) {
        self.init(sender: party, opcode: .text, payload: Array(text.utf8))
    }
}

extension TrialOutcome {
    init(_ moments: [Moment] = []) {
        self.init(mode: .union, startedAt: .start)
        entries = moments.enumerated().map { index, moment in
            JournalEntry(number: index + 1, time: .after(moment.at), connection: moment.connection, event: moment.event)
        }
    }

    var points: Points { Points(self, TrialReading(self)) }

    func symptoms(
        _ oracle: Oracle = Oracle(Story.all), story: Int = 0, isHarmed: Bool = true, isNewer: Bool = false
    ) -> [Symptom] { oracle.symptoms(of: self, TrialReading(self), story: story, isHarmed: isHarmed, isNewer: isNewer) }
}

extension Schedule.Fault {
    init(_ id: String, at place: FaultPoint.Place) throws {
        self.init(try #require(FaultKind.named(id), "\(id)"), at: place)
    }
}

extension Schedule {
    init(_ id: String, at place: FaultPoint.Place, story: Int = 0) throws {
        self.init(story: story, faults: [try Fault(id, at: place)])
    }

    /// Plays the schedule's story with the reference client.
    func play() async throws -> TrialOutcome {
        try await MemoryTrial.reference.run(scenario(on: Story.all[story].scenario), story: story)
    }
}

extension MemoryTrial {
    static let reference = MemoryTrial { try ReferenceClient($0, network: $1) }

    /// A client that repeats requests after a tenth of a second.
    static let hasty = MemoryTrial { surroundings, network in
        try ReferenceClient(surroundings, network: network) { $0.retries.firstDelay = .milliseconds(100) }
    }
}
