import FitIQAPI
import JSON
import Testing

@testable import Traffic

/// A file in memory that is looked at after every write.
struct GrowingFile {
    var bytes: [UInt8] = []
    private(set) var writeCount = 0

    /// Does the writes; each must leave a file that is JSON, and, where asked, one that reads as a session.
    mutating func apply(_ writes: [FileWrite], reading: Bool = true) {
        for write in writes {
            write.apply(to: &bytes)
            writeCount += 1
            do {
                _ = try JSON.parse(bytes)
                if reading { _ = try session }
            } catch {
                Issue.record("write \(writeCount) at \(write.offset): \(error)")
            }
        }
    }

    var session: Session {
        get throws { try HARFile(reading: bytes).session }
    }

    /// The file in its finished form.
    func finished(_ compaction: SessionCompaction) -> [UInt8] {
        var result: [UInt8] = []
        for piece in compaction.pieces {
            switch piece {
            case .bytes(let new): result += new
            case .range(let range): result += bytes[range]
            }
        }
        #expect(result.count == compaction.byteCount)
        return result
    }
}

extension SessionRecorder {
    /// Plays a step on a connection.
    func play(_ step: WireStep, on connection: UInt64, at time: Timestamp) {
        switch step {
        case .client(let bytes): bytes.withUnsafeBytes { clientSent($0, on: connection, at: time) }
        case .server(let bytes): bytes.withUnsafeBytes { serverSent($0, on: connection, at: time) }
        case .finished(let party): finished(connection, by: party, at: time)
        case .ended(let party, let isReset): ended(connection, by: party, isReset: isReset, at: time)
        }
    }

    convenience init(change: (inout Settings) -> Void) {
        var settings = Settings(creatorVersion: "1.0")
        change(&settings)
        self.init(settings: settings)
    }
}
