import CLibrary
import Sockets

/// Reads whole files.
///
/// Only regular files are accepted; see `FileReader`.
enum InputFile {
    /// The bytes of a file of at most `limit` bytes.
    ///
    /// - Parameter orInherited: whether a path that the user typed may also be `/dev/stdin` or the path that a shell
    ///   substitutes for `<(command)`.
    static func read(_ path: String, limit: Int, orInherited: Bool = false) throws(Failure) -> [UInt8] {
        let bytes = try orFailure(try FileReader(path, orInherited: orInherited).read(upTo: limit + 1), Failure.file)
        guard bytes.count <= limit else { throw .configuration(Messages.tooLarge(path, limit: limit)) }
        return bytes
    }

    /// Whether a file exists at this path; folders do not count.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }
}
