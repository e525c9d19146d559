import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Writing whole files")
struct WholeFileTests {
    private func write(_ text: String, to path: String, others: WholeFile.Others = .streams) throws {
        try WholeFile.write(Array(text.utf8), to: path, others: others)
    }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A write replaces an old file and removes its draft")
    func replaces() throws {
        try ScratchFolder.lend { folder in
            try write("old and long", to: folder + "/a")
            try write("new", to: folder + "/a")
            #expect(contents(folder + "/a") == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    @Test("A new file has the requested mode minus the umask")
    func mode() throws {
        try ScratchFolder.lend { folder in
            let draft = folder + "/.fitiq-mock-\(getpid())-0"
            try Data("another's".utf8).write(to: URL(fileURLWithPath: draft))
            try WholeFile.write([1], to: folder + "/a", mode: 0o600)
            try write("b", to: folder + "/b")
            close(open(folder + "/usual", O_CREAT | O_WRONLY, 0o666))
            #expect(try permissions(folder + "/a") == 0o600)
            #expect(try permissions(folder + "/b") == permissions(folder + "/usual"))
            #expect(contents(draft) == "another's")
        }
    }

    @Test("A replaced file keeps its mode unless another is requested")
    func keptMode() throws {
        try ScratchFolder.lend { folder in
            for mode in [0o600, 0o640, 0o666] {
                try write("old", to: folder + "/a")
                #expect(chmod(folder + "/a", mode_t(mode)) == 0)
                try write("new", to: folder + "/a")
                #expect(try permissions(folder + "/a") == mode)
            }
            try WholeFile.write([1], to: folder + "/a", mode: 0o600)
            #expect(try permissions(folder + "/a") == 0o600)
        }
    }

    @Test("A write happens in place only if the file's folder is read-only")
    func closedFolder() async throws {
        await #expect(processExitsWith: .success) {
            try ScratchFolder.lend { folder in
                let closed = folder + "/closed"
                try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
                for name in ["a", "c"] { try WholeFile.write(Array("old and long".utf8), to: "\(closed)/\(name)") }
                #expect(chmod(closed + "/a", 0o666) == 0 && chmod(closed + "/c", 0o444) == 0)
                #expect(chmod(closed, 0o555) == 0)
                // Root can access everything.
                if getuid() == 0 { #expect(seteuid(65534) == 0) }
                try WholeFile.write(Array("new".utf8), to: closed + "/a")
                for name in ["b", "c"] {
                    #expect(throws: FileError(.write, path: "\(closed)/\(name)", code: EACCES)) {
                        try WholeFile.write([1], to: "\(closed)/\(name)")
                    }
                }
                #expect(throws: FileError(.write, path: closed + "/a", code: EACCES)) {
                    try WholeFile.write([1], to: closed + "/a", mode: 0o600)
                }
                if getuid() == 0 { #expect(seteuid(0) == 0) }
                #expect(contents(closed + "/a") == "new" && contents(closed + "/b") == nil)
                #expect(contents(closed + "/c") == "old and long")
                #expect(chmod(closed, 0o755) == 0)
            }
        }
    }

    @Test("A write through a link writes the link's target and keeps the link")
    func link() throws {
        try ScratchFolder.lend { folder in
            try write("old", to: folder + "/target")
            for (target, link) in [
                (folder + "/target", "link"), ("target", "relative"), ("new", "dangling"), ("/dev/null", "device"),
                ("relative", "twice"),
            ] {
                let link = folder + "/" + link
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                try write("by \(link)", to: link)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
                if target != "/dev/null" { #expect(contents(link) == "by \(link)") }
            }
            #expect(contents(folder + "/target") == "by \(folder)/twice")
            #expect(contents(folder + "/new") == "by \(folder)/dangling")
        }
    }

    @Test("The error for an unwritable file names it, and the file is unchanged")
    func refused() throws {
        try ScratchFolder.lend { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/circle", withDestinationPath: "circle")
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            for (name, reason) in [
                ("", "it is a folder; specify a file in it"), ("/none/a", "its folder does not exist; create it first"),
                ("/pipe", "it is a socket, or a pipe without a reader; specify a file"),
                ("/circle", String(cString: strerror(ELOOP))),
                ("/pipe/a", "its folder does not exist; create it first"),
                ("/a/", "its folder does not exist; create it first"),
            ] {
                #expect { try write("x", to: folder + name) } throws: {
                    "\($0)" == "cannot write to '\(folder)\(name)': \(reason)"
                }
                // Something may be reading the pipe by then.
                guard name != "/pipe" else { continue }
                #expect { try WholeFile.check(folder + name) } throws: {
                    "\($0)" == "cannot write to '\(folder)\(name)': \(reason)"
                }
            }
            for path in [folder + "/new", folder + "/pipe", "/dev/null", "/dev/stdout"] { try WholeFile.check(path) }
            for path in [folder + "/pipe", "/dev/null", "/dev/stdout"] {
                #expect { try write("x", to: path, others: .none) } throws: { ($0 as? FileError)?.cause == .notRegular }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["circle", "pipe"])
        }
    }

    @Test("A write to a pipe with a reader does not replace the pipe")
    func pipe() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try write("hello", to: path)
            var bytes = [UInt8](repeating: 0, count: 9)
            #expect(read(reader, &bytes, 9) == 5 && bytes.prefix(5) == Array("hello".utf8)[...])
        }
    }

    #if os(Linux)
        @Test("A write to a full device or disk throws an error that says so")
        func full() throws {
            #expect { try write("x", to: "/dev/full") } throws: {
                "\($0)" == "cannot write to '/dev/full': the disk is full"
            }
        }
    #endif

    @Test("A failed write keeps the old content and removes its draft")
    func keepsOld() async throws {
        await #expect(processExitsWith: .success) {
            try ScratchFolder.lend { folder in
                try WholeFile.write(Array("old".utf8), to: folder + "/a")
                CurrentProcess.ignoreFileSizeSignal()
                var limit = rlimit(rlim_cur: 100, rlim_max: 100)
                // RLIMIT_FSIZE has its own type in Glibc.
                #if canImport(Glibc)
                    #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                #else
                    #expect(setrlimit(RLIMIT_FSIZE, &limit) == 0)
                #endif
                #expect { try WholeFile.write([UInt8](repeating: 1, count: 101), to: folder + "/a") } throws: {
                    ($0 as? FileError)?.cause == .system(EFBIG)
                }
                #expect(contents(folder + "/a") == "old")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
            }
        }
    }

    @Test("Only descriptors inherited at the start count as descriptor paths")
    func descriptors() throws {
        #expect(FilePlace.inheritedDescriptor("/dev/stderr") == 2)
        #expect(FilePlace.inheritedDescriptor("/dev/fd/1") == 1)
        #expect(FilePlace.inheritedDescriptor("/proc/self/fd/2") == 2)
        for path in [
            "/dev/fd/", "/dev/fd/-1", "/dev/fd/1/2", "/dev/fd/99999", "/dev/xy/1", "/proc/self/xy/1", "/dev/null",
            "stdout", "",
        ] { #expect(FilePlace.inheritedDescriptor(path) == nil) }
        let own = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(own) }
        #expect(FilePlace.inheritedDescriptor("/dev/fd/\(own)") == nil)
    }

    @Test("A file moves only to a free path and detects whether it is still there")
    func free() throws {
        try ScratchFolder.lend { folder in
            let file = try OutputFile(draftFor: folder + "/a")
            defer { file.close() }
            try file.write(Array("mine".utf8), at: 0)
            for name in ["there", "link"] {
                if name == "there" {
                    try write("there", to: folder + "/there")
                } else {
                    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "nowhere")
                }
                #expect { try file.move(toFree: folder + "/" + name) } throws: { ($0 as? FileError)?.exists == true }
            }
            #expect(contents(folder + "/there") == "there")
            try file.move(toFree: folder + "/a")
            #expect(contents(folder + "/a") == "mine")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a", "link", "there"])
            #expect(file.isAt(folder + "/a") && !file.isAt(folder + "/there") && !file.isAt(folder + "/none"))
            #expect(rename(folder + "/a", folder + "/b") == 0)
            try FileManager.default.createSymbolicLink(atPath: folder + "/a", withDestinationPath: "b")
            #expect(!file.isAt(folder + "/a") && file.isAt(folder + "/b"))
        }
    }
}
