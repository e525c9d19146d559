import FitIQAPI
import Logging
import Sockets
import Traffic

/// An observer of a host's connections that sees their decrypted traffic.
///
/// The loop's thread makes all calls. A connection keeps its number from ``opened(_:scheme:)`` to
/// ``ended(_:byServer:isReset:at:)``. The host does not report a connection whose TLS handshake fails.
public protocol Tap: AnyObject {
    /// The system's clock was set forward by this number of nanoseconds, or set back if the number is negative.
    ///
    /// The times in the other calls ignore the change.
    func clockStepped(by step: Int64)
    /// A connection is ready; the scheme is `http` or `https`.
    func opened(_ connection: UInt64, scheme: String)
    func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp)
    /// Reports bytes that the client receives after the next ``write()``.
    func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp)
    /// One side ended its stream.
    func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp)
    /// One side ended the connection.
    func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp)
    /// Writes all bytes reported so far before it returns; then the host sends them to the clients.
    func write()
}

/// Records a host's connections: a `SessionRecorder` and its growing file.
///
/// The file is complete at all times; see `TwinFile`. If the disk is full or fails, the tap logs one error and stops
/// recording, and the host continues.
public final class SessionTap: Tap {
    private let recorder: SessionRecorder
    private let file: TwinFile
    private let program: String
    private let logger: Logger
    /// How far the system's date is ahead of the calls' times, in nanoseconds, now and at each connection's start.
    private var dateShift: Int64 = 0, dateShifts: [UInt64: Int64] = [:]
    /// Whether writing has failed or was abandoned.
    private var hasFailed = false
    /// The number of requests and the number of sockets in the file.
    private var written = (requests: 0, sockets: 0)

    /// The number of bytes that ``finish(at:)`` copies at a time.
    private static let pieceSize = 1 << 20

    public struct Summary {
        /// The number of requests, including refused handshakes.
        public let requests: Int
        public let sockets: Int
        public let isComplete: Bool
        public let place: Place

        /// Where the finished recording is.
        ///
        /// `wanted` is the requested path. `beside` is a file next to the recording, if another program moved, removed
        /// or replaced the recording. If `gone` is true, another program moved or removed the recording.
        public enum Place: Equatable { case wanted, beside(String), gone }
    }

    /// Starts recording into a file, which is always complete; `program` is the program's name in log messages.
    ///
    /// Until the first ``write()``, ``discard()`` restores a file that this one replaced.
    ///
    /// - Throws: An error if the file cannot be created or written.
    public init(
        _ settings: SessionRecorder.Settings, to path: String, existing: TwinFile.Existing = .refuse,
        program: String, logger: Logger = .silent
    ) throws(FileError) {
        (self.program, self.logger) = (program, logger)
        recorder = SessionRecorder(settings: settings)
        file = try TwinFile(
            creating: path, existing: existing, beginning: SessionRecorder.beginning, first: recorder.takeBatch())
    }

    public func opened(_ connection: UInt64, scheme: String) {
        guard !hasFailed else { return }
        if dateShift != 0 { dateShifts[connection] = dateShift }
        recorder.opened(connection, scheme: scheme)
    }

    public func clockStepped(by step: Int64) { dateShift += step }

    /// The date in the file, which ignores clock changes during the connection, so that durations stay correct.
    private func date(_ time: Timestamp, on connection: UInt64) -> Timestamp {
        dateShifts.isEmpty ? time : time.advanced(byNanoseconds: dateShifts[connection] ?? 0)
    }

    public func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.clientSent(bytes, on: connection, at: date(time, on: connection)) }
    }

    public func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        if !hasFailed { recorder.serverSent(bytes, on: connection, at: date(time, on: connection)) }
    }

    public func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp) {
        guard !hasFailed else { return }
        recorder.finished(connection, by: byServer ? .server : .client, at: date(time, on: connection))
    }

    public func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp) {
        guard !hasFailed else { return }
        let date = date(time, on: connection)
        dateShifts[connection] = nil
        recorder.ended(connection, by: byServer ? .server : .client, isReset: isReset, at: date)
    }

    public func write() {
        guard !hasFailed else { return }
        do throws(FileError) {
            try file.write(recorder.takeBatch())
            written = (recorder.exchangeCount, recorder.socketCount)
        } catch {
            hasFailed = true
            logger.error("\(Self.stopped(error.description, program: program, rest: file.settle()))")
        }
        for note in recorder.takeNotes() { logger.warning("\(note)") }
    }

    /// Removes the file when a program fails to start.
    public func discard() {
        hasFailed = true
        file.discard()
    }

    /// Ends the recording: compacts the file and moves it to its path.
    ///
    /// If that fails, the tap logs a warning and keeps the growing file, which is also valid.
    public func finish(at time: Timestamp) -> Summary {
        let compaction = recorder.finish(at: time, shiftedBy: dateShifts)
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
        // In all other cases, `place` already reports the problem.
        if let trouble, place == .wanted { logger.warning("\(Self.notCompacted(trouble.description))") }
        return Summary(
            requests: written.requests, sockets: written.sockets, isComplete: !hasFailed && !recorder.isFull,
            place: place)
    }

    /// Copies the pieces and combines small ones into one write.
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

/// The log messages.
extension SessionTap {
    static func stopped(_ reason: String, program: String, rest: String?) -> String {
        let rest = rest.map { "everything before that is in '\($0)'" } ?? "everything before that is also lost"
        return "THE RECORDING HAS STOPPED: \(reason). The \(program) continues without it; \(rest)"
    }

    static func notCompacted(_ reason: String) -> String {
        "the recording is complete, but the file still has unused space at its end: \(reason)"
    }
}

extension SessionRecorder {
    fileprivate func takeBatch() -> [(offset: Int, bytes: [UInt8])] {
        takeWrites().map { ($0.offset, $0.bytes) }
    }
}

extension Logger {
    /// A logger that discards everything, for programs and tests that embed a host.
    public static var silent: Logger { Logger(label: "silent", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
