import FitIQAPI
import Logging
import Sessions
import Sockets

/// A recording of what goes on between a proxy and its upstream: a `SessionRecorder`, and the file that grows by it.
///
/// A disk that is full, or fails, ends the recording and nothing else: that is logged once, as an error, and the proxy goes on.
public final class SessionTap {
    private let recorder: SessionRecorder
    private let file: OutputFile
    private let logger: Logger
    /// Whether the file can be written no more.
    private var hasFailed = false

    /// Bytes that are copied at a time where the finished file is made of the one that grew.
    private static let pieceSize = 1 << 20

    /// What a recording came to.
    public struct Summary: Sendable, Equatable {
        /// Requests with their answers, refused handshakes among them.
        public var requests: Int
        /// WebSockets.
        public var sockets: Int
        /// Whether all of them are in the file.
        public var isComplete: Bool
    }

    /// Begins to record into a file, which is whole from now on.
    ///
    /// - Throws: where the file cannot be made or written.
    public init(
        _ settings: SessionRecorder.Settings, to path: String, existing: OutputFile.Existing = .refuse,
        logger: Logger? = nil
    ) throws(FileError) {
        let file = try OutputFile(creating: path, existing: existing)
        let recorder = SessionRecorder(settings: settings)
        do throws(FileError) {
            for write in recorder.takeWrites() { try file.write(write.bytes, at: write.offset) }
        } catch {
            file.discard()
            throw error
        }
        self.recorder = recorder
        self.file = file
        self.logger = logger ?? .silent
    }

    deinit { file.close() }

    /// Takes note of a new connection; the scheme is `http` or `https`.
    public func opened(_ connection: UInt64, scheme: String) {
        if !hasFailed { recorder.opened(connection, scheme: scheme) }
    }

    /// Takes what the client sent.
    public func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.clientSent(bytes, on: connection, at: time) }
    }

    /// Takes what the server sent.
    public func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.serverSent(bytes, on: connection, at: time) }
    }

    /// Takes note that one side sends no more.
    public func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp) {
        if !hasFailed { recorder.finished(connection, by: byServer ? .server : .client, at: time) }
    }

    /// Takes note that a connection is gone.
    public func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp) {
        if !hasFailed { recorder.ended(connection, by: byServer ? .server : .client, isReset: isReset, at: time) }
    }

    /// Writes what came up since the last call.
    public func write() {
        guard !hasFailed else { return }
        do throws(FileError) {
            for write in recorder.takeWrites() { try file.write(write.bytes, at: write.offset) }
        } catch {
            hasFailed = true
            logger.error("\(Messages.recordingStopped(error.description))")
        }
        for note in recorder.takeNotes() { logger.warning("\(note)") }
    }

    /// Ends the recording: the file is brought into order, and takes its own place.
    ///
    /// Where that fails, the file stays as it grew, which opens just as well; the log says so.
    public func finish(at time: Timestamp) -> Summary {
        var summary = Summary(requests: recorder.exchangeCount, sockets: recorder.socketCount, isComplete: false)
        guard !hasFailed else { return summary }
        let compaction = recorder.finish(at: time)
        write()
        guard !hasFailed else { return summary }
        summary = Summary(
            requests: recorder.exchangeCount, sockets: recorder.socketCount, isComplete: !recorder.isFull)
        do throws(FileError) {
            try compact(compaction)
        } catch {
            logger.warning("\(Messages.notCompacted(error.description))")
        }
        return summary
    }

    /// Copies the pieces, many small ones in one go.
    private func compact(_ compaction: SessionCompaction) throws(FileError) {
        let draft = try OutputFile(creating: file.path + ".part", existing: .replace)
        do throws(FileError) {
            var end = 0
            var pending: [UInt8] = []
            func flush() throws(FileError) {
                try draft.write(pending, at: end)
                end += pending.count
                pending.removeAll(keepingCapacity: true)
            }
            for piece in compaction.pieces {
                switch piece {
                case .bytes(let bytes): pending += bytes
                case .range(let range):
                    var start = range.lowerBound
                    while start < range.upperBound {
                        let bytes = try file.read(min(range.upperBound - start, Self.pieceSize), at: start)
                        // Somebody else has cut the file.
                        guard !bytes.isEmpty else { throw FileError(.read, path: file.path, code: FileError.cut) }
                        pending += bytes
                        start += bytes.count
                        if pending.count >= Self.pieceSize { try flush() }
                    }
                }
                if pending.count >= Self.pieceSize { try flush() }
            }
            try flush()
            try draft.move(to: file.path)
            draft.close()
        } catch {
            draft.discard()
            throw error
        }
    }
}

extension Logger {
    /// One that says nothing, for programs and tests that have a proxy within them.
    static var silent: Logger { Logger(label: "proxy", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
