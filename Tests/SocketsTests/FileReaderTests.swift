import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Reading files")
struct FileReaderTests {
    @Test("The reader reads a file to its end or to a limit", arguments: [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
    func reads(_ size: Int) throws {
        try ScratchFolder.lend { folder in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            try WholeFile.write(bytes, to: folder + "/a")
            #expect(try FileReader(folder + "/a").read(upTo: .max) == bytes)
            #expect(try FileReader(folder + "/a").read(upTo: 100) == Array(bytes.prefix(100)))
            let reader = try FileReader(folder + "/a")
            #expect(try reader.read(upTo: size) == bytes)
            // The end is not an error, even if an earlier call failed.
            errno = EIO
            let end = try reader.read(atMost: 1)
            #expect(end == [])
        }
    }

    @Test("The reader follows a link and reads the null device as an empty file")
    func links() throws {
        try ScratchFolder.lend { folder in
            try WholeFile.write([1, 2], to: folder + "/a")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "a")
            #expect(try FileReader(folder + "/link").read(upTo: 9) == [1, 2])
            #expect(try FileReader("/dev/null").read(upTo: 9) == [])
        }
    }

    @Test("The reader rejects a special file without blocking")
    func special() throws {
        try ScratchFolder.lend { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            for (path, cause) in [
                (folder, .system(EISDIR)), (folder + "/pipe", .notRegular), ("/dev/zero", .notRegular),
                (folder + "/none", .system(ENOENT)), (folder + "/pipe/a", .system(ENOTDIR)),
                ("/dev/fd/99999", .system(ENOENT)),
            ] as [(String, FileError.Cause)] {
                for orInherited in [false, true] {
                    #expect { try FileReader(path, orInherited: orInherited) } throws: {
                        $0 as? FileError == FileError(.read, path: path, cause: cause)
                    }
                }
            }
        }
    }

    @Test("The reader can read an inherited descriptor directly")
    func inherited() throws {
        let pipe = Pipe()
        let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
        defer { close(descriptor) }
        try pipe.fileHandleForWriting.write(contentsOf: Data("hello".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(throws: FileError.self) { try FileReader("/dev/fd/\(descriptor)") }
        #expect(try FileReader("/dev/fd/\(descriptor)", orInherited: true).read(upTo: 9) == Array("hello".utf8))
        #expect(fcntl(descriptor, F_GETFD) >= 0, "It is not this reader's to close.")
    }

    @Test("The reader waits for a non-blocking descriptor")
    func nonBlocking() throws {
        let (asked, answered) = (try WakePipe(), try WakePipe())
        let descriptor = dup(answered.reader)
        defer {
            close(descriptor)
            asked.close()
            answered.close()
        }
        let rounds = 50
        Thread.detachNewThread {
            for _ in 0..<rounds {
                SingleDescriptorPoll.wait(for: .read, on: asked.reader)
                asked.clear()
                answered.wake()
            }
        }
        let reader = try FileReader("/dev/fd/\(descriptor)", orInherited: true)
        for _ in 0..<rounds {
            asked.wake()
            // The other thread has to wake up first, so in some rounds nothing has arrived yet.
            #expect(try reader.read(atMost: 9) == [0])
        }
    }

    @Test("Reading standard input does not close it")
    func standardInput() {
        _ = FileReader(standardInputNamed: "a")
        #expect(fcntl(STDIN_FILENO, F_GETFD) >= 0)
    }

    @Test("A process that has exited counts as ended even before its parent waits for it")
    func running() throws {
        let child = try ChildProcess(["sh", "-c", "exec sleep 300"], environment: CurrentProcess.environment())
        #expect(CurrentProcess.isRunning(child.identifier) && CurrentProcess.isRunning(CurrentProcess.identifier))
        // The child started a moment ago.
        let age = try #require(CurrentProcess.age(of: child.identifier))
        #expect((0...60).contains(age) && CurrentProcess.age(of: 999_999_999) == nil)
        child.group.kill()
        #expect(child.wait(until: .now().advanced(by: .seconds(20))) != nil)
        #if os(Linux)
            #expect(!CurrentProcess.isRunning(child.identifier), "It is a zombie.")
        #endif
        child.end(grace: .zero)
        #expect(!CurrentProcess.isRunning(child.identifier))
    }

    @Test("Closed standard streams are replaced by descriptors that fail on use")
    func held() async {
        await #expect(processExitsWith: .exitCode(42)) {
            for descriptor in 0...2 as ClosedRange<Int32> { close(descriptor) }
            CurrentProcess.holdStandardStreams()
            let next = open("/dev/null", O_RDONLY)
            // Open streams are kept and use no more descriptors; the test runner may open a few.
            for _ in 0..<20 { CurrentProcess.holdStandardStreams() }
            let last = open("/dev/null", O_RDONLY)
            var byte: UInt8 = 0
            let fails = read(0, &byte, 1) < 0 && write(1, &byte, 1) < 0 && write(2, &byte, 1) < 0
            _exit(next > 2 && last >= 0 && last < next + 20 && fails ? 42 : 1)
        }
    }
}
