import FitIQAPI
import Recording
import Text

/// Records connections as a HAR file while they go on: the bytes of both directions in, writes to the file out.
///
/// It reads along on each connection (``ConnectionObserver``), replaces secrets (``Redactor``), and has the file whole
/// after every write. It does no I/O: at the end of each turn of its loop, the shell does what ``takeWrites()`` gives, in
/// order. Equal calls give equal files. For one thread.
public final class SessionRecorder {
    /// What is recorded, and how.
    public struct Settings: Sendable, Equatable {
        /// Stands in URLs in place of the host that requests name, as `host:port`; nil for what they name.
        public var authority: String?
        /// The version that the file names as its creator's.
        public var creatorVersion: String
        /// Whether secrets are written as they are.
        public var keepsSecrets = false
        /// Paths that are not recorded, nor what is below them: `/__admin` stands for `/__admin/worlds` as well.
        public var excludedPaths: [String] = []
        /// What the file may have: beyond it nothing more is recorded, and what is there stays whole.
        ///
        /// The default is what can be read again.
        public var fileLimits = HARLimits()
        /// The most bytes that all connections together keep in memory; the one that passes it is recorded no further.
        public var heldBytes = 512 * 1024 * 1024
        /// How much of each connection is kept in memory.
        public var limits = ConnectionObserver.Limits()

        /// The defaults, to be changed field by field.
        public init(creatorVersion: String) { self.creatorVersion = creatorVersion }
    }

    /// A class, so that an observer changes in place.
    private final class Tap {
        var observer: ConnectionObserver
        /// The number of its WebSocket; nil where there is none that is recorded.
        var socket: Int?
        /// How much the observer held when it was last asked.
        var heldBytes = 0

        init(_ observer: ConnectionObserver) { self.observer = observer }
    }

    private let settings: Settings
    private var redactor = Redactor()
    private var writer: SessionWriter
    private var taps: [UInt64: Tap] = [:]
    private var observations: [Observation] = []
    private var newNotes: [String] = []
    private var keptNotes: [String] = []
    private var heldBytes = 0
    private var toldFull = false
    private var toldSecrets = false

    /// So many notes go into the file; all of them go to ``takeNotes()``.
    public static let mostNotesInFile = 100
    /// A note has so many columns at most; what is longer ends with "…".
    public static let longestNote = 1000

    /// Begins a recording; the first of the writes is an empty file.
    public init(settings: Settings) {
        self.settings = settings
        writer = SessionWriter(creatorVersion: settings.creatorVersion, limits: settings.fileLimits)
    }

    /// What every recording of ours begins with.
    public static let beginning = HAREncoder.beginning

    /// How many requests were recorded, refused WebSocket handshakes among them.
    public var exchangeCount: Int { writer.exchangeCount }
    /// How many WebSockets were recorded.
    public var socketCount: Int { writer.socketCount }
    /// Whether the file has reached its limit, so that nothing more is recorded.
    public var isFull: Bool { writer.isFull }

    // MARK: What goes on

    /// Takes note of a new connection; the scheme is `http` or `https`.
    ///
    /// - Precondition: no connection with that number is open.
    public func opened(_ connection: UInt64, scheme: String) {
        precondition(taps[connection] == nil, "connection \(connection) is open already")
        taps[connection] = Tap(
            ConnectionObserver(scheme: scheme, authority: settings.authority, limits: settings.limits))
    }

