import Sockets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that is read whole; only regular ones are: see `FileReader`.
enum InputFile {
    /// The bytes of a file that has at most so many.
    ///
    /// - Parameter orInherited: for a path that was typed: whether it may also be `/dev/stdin`, or what a shell makes of
    ///   `<(command)`.
    static func read(_ path: String, limit: Int, orInherited: Bool = false) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileReader(path, orInherited: orInherited).read(upTo: limit + 1)
        } catch {
            throw .configuration(error.description + ".")
        }
        guard bytes.count <= limit else { throw .configuration(Messages.tooLarge(path, limit: limit)) }
        return bytes
    }

    /// Whether a file with this path exists; folders do not count.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }
}

/// What shows that a file is no longer the one that it was.
struct FileStamp: Equatable {
    var seconds: Int
    var nanoseconds: Int
    var size: Int64
    var inode: UInt64

    init(seconds: Int, nanoseconds: Int, size: Int64, inode: UInt64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.size = size
        self.inode = inode
    }

    /// That of a plain file; nil where there is none: opening something else may wait for ever.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        self.init(
            seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec), size: Int64(status.st_size),
            inode: UInt64(status.st_ino))
    }
}
