import CLibrary

/// Writes files atomically: a program that opens the path finds either the old or the new content, complete.
///
/// The bytes are written to a draft in the same folder, which then replaces the file. If writing fails, the draft is
/// removed, and the old content is kept. A symbolic link is kept and its target replaced. The file is written in place
/// if its folder is not writable, or if it is a mount point.
public enum WholeFile {
    /// The kinds of files that may be written to besides regular files.
    public enum Others: Sendable, Hashable {
        /// Pipes with a reader, terminals and other character devices, and inherited descriptors such as `/dev/stdout`.
        /// They are written directly.
        case streams
        case none
    }

    /// Writes the bytes, replacing the content of the file.
    ///
    /// `others` lists the kinds of files allowed besides a regular file or a free path. The process's umask restricts
    /// the mode; nil keeps the mode of a replaced file.
    public static func write(
        _ bytes: [UInt8], to path: String, others: Others = .streams, mode: Int? = nil
    ) throws(FileError) {
        switch try FilePlace.find(path, for: .write) {
        case .file(let place): try replace(place, with: bytes, path, mode)
        case .descriptor(let descriptor) where others == .streams: try writeAll(bytes, to: descriptor, path)
        case .stream(let place) where others == .streams: try writeStream(place, bytes, path)
        case .descriptor, .stream: throw FileError(.write, path: path, cause: .notRegular)
        }
    }

    /// Throws those errors of ``write(_:to:others:mode:)`` that can be detected before the lengthy work whose result
    /// will be written.
    public static func check(_ path: String) throws(FileError) {
        guard case .file(let place) = try FilePlace.find(path, for: .write), access(place, W_OK) != 0 else { return }
        do {
            try OutputFile.checkFolder(of: place)
        } catch {
            throw FileError(.write, path: path, cause: error.cause)
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(FileError) {
        let code = DescriptorOutput.writeAll(bytes, to: descriptor)
        guard code == 0 else { throw FileError(.write, path: path, code: code) }
    }

    private static func replace(_ place: String, with bytes: [UInt8], _ path: String, _ mode: Int?) throws(FileError) {
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
            // The new file gets the permissions of the old one. Only root can change its owner.
            _ = fchown(draft.descriptor, old.st_uid, old.st_gid)
            _ = fchmod(draft.descriptor, old.st_mode & 0o777)
        }
        var code = DescriptorOutput.writeAll(bytes, to: draft.descriptor)
        // Some file systems report a full disk only when the file is closed.
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

    /// Errors for a folder that is not writable although the files in it may be.
    private static let closedFolder: [FileError.Cause] = [.system(EACCES), .system(EPERM), .system(EROFS)]
    /// Errors for a file that is a mount point, as with `docker run -v ./report.json:/report.json`, or belongs to
    /// another user in a shared folder.
    private static let fixedFile = [EBUSY, EXDEV, EACCES, EPERM]

    /// Writes into the file itself; false if it cannot be opened.
    private static func writeInPlace(_ place: String, _ bytes: [UInt8], _ path: String) throws(FileError) -> Bool {
        guard let file = try? OutputFile(opening: place) else { return false }
        defer { file.close() }
        guard ftruncate(file.descriptor, 0) == 0 else { throw FileError(.write, path: path, code: errno) }
        try writeAll(bytes, to: file.descriptor, path)
        return true
    }

    private static func writeStream(_ place: String, _ bytes: [UInt8], _ path: String) throws(FileError) {
        // Opening a pipe without a reader would block.
        let descriptor = open(place, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.write, path: path, code: errno) }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
            throw FileError(.write, path: path, cause: .notRegular)
        }
        // A reader that has gone away must be reported as an error.
        CurrentProcess.ignoreBrokenPipeSignal()
        try writeAll(bytes, to: descriptor, path)
    }
}
