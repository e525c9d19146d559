import CLibrary
import CPlatform

/// A file that could not be created, written or read.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Operation: String, Sendable, CaseIterable { case create, write, read, move }

    public enum Cause: Sendable, Equatable {
        /// The system call failed with this errno.
        case system(Int32)
        /// The path does not refer to a regular file.
        case notRegular
        /// The file is shorter than the bytes written to it.
        case cut
        /// The path now refers to a different file, or to no file.
        case gone
        /// The file system supports neither exchanging files nor links.
        case notExchangeable
        /// Another process is writing the file or has locked it.
        case inUse
    }

    public let operation: Operation
    public let path: String
    public let cause: Cause

    public init(_ operation: Operation, path: String, cause: Cause) {
        (self.operation, self.path, self.cause) = (operation, path, cause)
    }

    public init(_ operation: Operation, path: String, code: Int32) {
        self.init(operation, path: path, cause: .system(code))
    }

    /// Whether creating failed because the file exists.
    public var exists: Bool { operation == .create && cause == .system(EEXIST) }
    /// Whether the disk, quota or file size limit is exhausted.
    public var isFull: Bool { [.system(ENOSPC), .system(EDQUOT), .system(EFBIG)].contains(cause) }

    /// The message for the user, without a full stop.
    public var description: String {
        switch operation {
        case .create: "cannot create '\(path)': \(reason)"
        case .write: "cannot write to '\(path)': \(reason)"
        case .read: "cannot read '\(path)': \(reason)"
        case .move: "cannot move a finished file to '\(path)': \(reason)"
        }
    }

    /// The reason, without the file's name or a full stop.
    public var reason: String {
        switch cause {
        case .system(let code): operation == .read ? Self.reasonNotToRead(code) : Self.reasonNotToWrite(code)
        case .notRegular where operation == .read:
            "it is a pipe or a device, which may never end; specify a file, or pass the bytes through /dev/stdin"
        case .notRegular: "it is a device or a pipe, which cannot be overwritten at an offset; specify a file"
        case .cut: "it was truncated in the meantime"
        case .gone: "it was moved, removed or replaced by another file in the meantime"
        case .notExchangeable:
            "its file system can neither exchange nor link files; specify a file on a different file system"
        case .inUse: "another process is writing to it; stop that process, or choose another file"
        }
    }

    private static func reasonNotToRead(_ code: Int32) -> String {
        code == EISDIR ? "it is a folder; specify a file in it" : String(cString: strerror(code))
    }

    private static func reasonNotToWrite(_ code: Int32) -> String {
        switch code {
        case ENXIO: "it is a socket, or a pipe without a reader; specify a file"
        case EEXIST: "it already exists"
        case EISDIR: "it is a folder; specify a file in it"
        case ENOENT, ENOTDIR: "its folder does not exist; create it first"
        case EACCES, EPERM: "this user may not write there"
        case EROFS: "the disk cannot be written to"
        case ENOSPC: "the disk is full"
        case EDQUOT: "this user's disk quota is used up"
        case EBADF: "it is closed"
        case EFBIG: "it has reached the file size limit (ulimit -f)"
        case EMFILE: "this process has reached its limit on open files; raise it with ulimit -n"
        default: String(cString: strerror(code))
        }
    }
}

/// The target of a path after following symbolic links.
enum FilePlace: Equatable {
    /// A regular file or a free path, with links resolved.
    case file(String)
    /// A pipe, a terminal or another character device, which must be opened.
    case stream(String)
    /// An inherited descriptor: `/dev/stdout`, `/dev/fd/3`.
    case descriptor(Int32)

    /// The maximum number of links to follow; Linux has the same limit (path_resolution(7)).
    private static let linkLimit = 40

