import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Files that grow while a program runs")
struct OutputFileTests {
    @Test("An output file accepts writes at any offset and has mode 0600")
    func writes() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/a"
            let file = try OutputFile(creating: path)
            defer { file.close() }
            try file.write(Array("hello world".utf8), at: 0)
            try file.write(Array("W".utf8), at: 6)
            try file.write(Array("!".utf8), at: 13)
            #expect(FileManager.default.contents(atPath: path) == Data("hello World\0\0!".utf8))
            #expect(try file.read(5, at: 6) == Array("World".utf8))
            #expect(try (file.read(99, at: 12), file.read(1, at: 99)) == (Array("\0!".utf8), []))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("Creating an existing file fails, and opening it does not change it")
    func existing() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/a"
            try Data("before".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "a")
            #expect { try OutputFile(creating: path) } throws: { ($0 as? FileError)?.exists == true }
            #expect { try OutputFile(creating: folder + "/link") } throws: { ($0 as? FileError)?.exists == true }
            for toRead in [true, false] {
                let file = try OutputFile(opening: path, toRead: toRead)
                #expect(try file.read(9, at: 0) == Array("before".utf8))
                file.close()
            }
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            for name in ["link", "pipe", "."] {
                #expect { try OutputFile(opening: folder + "/" + name) } throws: {
                    ($0 as? FileError)?.cause == .notRegular
                }
            }
        }
    }

    @Test("A process holds the lock until it closes the file")
    func locks() throws {
        try ScratchFolder.lend { folder in
            let file = try OutputFile(creating: folder + "/a")
            try file.lock()
            let second = try OutputFile(opening: folder + "/a", toRead: true)
            defer { second.close() }
            let inUse = FileError(.write, path: folder + "/a", cause: .inUse)
            #expect(throws: inUse) { try second.lock() }
            file.close()
            try second.lock()
            #expect(rename(folder + "/a", folder + "/b") == 0)
            #expect(throws: inUse) { try second.lock() }
        }
    }

    @Test("Discarding a file removes it")
    func discards() throws {
        try ScratchFolder.lend { folder in
            let file = try OutputFile(creating: folder + "/b")
            file.discard()
            #expect(!file.isAt(folder + "/b"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test(
        "Output file errors have clear messages",
        arguments: [
            (.create, .system(EEXIST), "it already exists"),
            (.create, .system(ENOENT), "its folder does not exist; create it first"),
            (.create, .system(EACCES), "this user may not write there"),
            (.create, .system(EROFS), "the disk cannot be written to"),
            (
                .create, .notRegular,
                "it is a device or a pipe, which cannot be overwritten at an offset; specify a file"
            ),
            (.create, .system(ENXIO), "it is a socket, or a pipe without a reader; specify a file"),
            (.write, .system(EBADF), "it is closed"),
            (.create, .system(EMFILE), "this process has reached its limit on open files; raise it with ulimit -n"),
            (.write, .system(ENOSPC), "the disk is full"),
            (.write, .system(EDQUOT), "this user's disk quota is used up"),
            (.write, .system(EFBIG), "it has reached the file size limit (ulimit -f)"),
            (.read, .system(EIO), String(cString: strerror(EIO))),
            (.read, .cut, "it was truncated in the meantime"),
            (.write, .gone, "it was moved, removed or replaced by another file in the meantime"),
            (
                .create, .notExchangeable,
                "its file system can neither exchange nor link files; specify a file on a different file system"
            ),
            (.create, .inUse, "another process is writing to it; stop that process, or choose another file"),
            (
                .read, .notRegular,
                "it is a pipe or a device, which may never end; specify a file, or pass the bytes through /dev/stdin"
            ),
            (.read, .system(EISDIR), "it is a folder; specify a file in it"),
            (.read, .system(ENOENT), String(cString: strerror(ENOENT))),
            (.move, .system(EACCES), "this user may not write there"),
        ] as [(FileError.Operation, FileError.Cause, String)])
    func messages(_ operation: FileError.Operation, _ cause: FileError.Cause, reason: String) {
        let beginning =
            switch operation {
            case .create: "cannot create"
            case .write: "cannot write to"
            case .read: "cannot read"
            case .move: "cannot move a finished file to"
            }
        #expect("\(FileError(operation, path: "a/b", cause: cause))" == "\(beginning) 'a/b': \(reason)")
    }

    @Test(
        "Only out-of-space errors count as full",
        arguments: [(ENOSPC, true), (EDQUOT, true), (EFBIG, true), (EIO, false)])
    func fullness(_ code: Int32, isFull: Bool) { #expect(FileError(.write, path: "a", code: code).isFull == isFull) }

    @Test(
        "Only creating a file detects an existing file",
        arguments: [
            (.create, EEXIST, true), (.create, ENOENT, false), (.write, EEXIST, false),
        ] as [(FileError.Operation, Int32, Bool)])
    func existence(_ operation: FileError.Operation, _ code: Int32, exists: Bool) {
        #expect(FileError(operation, path: "a", code: code).exists == exists)
    }
}
