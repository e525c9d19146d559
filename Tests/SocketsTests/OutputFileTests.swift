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
            #expect(try file.read(99, at: 12) == Array("\0!".utf8))
            #expect(try file.read(1, at: 99) == [])
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
            (FileError(.create, path: "a", code: EEXIST), "cannot create 'a': it already exists"),
            (
                FileError(.create, path: "a/b", code: ENOENT),
                "cannot create 'a/b': its folder does not exist; create it first"
            ),
            (FileError(.create, path: "a", code: EACCES), "cannot create 'a': this user may not write there"),
            (FileError(.create, path: "a", code: EROFS), "cannot create 'a': the disk cannot be written to"),
            (
                FileError(.create, path: "a", cause: .notRegular),
                "cannot create 'a': it is a device or a pipe, which cannot be overwritten at an offset; specify a file"
            ),
            (
                FileError(.create, path: "a", code: ENXIO),
                "cannot create 'a': it is a socket, or a pipe without a reader; specify a file"
            ),
            (FileError(.write, path: "a", code: EBADF), "cannot write to 'a': it is closed"),
            (
                FileError(.create, path: "a", code: EMFILE),
                "cannot create 'a': this process has reached its limit on open files; raise it with ulimit -n"
            ),
            (FileError(.write, path: "a", code: ENOSPC), "cannot write to 'a': the disk is full"),
            (FileError(.write, path: "a", code: EDQUOT), "cannot write to 'a': this user's disk quota is used up"),
            (
                FileError(.write, path: "a", code: EFBIG),
                "cannot write to 'a': it has reached the file size limit (ulimit -f)"
            ),
            (FileError(.read, path: "a", code: EIO), "cannot read 'a': \(String(cString: strerror(EIO)))"),
            (
                FileError(.read, path: "a", cause: .cut),
                "cannot read 'a': it was truncated in the meantime"
            ),
            (
                FileError(.write, path: "a", cause: .gone),
                "cannot write to 'a': it was moved, removed or replaced by another file in the meantime"
            ),
            (
                FileError(.create, path: "a", cause: .notExchangeable),
                "cannot create 'a': its file system can neither exchange nor link files; specify a file on "
                    + "a different file system"
            ),
            (
                FileError(.create, path: "a", cause: .inUse),
                "cannot create 'a': another process is writing to it; stop that process, or choose another file"
            ),
            (
                FileError(.read, path: "a", cause: .notRegular),
                "cannot read 'a': it is a pipe or a device, which may never end; specify a file, or pass the "
                    + "bytes through /dev/stdin"
            ),
            (FileError(.read, path: "a", code: EISDIR), "cannot read 'a': it is a folder; specify a file in it"),
            (FileError(.read, path: "a", code: ENOENT), "cannot read 'a': \(String(cString: strerror(ENOENT)))"),
            (
                FileError(.move, path: "a", code: EACCES),
                "cannot move a finished file to 'a': this user may not write there"
            ),
        ] as [(FileError, String)])
    func messages(_ error: FileError, text: String) {
        #expect("\(error)" == text)
    }

    @Test(
        "Only out-of-space errors count as full",
        arguments: [(ENOSPC, true), (EDQUOT, true), (EFBIG, true), (EIO, false)])
    func fullness(_ code: Int32, isFull: Bool) {
        #expect(FileError(.write, path: "a", code: code).isFull == isFull)
    }

    @Test(
        "Only creating a file detects an existing file",
        arguments: [
            (.create, EEXIST, true), (.create, ENOENT, false), (.write, EEXIST, false),
        ] as [(FileError.Operation, Int32, Bool)])
    func existence(_ operation: FileError.Operation, _ code: Int32, exists: Bool) {
        #expect(FileError(operation, path: "a", code: code).exists == exists)
    }
}
