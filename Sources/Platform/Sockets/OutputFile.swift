import CLibrary

/// A regular file written at explicit offsets, for data that grows while a program runs.
///
/// The file is closed on exec. Written data survives if this process is killed, because the data is in the system's
/// cache. Calls block on the disk; only one thread at a time may use the file. Like `Socket`, this does not own the
/// descriptor: close it once.
public struct OutputFile: Sendable {
    public let path: String
    public let descriptor: Int32
    private init(path: String, descriptor: Int32) { (self.path, self.descriptor) = (path, descriptor) }

    /// Creates an empty file with mode 0600; throws if the path exists.
    public init(creating path: String) throws(FileError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600))
        guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
        self.init(path: path, descriptor: descriptor)
    }

    /// Opens an existing regular file for writing, or only for reading; links are not followed.
    public init(opening path: String, toRead: Bool = false) throws(FileError) {
        let operation: FileError.Operation = toRead ? .read : .write
        var status = stat()
        // Also check before opening, because opening alone can act on a device.
        guard lstat(path, &status) == 0 else { throw FileError(operation, path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(operation, path: path, cause: .notRegular) }
        let descriptor = open(path, (toRead ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError(operation, path: path, code: errno) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            closeDescriptor(descriptor)
            throw FileError(operation, path: path, cause: .notRegular)
        }
        self.init(path: path, descriptor: descriptor)
    }

    /// Creates a file that will replace another; it is in the same folder and has an unused name.
    ///
    /// The process's umask restricts the mode.
    public init(draftFor path: String, mode: Int = 0o600) throws(FileError) {
        let folder = FilePlace.folder(of: path)
        // A killed process with the same id may have left drafts.
        for number in 0..<OutputFile.draftLimit {
            let draft = "\(folder).fitiq-mock-\(getpid())-\(number)"
            let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
            if descriptor >= 0 {
                self.init(path: draft, descriptor: descriptor)
                return
            }
            guard errno == EEXIST else { throw FileError(.create, path: path, code: errno) }
        }
        throw FileError(.create, path: path, code: EEXIST)
    }

    /// The maximum number of names tried for a draft.
    private static let draftLimit = 1000

    /// Checks that the folder of a path exists and that this user can create files in it.
    public static func checkFolder(of path: String) throws(FileError) {
        let folder = FilePlace.folder(of: path)
        guard access(folder.isEmpty ? "." : String(folder), W_OK) == 0 else {
            throw FileError(.write, path: path, code: errno)
        }
    }

    /// Locks the file until it is closed or this process ends.
    ///
    /// Throws ``FileError/Cause/inUse`` if another process has the lock, or the file is no longer at its path. Does
    /// nothing on file systems without locks. The lock belongs to the open file, not to its name (flock(2)).
    ///
    /// - Parameter isShared: Whether other processes may hold a shared lock at the same time.
    public func lock(isShared: Bool = false) throws(FileError) {
        let isRefused = flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 && errno == EWOULDBLOCK
        guard !isRefused, isAt(path) else { throw FileError(.write, path: path, cause: .inUse) }
    }

    /// Writes all bytes at an offset, growing the file as needed; after an error, the file may contain some of them.
    public func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let code = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
                if count == 0 { return ENOSPC }
                if count < 0, errno != EINTR { return errno }
                done += max(0, count)
            }
            return 0
        }
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
    }

    /// Reads bytes from an offset; the result is shorter than requested only at the end of the file.
    public func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized,
                    off_t(offset + initialized))
                if got < 0, errno != EINTR { code = errno }
                if got == 0 || code != 0 { return }
                initialized += max(0, got)
            }
        }
        guard code == 0 else { throw FileError(.read, path: path, code: code) }
        return bytes
    }

    public func close() { closeDescriptor(descriptor) }

    /// Moves the file to a free path in the same folder; fails if the path exists.
    public func move(toFree path: String) throws(FileError) {
        if link(self.path, path) == 0 {
            unlink(self.path)
            return
        }
        guard errno != EEXIST else { throw FileError(.create, path: path, code: EEXIST) }
        // Not every file system supports links.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw FileError(.create, path: path, code: EEXIST) }
        guard rename(self.path, path) == 0 else { throw FileError(.move, path: path, code: errno) }
    }

    /// Whether a path, without following links, still refers to this file.
    public func isAt(_ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &other) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// The permissions of the group and others on the file at a path; 0 if there is no file.
    public static func rightsOfOthers(to path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_mode) & 0o077 : 0
    }

    /// Removes these permissions; false if that fails, as on file systems without modes.
    public static func makePrivate(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && chmod(path, status.st_mode & 0o700) == 0 && rightsOfOthers(to: path) == 0
    }

    public func discard() {
        unlink(path)
        close()
    }
}
