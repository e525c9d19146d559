#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A regular file that is written at places of its own choosing, for what grows while a program runs.
///
/// Closed on exec. What was written survives the process being killed: the system has it. Calls wait for the
/// disk, and belong to one thread at a time. Like `Socket` this is a name for the descriptor: close it once.
public struct OutputFile: Sendable {
    /// Where the file is.
    public let path: String
    /// The file descriptor.
    public let descriptor: Int32

    /// Makes the file with mode 0600, empty.
    ///
    /// - Throws: where the folder takes none, and where something is there already.
    public init(creating path: String) throws(FileError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(0o600))
        guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens a regular file that is there already, and leaves it as it is; a link is not followed.
    ///
    /// - Parameter toRead: whether it is only looked at.
    /// - Throws: where it is none, or this user may not.
    public init(opening path: String, toRead: Bool = false) throws(FileError) {
        let operation: FileError.Operation = toRead ? .read : .write
        var status = stat()
        // Before it is opened too: that alone can act on a device.
        guard lstat(path, &status) == 0 else { throw FileError(operation, path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(operation, path: path, cause: .notRegular) }
        let flags = (toRead ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw FileError(operation, path: path, code: errno) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            closeDescriptor(descriptor)
            throw FileError(operation, path: path, cause: .notRegular)
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// Makes a file that is to take the place of another, in the same folder and under a name that no file has.
    ///
    /// - Parameter mode: that of the file, less what the process's umask takes away.
    /// - Throws: where the folder takes none.
    public init(draftFor path: String, mode: Int = 0o600) throws(FileError) {
        let folder = FilePlace.folder(of: path)
        // Others are what processes left that were killed, and had the same number.
        for number in 0..<OutputFile.draftLimit {
            let draft = "\(folder).fitiq-mock-\(getpid())-\(number)"
            let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
            if descriptor >= 0 {
                self.path = draft
                self.descriptor = descriptor
                return
            }
            guard errno == EEXIST else { throw FileError(.create, path: path, code: errno) }
        }
        throw FileError(.create, path: path, code: EEXIST)
    }

    /// The most names that are tried for a draft.
    private static let draftLimit = 1000

    /// Sees to it that the folder of a path is there, and takes files of this user.
    public static func checkFolder(of path: String) throws(FileError) {
        let folder = FilePlace.folder(of: path)
        guard access(folder.isEmpty ? "." : String(folder), W_OK) == 0 else {
            throw FileError(.write, path: path, code: errno)
        }
    }

    /// Locks the file until it is closed or this process ends.
    ///
    /// File systems without locks ignore this. Source: flock(2): the lock belongs to the open file, not to its name.
    ///
    /// - Throws: ``FileError/Cause/inUse`` where another has it, or the file has left its place meanwhile.
    public func lock() throws(FileError) {
        let isRefused = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
        guard !isRefused, isAt(path) else { throw FileError(.write, path: path, cause: .inUse) }
    }

    /// Writes all of the bytes at an offset; beyond the end the file grows.
    ///
    /// - Throws: where the disk is full, or fails; part of the bytes may have been written.
    public func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let code = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = pwrite(
                    descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(offset + done))
                if count > 0 {
                    done += count
                } else if count == 0 {
                    return ENOSPC
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
    }

    /// Reads bytes from an offset; fewer than asked for only where the file ends before.
    ///
    /// - Throws: where the disk fails.
    public func read(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized,
                    off_t(offset + initialized))
                if got > 0 {
                    initialized += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    code = errno
                    return
                }
            }
        }
        guard code == 0 else { throw FileError(.read, path: path, code: code) }
        return bytes
    }

    /// Closes the file, which stays where it is.
    public func close() {
        closeDescriptor(descriptor)
    }

    /// Moves the file to a path where nothing is, in the same folder.
    ///
    /// - Throws: also where something is there; the file then keeps its name.
    public func move(toFree path: String) throws(FileError) {
        if link(self.path, path) == 0 {
            unlink(self.path)
            return
        }
        guard errno != EEXIST else { throw FileError(.create, path: path, code: EEXIST) }
        // Not every file system has links.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw FileError(.create, path: path, code: EEXIST) }
        guard rename(self.path, path) == 0 else { throw FileError(.move, path: path, code: errno) }
    }

    /// Whether a path, its links not followed, leads to this file, and not to another one that took its name.
    public func isAt(_ path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &other) == 0
            && own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }

    /// Closes the file and removes it.
    public func discard() {
        unlink(path)
        close()
    }
}
