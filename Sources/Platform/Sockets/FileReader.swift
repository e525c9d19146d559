import CLibrary

/// Reads a file from start to end; opening never blocks.
///
/// Only regular files are opened: opening a pipe waits for a writer, and a device may be endless.
public final class FileReader {
    private let path: String
    private let descriptor: Int32
    private let isOurs: Bool

    /// Opens a regular file.
    ///
    /// - Parameter orInherited: Whether the path may also name an inherited descriptor, which is read directly:
    ///   `/dev/stdin`, or a shell's `/dev/fd/63` for `<(command)`. Reading may then wait for another program.
    /// - Throws: if the file does not exist, is not readable, or is not regular; the null device counts as empty.
    public init(_ path: String, orInherited: Bool = false) throws(FileError) {
        self.path = path
        var status = stat()
        // Opens a regular file again, to read from its start.
        if orInherited, let inherited = FilePlace.inheritedDescriptor(path), fstat(inherited, &status) == 0,
            status.st_mode & S_IFMT != S_IFREG
        {
            (descriptor, isOurs) = (inherited, false)
            return
        }
        // Also check before opening, because opening alone can act on a device.
        guard stat(path, &status) == 0 else { throw FileError(.read, path: path, code: errno) }
        try FileReader.check(status, path)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.read, path: path, code: errno) }
        do throws(FileError) {
            guard fstat(descriptor, &status) == 0 else { throw FileError(.read, path: path, code: errno) }
            try FileReader.check(status, path)
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
        (self.descriptor, isOurs) = (descriptor, true)
    }

    /// Reads standard input; messages use the given name for it.
    public init(standardInputNamed name: String) { (path, descriptor, isOurs) = (name, STDIN_FILENO, false) }
    deinit { if isOurs { closeDescriptor(descriptor) } }

    /// Reads at most `count` available bytes, waiting for at least one; an empty result means the end of the file.
    public func read(atMost count: Int) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                let count = systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer))
                initialized = max(0, count)
                code = count < 0 ? errno : 0
                if code == EAGAIN { SingleDescriptorPoll.wait(for: .read, on: descriptor) }
            } while code == EINTR || code == EAGAIN
        }
        guard code == 0 else { throw FileError(.read, path: path, code: code) }
        return bytes
    }

    /// Reads until the end, at most `limit` bytes.
    public func read(upTo limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let more = try read(atMost: min(limit - bytes.count, 1 << 20))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private static func check(_ status: stat, _ path: String) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw FileError(.read, path: path, code: EISDIR)
        default:
            var null = stat()
            guard status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0, status.st_rdev == null.st_rdev
            else { throw FileError(.read, path: path, cause: .notRegular) }
        }
    }
}
