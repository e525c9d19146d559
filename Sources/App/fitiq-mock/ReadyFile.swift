import CLibrary
import JSON
import Sockets

/// The file that tells others where a server is: it appears when the server listens, and goes when it has stopped.
///
/// Files of other programs are neither replaced nor removed, except one left by a server that no longer runs. That one
/// is removed before this server listens, because it would misdirect a program that waits for the file.
///
/// A server keeps its file locked while it runs, and only the holder of the lock removes one: if two find the same
/// stale file, one removes it, once. The lock also reveals servers whose process ids mean nothing here, in another
/// container on the same volume.
final class ReadyFile {
    let path: String
    /// Kept open while the server runs: until then no other file can have its inode number.
    private var file: OutputFile?
    static let limit = 64 << 10

    /// Ensures that the path is free.
    ///
    /// - Parameter isRunning: whether there is a process with that id other than this one.
    init(
        at path: String,
        isRunning: (Int32) -> Bool = { $0 != CurrentProcess.identifier && CurrentProcess.isRunning($0) }
    ) throws(Failure) {
        self.path = path
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let code = errno
            do throws(FileError) {
                guard code == ENOENT else { throw FileError(.write, path: path, code: code) }
                // Reported before the server listens, and before it creates other files.
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

    /// The ready file, if requested, at a path that is free for it.
    static func claimed(_ option: String?) throws(Failure) -> ReadyFile? {
        guard let path = try Settings.nonEmpty(option, "READY_FILE") else { return nil }
        return try ReadyFile(at: path)
    }

    private static func removeStale(_ path: String, _ isRunning: (Int32) -> Bool) throws(Failure) {
        let stale: OutputFile
        do throws(FileError) {
            // For writing if permitted: over NFS a lock needs it.
            do throws(FileError) {
                stale = try OutputFile(opening: path)
            } catch {
                stale = try OutputFile(opening: path, toRead: true)
            }
        } catch {
            // Another server may have removed it just now.
            guard error.cause != .system(ENOENT) else { return }
            throw .configuration(Messages.notReadyFile(path, nil))
        }
        defer { stale.close() }
        guard let bytes = try? stale.read(limit + 1, at: 0), bytes.count <= limit, let identifier = processID(in: bytes)
        else { throw .configuration(Messages.notReadyFile(path, nil)) }
        let isLocked = (try? stale.lock()) == nil
        guard !isLocked, !isRunning(identifier) else { throw .configuration(Messages.readyFileInUse(path, identifier)) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file(FileError(.write, path: path, code: errno)) }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        do throws(FileError) {
            let draft = try OutputFile(draftFor: path, mode: 0o666)
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

    /// Removes the file if it is still the one this process wrote.
    func remove() {
        guard let file else { return }
        defer { file.close() }
        self.file = nil
        guard file.isAt(path), let bytes = try? file.read(Self.limit, at: 0),
            Self.processID(in: bytes) == CurrentProcess.identifier
        else { return }
        unlink(path)
    }

    /// What the file says; addresses over TLS are there only with TLS, so that readers can tell.
    static func content(
        url: String, _ facts: [(name: String, value: String)], secureURL: String?, caPath: String?, processID: Int32
    ) -> [UInt8] {
        let secure = secureURL.map { [("https_url", $0), ("wss_url", RunningServer.webSocket($0))] } ?? []
        let authority = caPath.map { [("ca_certificate", $0)] } ?? []
        var object: JSONObject = ["url": .string(url), "ws_url": .string(RunningServer.webSocket(url))]
        for (name, value) in facts + secure + authority { object[name] = .string(value) }
        object["pid"] = .number(JSONNumber(Int(processID)))
        return JSONValue.object(object).encoded() + [UInt8(ascii: "\n")]
    }

    /// The id of the process that wrote a ready file; nil for other files.
    static func processID(in bytes: [UInt8]) -> Int32? {
        guard let value = try? JSON.parse(bytes), value["url"]?.string != nil, value["ws_url"]?.string != nil,
            let number = value["pid"]?.int, number > 0
        else { return nil }
        return Int32(exactly: number)
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
