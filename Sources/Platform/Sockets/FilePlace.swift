#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a path stands for, once symbolic links are followed.
enum FilePlace: Equatable {
    /// A regular file, or nothing yet; the path of the file itself.
    case file(String)
    /// A pipe, a terminal or another character device, which has to be opened.
    case stream(String)
    /// A descriptor that this process was started with: `/dev/stdout`, `/dev/fd/3`.
    case descriptor(Int32)

    /// The most links that are followed; Linux has the same limit (path_resolution(7)).
    private static let linkLimit = 40

    /// Follows the links of a path.
    ///
    /// - Throws: the operation's error where the path leads to a folder, a socket or a block device, in circles, or nowhere.
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

    /// The descriptor that a path like `/dev/fd/3` names; nil for other paths, and for what this process opened itself.
    ///
    /// This process closes what it opens on exec, and what it was started with it does not.
    static func inheritedDescriptor(_ path: String) -> Int32? {
        let names = ["/dev/stdin": STDIN_FILENO, "/dev/stdout": STDOUT_FILENO, "/dev/stderr": STDERR_FILENO]
        var descriptor = names[path]
        for folder in ["/dev/fd/", "/proc/self/fd/"] where descriptor == nil && path.hasPrefix(folder) {
            descriptor = Int32(path.dropFirst(folder.count))
        }
        guard let descriptor, fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 else { return nil }
        return descriptor
    }

    /// The folder of a path, with its last slash; empty for a name alone.
    static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }

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