    /// Takes what the client sent; bytes of a connection that is not open are passed over.
    public func clientSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        guard let tap = taps[connection] else { return }
        tap.observer.clientSent(bytes, at: time, into: &observations)
        record(tap, at: time)
    }

    /// Takes what the server sent; bytes of a connection that is not open are passed over.
    public func serverSent(_ bytes: UnsafeRawBufferPointer, on connection: UInt64, at time: Timestamp) {
        guard let tap = taps[connection] else { return }
        tap.observer.serverSent(bytes, at: time, into: &observations)
        record(tap, at: time)
    }

    /// Takes note that one side sends no more (FIN), while the other still may.
    ///
    /// Optional: whoever only sees connections end as a whole calls ``ended(_:by:isReset:at:)``.
    public func finished(_ connection: UInt64, by party: Party, at time: Timestamp) {
        guard let tap = taps[connection] else { return }
        tap.observer.finished(by: party, at: time, into: &observations)
        record(tap, at: time)
    }

    /// Takes note that a connection is gone, and of who ended it; nothing more comes on it.
    public func ended(_ connection: UInt64, by party: Party, isReset: Bool, at time: Timestamp) {
        guard let tap = taps.removeValue(forKey: connection) else { return }
        tap.observer.ended(by: party, isReset: isReset, at: time, into: &observations)
        record(tap, at: time)
    }

    // MARK: What comes of it

    /// The writes since the last call, to be done in order at the end of a turn, all of them or none.
    public func takeWrites() -> [FileWrite] { writer.takeWrites() }

    /// Sentences since the last call on what is missing from the recording, for the log.
    public func takeNotes() -> [String] {
        defer { newNotes = [] }
        return newNotes
    }

    /// Ends the recording; the finished file as pieces of the one that grew.
    ///
    /// What was half done on open connections is recorded as far as it went. The ranges hold once the writes that
    /// ``takeWrites()`` gives after this call are done.
    public func finish(at time: Timestamp) -> SessionCompaction {
        for (_, tap) in taps.sorted(by: { $0.key < $1.key }) {
            tap.observer.recordingEnded(at: time, into: &observations)
            record(tap, at: time)
        }
        taps = [:]
        return writer.compaction(notes: keptNotes)
    }

    private func record(_ tap: Tap, at time: Timestamp) {
        heldBytes += tap.observer.heldByteCount - tap.heldBytes
        tap.heldBytes = tap.observer.heldByteCount
        if heldBytes > settings.heldBytes {
            tap.observer.giveUp(Messages.tooMuchHeld(limit: settings.heldBytes), at: time, into: &observations)
            heldBytes -= tap.heldBytes
            tap.heldBytes = 0
        }
        guard !observations.isEmpty else { return }
        for index in observations.indices { record(observations[index], on: tap) }
        observations.removeAll(keepingCapacity: true)
        if writer.isFull, !toldFull {
            toldFull = true
            note(Messages.fileFull(settings.fileLimits))
        }
        if redactor.hasTooManySecrets, !toldSecrets {
            toldSecrets = true
            note(Messages.tooManySecrets(limit: SecretTable.mostSecrets))
        }
    }

    private func record(_ observation: Observation, on tap: Tap) {
        switch observation {
        case .exchange(var exchange):
            guard !isExcluded(exchange.request.url) else { return }
            if !settings.keepsSecrets { redactor.redact(&exchange) }
            writer.write(exchange)
        case .socketOpened(var socket):
            guard !isExcluded(socket.request.url) else { return }
            if !settings.keepsSecrets { redactor.redact(&socket) }
            tap.socket = writer.open(socket)
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
        // A note may quote what was sent, which may be long, and may be made for the terminal that it is shown on.
        let text = TerminalText.cut(TerminalText.escaped(text), width: Self.longestNote)
        newNotes.append(text)
        if keptNotes.count < Self.mostNotesInFile { keptNotes.append(text) }
    }

    /// Whether a URL's path is one of those that are not recorded, or below one.
    private func isExcluded(_ url: String) -> Bool {
        guard !settings.excludedPaths.isEmpty else { return false }
        let path = Self.path(of: url)
        return settings.excludedPaths.contains { excluded in
            guard path.starts(with: excluded.utf8) else { return false }
            let next = path.dropFirst(excluded.utf8.count).first
            return next == nil || next == UInt8(ascii: "/") || excluded.utf8.last == UInt8(ascii: "/")
        }
    }

    private static func path(of url: String) -> Substring.UTF8View {
        var rest = url.utf8[...]
        var slashes = 0
        while slashes < 3, let byte = rest.first {
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if slashes < 3 { rest.removeFirst() }
        }
        return rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }
}
