import FitIQAPI
import Logging
import Sessions
import Sockets

/// A recording of what goes over the connections of a program: a `SessionRecorder`, and the file that grows by it.
///
/// The file is whole at any time, see `TwinFile`. A disk that is full, or fails, ends the recording and nothing else: that is
/// logged once, as an error, and the program goes on.
public final class SessionTap {
    private let recorder: SessionRecorder
    private let file: TwinFile
    private let program: String
    private let logger: Logger
    /// Whether the file can be written no more.
    private var hasFailed = false
    /// How much is in the file.
    private var written = (requests: 0, sockets: 0)

    /// Bytes that are copied at a time where the finished file is made of the one that grew.
    private static let pieceSize = 1 << 20

    /// What a recording came to.
    public struct Summary: Sendable, Equatable {
        /// Requests with their answers, refused handshakes among them.
        public var requests: Int
        /// WebSockets.
        public var sockets: Int
        /// Whether nothing is missing.
        public var isComplete: Bool
        /// Where they are.
        public var place: Place

        /// Where a recording is.
        public enum Place: Sendable, Equatable {
            /// Where it was to be.
            case wanted
            /// In a file beside that, because it was moved, removed or replaced by another file meanwhile.
            case beside(String)
            /// Nowhere: it was moved or removed, with its folder perhaps.
            case gone
        }
    }

    /// Begins to record into a file, which is whole from now on; the log calls the program by that name.
    ///
    /// A file that is replaced can be brought back by ``discard()`` until ``write()``.
    ///
    /// - Throws: where the file cannot be made or written.
    public init(
        _ settings: SessionRecorder.Settings, to path: String, existing: TwinFile.Existing = .refuse,
        program: String, logger: Logger? = nil
    ) throws(FileError) {
        recorder = SessionRecorder(settings: settings)
        file = try TwinFile(
            creating: path, existing: existing, beginning: SessionRecorder.beginning, first: recorder.takeBatch())
        self.program = program
        self.logger = logger ?? .silent
    }

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
            try file.write(recorder.takeBatch())
            written = (recorder.exchangeCount, recorder.socketCount)
        } catch {
            hasFailed = true
            let message = Messages.recordingStopped(error.description, program: program, rest: file.settle())
            logger.error("\(message)")
        }
        for note in recorder.takeNotes() { logger.warning("\(note)") }
    }

    /// Takes the file back, for a program that cannot start after all.
    public func discard() {
        hasFailed = true
        file.discard()
    }

    /// Ends the recording: the file is brought into order, and takes its own place.
    ///
    /// Where that fails, the file stays as it grew, which opens just as well; the log says so.
    public func finish(at time: Timestamp) -> Summary {
        let compaction = recorder.finish(at: time)
        write()
        var trouble: FileError?
        if !hasFailed {
            do throws(FileError) {
                try file.finish { append throws(FileError) in try compact(compaction, into: append) }
            } catch {
                trouble = error
            }
        }
        let place: Summary.Place =
            switch file.settle() {
            case nil: .gone
            case file.path?: .wanted
            case let path?: .beside(path)
            }
        // Where its place was taken from it, that is what there is to tell.
        if let trouble, place == .wanted { logger.warning("\(Messages.notCompacted(trouble.description))") }
        return Summary(
            requests: written.requests, sockets: written.sockets, isComplete: !hasFailed && !recorder.isFull,
            place: place)
    }

    /// Copies the pieces, many small ones in one go.
    private func compact(
        _ compaction: SessionCompaction, into append: (_ bytes: [UInt8]) throws(FileError) -> Void
    ) throws(FileError) {
        var pending: [UInt8] = []
        func flush() throws(FileError) {
            try append(pending)
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
                    guard !bytes.isEmpty else { throw FileError(.read, path: file.path, cause: .cut) }
                    pending += bytes
                    start += bytes.count
                    if pending.count >= Self.pieceSize { try flush() }
                }
            }
            if pending.count >= Self.pieceSize { try flush() }
        }
        try flush()
    }
}

extension SessionRecorder {
    fileprivate func takeBatch() -> [(offset: Int, bytes: [UInt8])] {
        takeWrites().map { ($0.offset, $0.bytes) }
    }
}

extension Logger {
    /// One that says nothing, for programs and tests that have a proxy within them.
    static var silent: Logger { Logger(label: "proxy", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
