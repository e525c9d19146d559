#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes files as a whole: a program that opens the path finds what was there before, or all that is new.
///
/// The bytes go into a draft in the same folder, which then takes the file's place. Where they cannot be written, the draft is
/// removed, and what was there before stays. A symbolic link stays one: what it leads to is replaced. A file whose folder takes
/// no draft, or that cannot be replaced because it is mounted alone, is written in place.
public enum WholeFile {
    /// What may be written beside regular files.
    public enum Others: Sendable, Hashable {
        /// Pipes that are read, terminals and other character devices, and descriptors that this process was started with,
        /// such as `/dev/stdout`. They are written as they are.
        case streams
        /// Nothing.
        case none
    }

    /// Writes the bytes, in place of what the file had.
    ///
    /// - Parameters:
    ///   - others: what the path may lead to beside a regular file or nothing.
    ///   - mode: that of the file, less what the process's umask takes away; nil for that of the file that is replaced.
    /// - Throws: where the path leads to something else, or the bytes find no room.
    public static func write(
        _ bytes: [UInt8], to path: String, others: Others = .streams, mode: Int? = nil
    ) throws(FileError) {
        let place = try FilePlace.find(path, for: .write)
        if case .file(let place) = place { return try replace(place, with: bytes, path, mode) }
        guard others == .streams else { throw FileError(.write, path: path, cause: .notRegular) }
        switch place {
        case .file: break
        case .descriptor(let descriptor):
            let code = DescriptorOutput.writeAll(bytes, to: descriptor)
            guard code == 0 else { throw FileError(.write, path: path, code: code) }
        case .stream(let place): try writeStream(place, bytes, path)
        }
    }

    private static func replace(
        _ place: String, with bytes: [UInt8], _ path: String, _ mode: Int?
    ) throws(FileError) {
        var old = stat()
        let keepsMode = mode == nil && lstat(place, &old) == 0 && old.st_mode & S_IFMT == S_IFREG
        let draft: OutputFile
        do throws(FileError) {
            draft = try OutputFile(draftFor: place, mode: keepsMode ? 0o600 : mode ?? 0o666)
        } catch {
            if keepsMode, closedFolder.contains(error.cause), try writeInPlace(place, bytes, path) { return }
            throw FileError(.write, path: path, cause: error.cause)
        }
        if keepsMode {
            // The new file has the permissions of the old one. Only root can change its owner.
            _ = fchown(draft.descriptor, old.st_uid, old.st_gid)
            _ = fchmod(draft.descriptor, old.st_mode & 0o777)
        }
        var code = DescriptorOutput.writeAll(bytes, to: draft.descriptor)
        // Some file systems tell only now that there was no room.
        if close(draft.descriptor) != 0, code == 0 { code = errno }
        guard code == 0 else {
            unlink(draft.path)
            throw FileError(.write, path: path, code: code)
        }
        guard rename(draft.path, place) == 0 else {
            code = errno
            unlink(draft.path)
            if keepsMode, fixedFile.contains(code), try writeInPlace(place, bytes, path) { return }
            throw FileError(.move, path: path, code: code)
        }
    }

    /// Where a folder takes no draft, a file in it may be written all the same.
    private static let closedFolder: [FileError.Cause] = [.system(EACCES), .system(EPERM), .system(EROFS)]
    /// A file that is mounted alone, as `docker run -v ./report.json:/report.json` does, or another user's in a folder of all.
    private static let fixedFile = [EBUSY, EXDEV, EACCES, EPERM]

    /// Writes into the file itself; false where it may not be opened, and is as it was.
    private static func writeInPlace(_ place: String, _ bytes: [UInt8], _ path: String) throws(FileError) -> Bool {
        guard let file = try? OutputFile(opening: place) else { return false }
        defer { file.close() }
        var code = ftruncate(file.descriptor, 0) == 0 ? 0 : errno
        if code == 0 { code = DescriptorOutput.writeAll(bytes, to: file.descriptor) }
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
        return true
    }

    private static func writeStream(_ place: String, _ bytes: [UInt8], _ path: String) throws(FileError) {
        // Opening a pipe that nothing reads would wait.
        let descriptor = open(place, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.write, path: path, code: errno) }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
            throw FileError(.write, path: path, cause: .notRegular)
        }
        // A reader that goes is an error to be told.
        CurrentProcess.ignoreBrokenPipeSignal()
        let code = DescriptorOutput.writeAll(bytes, to: descriptor)
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
    }
}
