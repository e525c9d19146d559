import FitIQAPI
import Logging
import Sockets
import Traffic

/// A recording of a program's connections: a `SessionRecorder`, and the file that grows by it.
///
/// The file is complete at any time, see `TwinFile`. A full or failing disk ends only the recording: that is logged
/// once, as an error, and the program continues.
public final class SessionTap {
    private let recorder: SessionRecorder
    private let file: TwinFile
    private let program: String
    private let logger: Logger
    /// Whether the file can no longer be written.
    private var hasFailed = false
    /// The counts in the file.
    private var written = (requests: 0, sockets: 0)

    /// Bytes copied at a time when the finished file is made from the growing one.
    private static let pieceSize = 1 << 20

    /// The contents of a recording.
    public struct Summary: Sendable, Equatable {
        /// Requests with their answers, including refused handshakes.
        public var requests: Int
        public var sockets: Int
        public var isComplete: Bool
        public var place: Place

        public enum Place: Sendable, Equatable {
            /// At the requested path.
            case wanted
            /// In a file next to it, because it was moved, removed or replaced by another file meanwhile.
            case beside(String)
            /// Nowhere: it was moved or removed, perhaps with its folder.
            case gone
        }
    }

    /// Begins to record into a file, which is complete from now on; the log uses `program` as the program's name.
    ///
    /// A replaced file can be restored by ``discard()`` until ``write()``.
    ///
    /// - Throws: if the file cannot be created or written.
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

    /// Records a new connection; the scheme is `http` or `https`.
    public func opened(_ connection: UInt64, scheme: String) {
        if !hasFailed { recorder.opened(connection, scheme: scheme) }
    }

    public func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.clientSent(bytes, on: connection, at: time) }
    }

    public func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.serverSent(bytes, on: connection, at: time) }
    }

    /// Records the end of one side's stream.
    public func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp) {
        if !hasFailed { recorder.finished(connection, by: byServer ? .server : .client, at: time) }
    }

    public func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp) {
        if !hasFailed { recorder.ended(connection, by: byServer ? .server : .client, isReset: isReset, at: time) }
    }

    /// Writes what was recorded since the last call.
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

    /// Removes the file, for a program that cannot start after all.
    public func discard() {
        hasFailed = true
        file.discard()
    }

    /// Ends the recording: compacts the file, and moves it to its final place.
    ///
    /// If that fails, the file stays in its growing form, which opens just as well; the log says so.
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
        // If another file took its place, that is what is reported.
        if let trouble, place == .wanted { logger.warning("\(Messages.notCompacted(trouble.description))") }
        return Summary(
            requests: written.requests, sockets: written.sockets, isComplete: !hasFailed && !recorder.isFull,
            place: place)
    }

    /// Copies the pieces, many small ones at once.
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
                    // Another program has truncated the file.
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
    /// A silent one, for programs and tests that embed a proxy.
    static var silent: Logger { Logger(label: "proxy", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
