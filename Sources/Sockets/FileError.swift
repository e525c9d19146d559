#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file that could not be made, written or read.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being attempted.
    public enum Operation: String, Sendable, CaseIterable {
        /// Making the file.
        case create
        /// Writing to it.
        case write
        /// Reading what was written.
        case read
        /// Moving it to its place.
        case move
    }

    /// In place of an errno: what has that path is no regular file.
    public static let notRegular: Int32 = -1

    /// In place of an errno: the file has fewer bytes than were written to it.
    public static let cut: Int32 = -2

    /// In place of an errno: the path leads to another file now, or to none.
    public static let gone: Int32 = -3

    /// In place of an errno: the file system cannot have two files change places, and knows no links either.
    public static let notExchangeable: Int32 = -4

    /// What was being attempted.
    public let operation: Operation
    /// The file.
    public let path: String
    /// The errno of the failure, or one of the numbers above.
    public let code: Int32

    /// A failure of the operation with that errno.
    public init(_ operation: Operation, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// Whether a file of that name was there already, and was not to be replaced.
    public var exists: Bool { operation == .create && code == EEXIST }

    /// Whether there is no room left for more.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// What the person at the keyboard is told, without a full stop.
    public var description: String {
        switch operation {
        case .create: "cannot create '\(path)': \(reason)"
        case .write: "cannot write to '\(path)': \(reason)"
        case .read: "cannot read '\(path)': \(reason)"
        case .move: "cannot move a finished file to '\(path)': \(reason)"
        }
    }

    /// Why, without the file's name and a full stop.
    public var reason: String {
        // Of a file that is read there is other advice.
        switch (operation, code) {
        case (.read, FileError.notRegular):
            "it is a pipe or a device, which may have no end; name a file, or hand its bytes over as /dev/stdin"
        case (.read, EISDIR): "it is a folder; name a file in it"
        case (.read, FileError.cut): "somebody has cut it short meanwhile"
        case (.read, _): String(cString: strerror(code))
        default: reasonNotToWrite
        }
    }

    private var reasonNotToWrite: String {
        switch code {
        case FileError.notRegular: "it is a device or a pipe, and places in it cannot be written again; name a file"
        case FileError.gone: "it was moved, removed or replaced by another file meanwhile"
        case FileError.notExchangeable:
            "its file system can neither exchange nor link files; name a file on another one"
        case ENXIO: "it is a socket, or a pipe that nothing reads; name a file"
        case EEXIST: "it exists already"
        case EISDIR: "it is a folder; name a file in it"
        case ENOENT, ENOTDIR: "its folder does not exist; make it first"
        case EACCES, EPERM: "this user may not write there"
        case EROFS: "the disk cannot be written to"
        case ENOSPC: "the disk is full"
        case EDQUOT: "this user's share of the disk is full"
        case EBADF: "it is closed"
        case EFBIG: "it has reached the largest size that a file may have (ulimit -f)"
        case EMFILE: "this process has reached its limit of open files; raise it with ulimit -n"
        default: String(cString: strerror(code))
        }
    }
}
