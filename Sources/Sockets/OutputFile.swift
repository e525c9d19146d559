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
    /// What becomes of a file that is there already.
    public enum Existing: Sendable, Hashable {
        /// It stays, and opening fails: see ``FileError/exists``.
        case refuse
        /// It is emptied. Its mode becomes 0600 as well.
        case replace
    }

    /// Where the file is.
    public let path: String
    /// The file descriptor.
    public let descriptor: Int32

    /// Makes the file with mode 0600, empty.
    ///
    /// Where it replaces what a symbolic link leads to, the link stays.
    ///
    /// - Throws: where the folder takes none, where one is there and `existing` is `.refuse`, and for what is no regular file:
    ///   places in a pipe or a device cannot be written again.
    public init(creating path: String, existing: Existing = .refuse) throws(FileError) {
        var path = path
        if existing == .replace {
            guard case .file(let place) = try FilePlace.find(path, for: .create) else {
                throw FileError(.create, path: path, code: FileError.notRegular)
            }
            path = place
        }
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | (existing == .refuse ? O_EXCL : 0)
        let descriptor = open(path, flags, mode_t(0o600))
        guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
        let code = OutputFile.prepare(descriptor)
        guard code == 0 else {
            closeDescriptor(descriptor)
            throw FileError(.create, path: path, code: code)
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

    /// Emptied only once it is known to be a file; errno, or 0.
    private static func prepare(_ descriptor: Int32) -> Int32 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return errno }
        guard status.st_mode & S_IFMT == S_IFREG else { return FileError.notRegular }
        return ftruncate(descriptor, 0) == 0 && fchmod(descriptor, mode_t(0o600)) == 0 ? 0 : errno
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

    /// Moves the file over another in the same folder, at once: whoever opens that path finds the one or the other, whole.
    ///
    /// What was written is brought to the disk before. The descriptor stays open.
    public func move(to path: String) throws(FileError) {
        guard fsync(descriptor) == 0, rename(self.path, path) == 0 else {
            throw FileError(.move, path: path, code: errno)
        }
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
