import CLibrary
import FitIQAPI
import JSON
import Sockets

/// A file that tells other programs where a server is.
///
/// The file is created once the server is listening, and is the last thing removed when the server stops.
///
/// Only the user can read the file, because it contains the token and the API key. The server never replaces or removes
/// other programs' files, except for the ready file of a server that no longer runs. A stale file is removed before
/// this server listens, because it would mislead a program that is waiting for the file.
///
/// A server keeps its file locked while it runs, and only the lock's holder may remove a file. If two servers find the
/// same stale file, only one of them removes it, and only once. The lock also reveals servers whose process IDs mean
/// nothing here, such as a server in another container that shares the volume. Programs that only inspect the file hold
/// a shared lock for a moment. A server that wants to remove the file waits for them.
final class ReadyFile {
    let path: String
    /// The file, kept open while the server runs, so that no other file can get its inode number.
    private var file: OutputFile?
    static let limit = 64 << 10
    /// How long a server waits for programs that are only inspecting a file.
    private static let patience = Duration.milliseconds(200)

    /// The process that a ready file names.
    struct Writer: Equatable {
        let id: Int32
        /// When the process started, or nil if the file does not say.
        let startedAt: Timestamp?

        /// This process, as its ready file identifies it.
        static var current: Writer {
            Writer(id: CurrentProcess.identifier, startedAt: start(of: CurrentProcess.identifier))
        }

        /// Whether the process is running; the start time distinguishes it from a later process with the same ID.
        var isRunning: Bool {
            guard id != CurrentProcess.identifier, CurrentProcess.isRunning(id) else { return false }
            guard let startedAt, let start = Self.start(of: id) else { return true }
            // Both times are whole seconds, and the clock may have been changed.
            return abs(start.secondsSinceEpoch - startedAt.secondsSinceEpoch) <= 5
        }

        private static func start(of id: Int32) -> Timestamp? {
            CurrentProcess.age(of: id).map {
                Timestamp(secondsSinceEpoch: WallClock.nanosecondsSinceEpoch() / 1_000_000_000 - $0)
            }
        }
    }

    /// What exists at a path.
    enum State: Equatable {
        case absent
        /// Something other than a ready file is at the path.
        case foreign
        /// The ready file at the path belongs to a server that has ended.
        case stale(Writer)
        /// The ready file at the path belongs to a running server.
        ///
        /// `isRecorder` says whether the server forwards all requests, even `/ready`.
        case running(Writer, url: String, isRecorder: Bool = false)
    }

    /// Ensures that the path is free.
    ///
    /// - Parameter isRunning: whether this process exists and is not the current process.
    init(at path: String, isRunning: (Writer) -> Bool = \.isRunning) throws(Failure) {
        self.path = path
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            do throws(FileError) {
                guard code == ENOENT else { throw FileError(.write, path: path, code: code) }
                // Report this before the server listens and before it creates other files.
                try OutputFile.checkFolder(of: path)
            } catch {
                throw .file(error)
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .configuration(Messages.notReadyFile(path, Self.kind(status)))
        }
        try Self.removeStale(path, isRunning)
    }

    /// The ready file, if requested; its path is free.
    static func claimed(_ option: String?) throws(Failure) -> ReadyFile? {
        guard let path = try Settings.nonEmpty(option, .readyFile) else { return nil }
        return try ReadyFile(at: path)
    }

    private static func removeStale(_ path: String, _ isRunning: (Writer) -> Bool) throws(Failure) {
        let gate = try orFailure(try Gate(), Failure.running)
        let end = MonotonicInstant.now().advanced(by: patience)
        while true {
            let isLast = end <= .now()
            switch look(at: path, isRunning, whileStale: { unlink(path) == 0 || errno == ENOENT ? 0 : errno }) {
            case (.absent, _), (.stale, 0): return
            case (.foreign, _): throw .configuration(Messages.notReadyFile(path, nil))
            case (.running(let writer, _, _), _):
                guard !isRunning(writer), !isLast else {
                    throw .configuration(Messages.readyFileInUse(path, writer.id))
                }
                gate.wait(until: .now().advanced(by: .milliseconds(10)))
            case (.stale, let code): throw .file(FileError(.write, path: path, code: code))
            }
        }
    }

    /// The current state of a path.
    static func state(at path: String) -> State { look(at: path, \.isRunning).state }

    /// Returns the state of a path.
    ///
    /// If the file is stale, the closure runs under a lock, and its result is also returned.
    ///
    /// If there is no closure, other programs may inspect the file at the same time.
    private static func look(
        at path: String, _ isRunning: (Writer) -> Bool, whileStale: (() -> Int32)? = nil
    ) -> (state: State, code: Int32) {
        let file: OutputFile
        do throws(FileError) {
            // Open the file for writing if permitted, because NFS locks require that.
            do throws(FileError) {
                file = try OutputFile(opening: path)
            } catch {
                file = try OutputFile(opening: path, toRead: true)
            }
        } catch {
            return (error.cause == .system(ENOENT) ? .absent : .foreign, 0)
        }
        defer { file.close() }
        guard let bytes = try? file.read(limit + 1, at: 0), bytes.count <= limit, let writer = writer(of: bytes),
            let facts = try? JSON.parse(bytes), let url = facts["url"]?.string
        else { return (.foreign, 0) }
        let isLocked = (try? file.lock(isShared: whileStale == nil)) == nil
        guard !isLocked, !isRunning(writer) else {
            return (.running(writer, url: url, isRecorder: facts["upstream"] != nil), 0)
        }
        return (.stale(writer), whileStale?() ?? 0)
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        do throws(FileError) {
            let draft = try OutputFile(draftFor: path)
            do throws(FileError) {
                try draft.lock()
                try draft.write(bytes, at: 0)
                try draft.move(toFree: path)
            } catch {
                draft.discard()
                throw FileError(.write, path: path, cause: error.cause)
            }
            file = draft
        } catch {
            throw .file(error)
        }
    }

    /// Removes the file if it is still the one that this process wrote.
    func remove() {
        guard let file else { return }
        defer { file.close() }
        self.file = nil
        guard file.isAt(path), let bytes = try? file.read(Self.limit, at: 0),
            Self.writer(of: bytes)?.id == CurrentProcess.identifier
        else { return }
        unlink(path)
    }

    /// The file's contents; only a server that uses TLS includes TLS addresses, so that readers can tell whether the
    /// server uses TLS.
    static func content(
        url: String, _ facts: [(name: String, value: String)], secureURL: String?, caPath: String?, writer: Writer
    ) -> [UInt8] {
        let secure = secureURL.map { [("https_url", $0), ("wss_url", RunningServer.webSocket($0))] } ?? []
        let authority = caPath.map { [("ca_certificate", $0)] } ?? []
        var object: JSONObject = ["url": .string(url), "ws_url": .string(RunningServer.webSocket(url))]
        for (name, value) in facts + secure + authority { object[name] = .string(value) }
        object["pid"] = .number(JSONNumber(Int(writer.id)))
        object["started_at"] = writer.startedAt.map { .string($0.wireText) }
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    /// The process that wrote a ready file, or nil for other files.
    static func writer(of bytes: [UInt8]) -> Writer? {
        guard let value = try? JSON.parse(bytes), value["url"]?.string != nil, value["ws_url"]?.string != nil,
            let id = value["pid"]?.int.flatMap(Int32.init(exactly:)), id > 0
        else { return nil }
        return Writer(id: id, startedAt: value["started_at"]?.string.flatMap { Timestamp($0) })
    }

    private static func kind(_ status: stat) -> String {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFLNK: "a link"
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
