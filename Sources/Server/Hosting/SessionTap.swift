import FitIQAPI
import Logging
import Sockets
import Traffic

/// An observer of a host's connections that sees the actual traffic, decrypted.
///
/// All calls come on the loop's thread. A connection has its number from ``opened(_:scheme:)`` to
/// ``ended(_:byServer:isReset:at:)``; one whose TLS handshake fails is never reported.
public protocol Tap: AnyObject {
    /// The system's clock was set forward by this number of nanoseconds (back if negative); the times of calls do not
    /// follow it.
    func clockStepped(by step: Int64)
    /// A connection can be used; the scheme is `http` or `https`.
    func opened(_ connection: UInt64, scheme: String)
    func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp)
    /// Bytes that the client receives after the next ``write()``.
    func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp)
    /// One side sends no more.
    func finished(_ connection: UInt64, byServer: Bool, at time: Timestamp)
    /// The connection is gone, and one side ended it.
    func ended(_ connection: UInt64, byServer: Bool, isReset: Bool, at time: Timestamp)
    /// Writes everything reported so far before it returns: the clients receive it next.
    func write()
}

/// A recording of a host's connections: a `SessionRecorder`, and the file that grows by it.
///
/// The file is complete at any time, see `TwinFile`. A full or failing disk ends only the recording: that is logged
/// once, as an error, and the host continues.
public final class SessionTap: Tap {
    private let recorder: SessionRecorder
    private let file: TwinFile
    private let program: String
    private let logger: Logger
    /// How many nanoseconds the system's date is ahead of the times of calls, and was when later connections began.
    private var dateShift: Int64 = 0, dateShifts: [UInt64: Int64] = [:]
    /// Whether the file can no longer be written.
    private var hasFailed = false
    /// The counts in the file.
    private var written = (requests: 0, sockets: 0)

    /// Bytes copied at a time when the finished file is made from the growing one.
    private static let pieceSize = 1 << 20

    public struct Summary {
        /// Requests with their answers, including refused handshakes.
        public let requests: Int
        public let sockets: Int
        public let isComplete: Bool
        public let place: Place

        /// At the requested path; in a file next to it, because it was moved, removed or replaced by another file
        /// meanwhile; or nowhere, because it was moved or removed, perhaps with its folder.
        public enum Place: Equatable { case wanted, beside(String), gone }
    }

    /// Begins to record into a file, which is complete from now on; the log uses `program` as the program's name.
    ///
    /// A replaced file can be restored by ``discard()`` until ``write()``.
    ///
    /// - Throws: if the file cannot be created or written.
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

    /// The date in the file: a connection keeps its initial one, so its spans stay right.
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

    /// Removes the file, for a program that cannot start after all.
    public func discard() {
        hasFailed = true
        file.discard()
    }

    /// Ends the recording: compacts the file, and moves it to its final place.
    ///
    /// If that fails, the file stays in its growing form, which opens just as well; the log says so.
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
        // If another file replaced it, that is the reported error.
        if let trouble, place == .wanted { logger.warning("\(Self.notCompacted(trouble.description))") }
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

/// Its texts for people.
extension SessionTap {
    static func stopped(_ reason: String, program: String, rest: String?) -> String {
        let rest = rest.map { "what was recorded before is in '\($0)'" } ?? "what was recorded before is gone with it"
        return "THE RECORDING HAS STOPPED: \(reason). The \(program) goes on without it; \(rest)"
    }

    static func notCompacted(_ reason: String) -> String {
        "the recording is complete, but still has the spare room that it grew with: \(reason)"
    }
}

extension SessionRecorder {
    fileprivate func takeBatch() -> [(offset: Int, bytes: [UInt8])] {
        takeWrites().map { ($0.offset, $0.bytes) }
    }
}

extension Logger {
    /// A silent one, for programs and tests that embed a host.
    public static var silent: Logger { Logger(label: "silent", factory: { _ in SwiftLogNoOpLogHandler() }) }
}
