import FitIQAPI
import Text

/// Records live connections as a HAR file: converts the bytes from both directions to file writes.
///
/// The recorder observes each connection (``ConnectionObserver``) and replaces secrets (``Redactor``). The file is
/// complete after every write. The recorder does no I/O: at the end of each turn, the caller performs the writes from
/// ``takeWrites()`` in order. Identical calls produce identical files. Only one thread may use the recorder.
public final class SessionRecorder {
    public struct Settings: Sendable, Equatable {
        /// The host in URLs, as `host:port`, or nil to use the requests' hosts.
        public var authority: String?
        public var creatorVersion: String
        /// Whether to keep secrets unredacted.
        public var keepsSecrets = false
        /// Paths to exclude, including everything below them: `/__admin` also covers `/__admin/worlds`.
        public var excludedPaths: [String] = []
        /// The limits of the file.
        ///
        /// The defaults keep the file readable. Beyond the limits, the recorder adds nothing to the file.
        public var fileLimits = HARLimits()
        /// The maximum memory for all connections, in bytes.
        ///
        /// If a connection takes the total above this limit, the recorder stops recording that connection.
        public var heldBytes = 512 * 1024 * 1024
        /// The memory limits for each connection.
        public var limits = ConnectionObserver.Limits()

        public init(creatorVersion: String) { self.creatorVersion = creatorVersion }
    }

    /// One recorded connection; it is a class so that the observer changes in place.
    private final class Tap {
        var observer: ConnectionObserver
        /// The number of the connection's WebSocket, or nil if none is recorded.
        var socket: Int?
        /// The observer's memory at the last check, in bytes.
        var heldBytes = 0

        init(_ observer: ConnectionObserver) { self.observer = observer }
    }

    /// A problem that is noted only once.
    private enum Lack { case room, placeholders }

    private let settings: Settings
    private var redactor = Redactor()
    private var writer: SessionWriter
    private var taps: [UInt64: Tap] = [:]
    private var newNotes: [String] = []
    private var keptNotes: [String] = []
    private var heldBytes = 0
    private var told: Set<Lack> = []

    /// The maximum number of notes in the file.
    ///
    /// ``takeNotes()`` returns all of them.
    public static let mostNotesInFile = 100
    /// The maximum width of a note in columns.
    ///
    /// Longer notes end with "…".
    public static let longestNote = 1000

    /// Starts a recording.
    ///
    /// The first write creates an empty file.
    public init(settings: Settings) {
        self.settings = settings
        writer = SessionWriter(creatorVersion: settings.creatorVersion, limits: settings.fileLimits)
    }

    public static let beginning = HAREncoder.beginning

    /// The number of recorded requests, including refused WebSocket handshakes.
    public var exchangeCount: Int { writer.exchangeCount }
    public var socketCount: Int { writer.socketCount }
    /// Whether the file has reached its limit, which means that the recorder no longer adds anything.
    public var isFull: Bool { writer.isFull }

    // MARK: Input

    /// Adds a connection.
    ///
    /// The connection's number must differ from the numbers of all open connections; the scheme is `http` or `https`.
    public func opened(_ connection: UInt64, scheme: String) {
        precondition(taps[connection] == nil, "connection \(connection) is already open")
        let observer = ConnectionObserver(scheme: scheme, authority: settings.authority, limits: settings.limits)
        taps[connection] = Tap(observer)
    }

