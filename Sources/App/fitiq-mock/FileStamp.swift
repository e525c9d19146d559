import CLibrary

/// The metadata that shows whether a file was changed or replaced.
struct FileStamp: Equatable {
    var seconds: Int
    var nanoseconds: Int
    var size: Int64
    var inode: UInt64
}

extension FileStamp {
    /// Reads a file's stamp; returns nil unless it is a regular file, because opening anything else may block.
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
