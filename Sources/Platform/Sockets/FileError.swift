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

    /// Why it could not be done.
    public enum Cause: Sendable, Equatable {
        /// The system refused; its errno.
        case system(Int32)
        /// What has that path is no regular file.
        case notRegular
        /// The file has fewer bytes than were written to it.
        case cut
        /// The path leads to another file now, or to none.
        case gone
        /// The file system cannot have two files change places, and knows no links either.
        case notExchangeable
        /// Another process writes the file, or is about to.
        case inUse
    }

    /// What was being attempted.
    public let operation: Operation
    /// The file.
    public let path: String
    /// Why it could not be done.
    public let cause: Cause

    /// A failure of the operation for that reason.
    public init(_ operation: Operation, path: String, cause: Cause) {
        self.operation = operation
        self.path = path
        self.cause = cause
    }

    /// A failure of the operation with that errno.
    public init(_ operation: Operation, path: String, code: Int32) {
        self.init(operation, path: path, cause: .system(code))
    }

    /// Whether a file of that name was there already, and was not to be replaced.
    public var exists: Bool { operation == .create && cause == .system(EEXIST) }

    /// Whether there is no room left for more.
    public var isFull: Bool { [.system(ENOSPC), .system(EDQUOT), .system(EFBIG)].contains(cause) }

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
        switch cause {
        case .system(let code): operation == .read ? Self.reasonNotToRead(code) : Self.reasonNotToWrite(code)
        case .notRegular where operation == .read:
            "it is a pipe or a device, which may have no end; name a file, or hand its bytes over as /dev/stdin"
        case .notRegular: "it is a device or a pipe, and places in it cannot be written again; name a file"
        case .cut: "somebody has cut it short meanwhile"
        case .gone: "it was moved, removed or replaced by another file meanwhile"
        case .notExchangeable: "its file system can neither exchange nor link files; name a file on another one"
        case .inUse: "another process is writing it; stop that, or name another file"
        }
    }

    /// Of a file that is read there is other advice.
    private static func reasonNotToRead(_ code: Int32) -> String {
        code == EISDIR ? "it is a folder; name a file in it" : String(cString: strerror(code))
    }

    private static func reasonNotToWrite(_ code: Int32) -> String {
        switch code {
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