    /// Receives bytes from the client.
    ///
    /// Bytes on a connection that is not open are ignored.
    public func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        observe(connection, at: time) { $0.receive(bytes, from: .client, at: time) }
    }

    /// Receives bytes from the server.
    ///
    /// Bytes on a connection that is not open are ignored.
    public func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        observe(connection, at: time) { $0.receive(bytes, from: .server, at: time) }
    }

    /// Handles one side's FIN.
    ///
    /// The other side may still send data.
    ///
    /// This call is optional if the caller sees only the end of whole connections; see ``ended(_:by:isReset:at:)``.
    public func finished(_ connection: UInt64, by party: Party, at time: Timestamp) {
        observe(connection, at: time) { $0.finished(by: party, at: time) }
    }

    /// Handles the end of a connection and the side that ended it.
    ///
    /// No calls for this connection may follow.
    public func ended(_ connection: UInt64, by party: Party, isReset: Bool, at time: Timestamp) {
        observe(connection, at: time) { $0.ended(by: party, isReset: isReset, at: time) }
        taps[connection] = nil
    }

    private func observe(_ connection: UInt64, at time: Timestamp, _ event: (inout ConnectionObserver) -> Void) {
        guard let tap = taps[connection] else { return }
        event(&tap.observer)
        record(tap, at: time)
    }

    // MARK: Output

    /// Returns the writes since the last call.
    ///
    /// Perform all the writes in order at the end of a turn, or perform none.
    public func takeWrites() -> [FileWrite] { writer.takeWrites() }

    /// Returns the log sentences about missing parts since the last call.
    public func takeNotes() -> [String] {
        defer { newNotes = [] }
        return newNotes
    }

    /// Ends the recording, and returns the finished file as pieces of the growing file.
    ///
    /// For unfinished exchanges, the parts that have arrived are recorded. The ranges become valid once the writes from
    /// a subsequent ``takeWrites()`` have been performed.
    public func finish(at time: Timestamp, shiftedBy shifts: [UInt64: Int64] = [:]) -> SessionCompaction {
        for (connection, tap) in taps.sorted(by: { $0.key < $1.key }) {
            let time = time.advanced(byNanoseconds: shifts[connection] ?? 0)
            tap.observer.recordingEnded(at: time)
            record(tap, at: time)
        }
        taps = [:]
        return writer.compaction(notes: keptNotes)
    }

    private func record(_ tap: Tap, at time: Timestamp) {
        heldBytes += tap.observer.heldByteCount - tap.heldBytes
        tap.heldBytes = tap.observer.heldByteCount
        if heldBytes > settings.heldBytes {
            tap.observer.giveUp(Messages.tooMuchHeld(limit: settings.heldBytes), at: time)
            heldBytes -= tap.heldBytes
            tap.heldBytes = 0
        }
        let observations = tap.observer.takeObservations()
        if observations.isEmpty { return }
        for observation in observations { record(observation, on: tap) }
        if writer.isFull, told.insert(.room).inserted { note(Messages.fileFull(settings.fileLimits)) }
        if redactor.hasTooManySecrets, told.insert(.placeholders).inserted {
            note(
                "More than \(SecretTable.mostSecrets) secrets were found: the remaining secrets are still "
                    + "replaced, but secrets of the same kind share one placeholder.")
        }
    }

    private func record(_ observation: WireEvent, on tap: Tap) {
        switch observation {
        case .exchange(var exchange):
            guard !isExcluded(exchange.request.url) else { return }
            let unread = settings.keepsSecrets || exchange.isSocket ? [] : exchange.unreadBodies
            if !settings.keepsSecrets { redactor.redact(&exchange) }
            for (party, coding) in unread {
                // This note is only for the log, because the file's entry is itself marked.
                newNotes.append(cut(Messages.unread(coding, from: party, exchange.request)))
            }
            if exchange.isSocket { tap.socket = writer.open(exchange) } else { writer.write(exchange) }
        case .frame(var frame):
            guard let number = tap.socket else { return }
            if !settings.keepsSecrets { redactor.redact(&frame) }
            writer.write(frame, to: number)
        case .socketEnded(let ending):
            guard let number = tap.socket else { return }
            tap.socket = nil
            writer.end(number, ending)
        case .note(var text):
            if !settings.keepsSecrets { redactor.redact(&text) }
            note(text)
        }
    }

    private func note(_ text: String) {
        let text = cut(text)
        newNotes.append(text)
        if keptNotes.count < Self.mostNotesInFile { keptNotes.append(text) }
    }

    /// Shortens a note, because it may quote long pieces of traffic with terminal escapes.
    private func cut(_ text: String) -> String { TerminalText.cut(TerminalText.escaped(text), width: Self.longestNote) }

    /// Whether a URL's path is excluded or below an excluded path.
    private func isExcluded(_ url: String) -> Bool {
        guard !settings.excludedPaths.isEmpty else { return false }
        let path = URLParts(url).path.utf8
        return settings.excludedPaths.contains { excluded in
            guard path.starts(with: excluded.utf8) else { return false }
            let next = path.dropFirst(excluded.utf8.count).first
            return next == nil || next == .slash || excluded.utf8.last == .slash
        }
    }
}

extension SessionExchange {
    /// Bodies with an unsupported content coding, which redaction leaves out.
    fileprivate var unreadBodies: [(Party, coding: String)] {
        func coding(_ fields: [SessionField], _ body: RecordedBody?) -> String? {
            let codings = fields.filter(\.isContentEncoding).map(\.value)
            return codings.isEmpty || body?.bytes.isEmpty != false ? nil : codings.joined(separator: ", ")
        }
        let ofRequest = coding(request.fields, request.body).map { (Party.client, $0) }
        let ofResponse = response.flatMap { coding($0.fields, $0.body) }.map { (Party.server, $0) }
        return [ofRequest, ofResponse].compactMap(\.self)
    }
}
