import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Has two files of a folder change places, so that the first path leads to a whole file at any time.
///
/// The system calls are values for the tests of file systems that know fewer of them, or fail.
struct FileExchange {
    /// Returns 0, or a negative errno.
    typealias Call = (_ first: String, _ second: String) -> Int32

    /// renameat2(2) with `RENAME_EXCHANGE`; renamex_np(2) with `RENAME_SWAP`.
    var exchanging: Call = { cplatform_exchange_files($0, $1) }
    var linking: Call = { link($0, $1) == 0 ? 0 : -errno }
    var renaming: Call = { rename($0, $1) == 0 ? 0 : -errno }

    /// What systems, file systems and sandboxes say that do not know a call.
    private static let unknown = [-EINVAL, -ENOSYS, -ENOTSUP, -EOPNOTSUPP, -EPERM]

    /// A name beside the twin that is taken for the moment where files cannot be exchanged.
    static func spare(_ twin: String) -> String { twin + "2" }

    /// Has the file at the path and its twin change places.
    ///
    /// Where they cannot be exchanged in one step the twin may be missing afterwards; the path has its content all the same.
    func callAsFunction(_ path: String, _ twin: String) throws(FileError) {
        var code = exchanging(path, twin)
        guard Self.unknown.contains(code) else { return try check(code, path) }
        let spare = Self.spare(twin)
        code = linking(path, spare)
        guard !Self.unknown.contains(code) else { throw FileError(.create, path: path, cause: .notExchangeable) }
        // Something else may have that name.
        guard code == 0 else { throw FileError(.create, path: spare, code: -code) }
        code = renaming(twin, path)
        if code != 0 || renaming(spare, twin) != 0 { unlink(spare) }
        try check(code, path)
    }

    private func check(_ code: Int32, _ path: String) throws(FileError) {
        guard code == 0 else { throw FileError(.move, path: path, code: -code) }
    }
}