    /// Follows the links of a path.
    ///
    /// Throws if the path leads to a folder, a socket, a block device, a cycle of links, or a missing folder.
    static func find(_ path: String, for operation: FileError.Operation) throws(FileError) -> FilePlace {
        var place = path
        for _ in 0..<linkLimit {
            if let descriptor = inheritedDescriptor(place) { return .descriptor(descriptor) }
            var status = stat()
            guard lstat(place, &status) == 0 else {
                guard errno == ENOENT else { throw FileError(operation, path: path, code: errno) }
                return .file(place)
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return .file(place)
            case S_IFIFO, S_IFCHR: return .stream(place)
            case S_IFDIR: throw FileError(operation, path: path, code: EISDIR)
            case S_IFLNK: place = try target(of: place, path, operation)
            default: throw FileError(operation, path: path, cause: .notRegular)
            }
        }
        throw FileError(operation, path: path, code: ELOOP)
    }

    /// The inherited descriptor that a path like `/dev/fd/3` names.
    ///
    /// Descriptors that this process has opened are close-on-exec; inherited descriptors are not.
    static func inheritedDescriptor(_ path: String) -> Int32? {
        let names = ["/dev/stdin": STDIN_FILENO, "/dev/stdout": STDOUT_FILENO, "/dev/stderr": STDERR_FILENO]
        var descriptor = names[path]
        for folder in ["/dev/fd/", "/proc/self/fd/"] where descriptor == nil && path.hasPrefix(folder) {
            descriptor = Int32(path.dropFirst(folder.count))
        }
        guard let descriptor, fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 else { return nil }
        return descriptor
    }

    /// The folder of a path, with its trailing slash; empty for a bare name.
    static func folder(of path: String) -> Substring { path.lastIndex(of: "/").map { path[...$0] } ?? "" }

    private static func target(
        of link: String, _ path: String, _ operation: FileError.Operation
    ) throws(FileError) -> String {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &characters, characters.count)
        guard count >= 0 else { throw FileError(operation, path: path, code: errno) }
        let target = String(decoding: characters.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.hasPrefix("/") ? target : folder(of: link) + target
    }
}

/// Exchanges two files in a folder, so that the first path always refers to a complete file.
///
/// Tests replace the system calls to simulate file systems that fail or lack some of them.
struct FileExchange {
    /// Returns 0, or a negative errno.
    typealias Call = (_ first: String, _ second: String) -> Int32
    /// renameat2(2) with `RENAME_EXCHANGE`; renamex_np(2) with `RENAME_SWAP`.
    var exchanging: Call = { cplatform_exchange_files($0, $1) }
    var linking: Call = { link($0, $1) == 0 ? 0 : -errno }
    var renaming: Call = { rename($0, $1) == 0 ? 0 : -errno }
    /// The errors with which systems, file systems and sandboxes reject a call that they do not support.
    private static let unknown = [-EINVAL, -ENOSYS, -ENOTSUP, -EOPNOTSUPP, -EPERM]
    /// The temporary name used next to the twin if files cannot be exchanged.
    static func spare(_ twin: String) -> String { twin + "2" }

    /// Exchanges the file at the path and its twin.
    ///
    /// Without an atomic exchange the twin may be missing afterwards, but the path always holds its content.
    func callAsFunction(_ path: String, _ twin: String) throws(FileError) {
        var code = exchanging(path, twin)
        guard Self.unknown.contains(code) else { return try check(code, path) }
        let spare = Self.spare(twin)
        code = linking(path, spare)
        guard !Self.unknown.contains(code) else { throw FileError(.create, path: path, cause: .notExchangeable) }
        // Another file may already have that name.
        guard code == 0 else { throw FileError(.create, path: spare, code: -code) }
        code = renaming(twin, path)
        if code != 0 || renaming(spare, twin) != 0 { unlink(spare) }
        try check(code, path)
    }

    private func check(_ code: Int32, _ path: String) throws(FileError) {
        guard code == 0 else { throw FileError(.move, path: path, code: -code) }
    }
}
