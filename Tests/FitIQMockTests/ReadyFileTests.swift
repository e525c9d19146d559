import FitIQAPI
import Foundation
import Sockets
import TestSupport
import Testing

@testable import fitiq_mock

@Suite("The ready file")
struct ReadyFileTests {
    private static func text(_ identifier: Int32) -> String {
        #"{"url":"http://127.0.0.1:1","ws_url":"ws://127.0.0.1:1","pid":\#(identifier)}"#
    }

    private static var stale: ReadyFile.State { .stale(.init(id: 999_999_999, startedAt: nil)) }

    /// Passes the path of a ready file in a new folder; a process may already have written the file.
    private static func lend(writtenBy identifier: Int32? = nil, _ body: (String) throws -> Void) throws {
        try ScratchFolder.lend { folder in
            if let identifier { try write(identifier, folder + "/ready.json") }
            try body(folder + "/ready.json")
        }
    }

    private static func write(_ identifier: Int32, _ path: String) throws {
        try WholeFile.write(Array(text(identifier).utf8), to: path)
    }

    @Test(
        "A ready file is identified by its content",
        arguments: [
            (text(7), 7), (text(7).replacing("7}", with: "7,\"more\":[]}"), 7), (text(0), nil), (text(-7), nil),
            (text(7).replacing("7}", with: "4294967296}"), nil), (text(7).replacing("7}", with: "\"7\"}"), nil),
            (text(7).replacing("ws_url", with: "wss_url"), nil), ("{\"pid\":7}", nil), ("7", nil), ("", nil),
            ("notes", nil),
        ] as [(String, Int32?)])
    func recognised(_ text: String, _ identifier: Int32?) {
        #expect(ReadyFile.writer(of: Array(text.utf8))?.id == identifier)
    }

    @Test("The file of a process that has exited is replaced even if another process has the same process ID")
    func stale() throws {
        try Self.lend { path in
            for identifier in [CurrentProcess.identifier, 999_999_999] {
                try Self.write(identifier, path)
                let ready = try ReadyFile(at: path)
                #expect(!FileManager.default.fileExists(atPath: path))
                try ready.write(Array(Self.text(CurrentProcess.identifier).utf8))
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                for _ in 0..<2 { ready.remove() }
                let folder = (path as NSString).deletingLastPathComponent
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            }
        }
    }

    /// Starts a process that runs until it is terminated.
    private static func startOther() throws -> ChildProcess {
        try ChildProcess(
            ["sleep", "60"], environment: CurrentProcess.environment(with: []),
            streams: .init(output: .null, errors: .null))
    }

    @Test("The file of a process that has exited is stale even if another process has the same process ID")
    func reused() throws {
        let other = try Self.startOther()
        defer { other.end(grace: .zero) }
        let age = try #require(CurrentProcess.age(of: other.identifier))
        let began = WallClock.nanosecondsSinceEpoch() / 1_000_000_000 - age
        for (offset, isRunning) in [(Int64(0), true), (4, true), (60, false), (-60, false)] {
            let writer = ReadyFile.Writer(id: other.identifier, startedAt: Timestamp(secondsSinceEpoch: began + offset))
            #expect(writer.isRunning == isRunning, "\(offset)")
        }
        #expect(ReadyFile.Writer(id: other.identifier, startedAt: nil).isRunning)
        #expect(!ReadyFile.Writer(id: 999_999_999, startedAt: nil).isRunning && !ReadyFile.Writer.current.isRunning)
        #expect(CurrentProcess.age(of: 999_999_999) == nil)
    }

    @Test("The start time in a ready file may differ by five seconds")
    func clocks() throws {
        let other = try Self.startOther()
        defer { other.end(grace: .zero) }
        func began() throws -> Int64 {
            let age = try #require(CurrentProcess.age(of: other.identifier))
            return WallClock.nanosecondsSinceEpoch() / 1_000_000_000 - age
        }
        // Repeat the check if a second has passed in the meantime.
        var found: (isRunning: Bool, isLater: Bool)?
        for _ in 0..<10 where found == nil {
            let start = try began()
            let isRunning = [start + 5, start + 6].map {
                ReadyFile.Writer(id: other.identifier, startedAt: Timestamp(secondsSinceEpoch: $0)).isRunning
            }
            if try began() == start { found = (isRunning[0], isRunning[1]) }
        }
        #expect(found?.isRunning == true && found?.isLater == false)
    }

    @Test("A stale file is removed, even if another program removes it at the same time")
    func removed() throws {
        try Self.lend { path in
            for isRemoved in [false, true] {
                try Self.write(999_999_999, path)
                let ready = try ReadyFile(at: path) { _ in
                    if isRemoved { unlink(path) }
                    errno = EPERM
                    return false
                }
                #expect(!FileManager.default.fileExists(atPath: path))
                ready.remove()
            }
        }
    }

    @Test("A read-only ready file owned by the same user is recognized")
    func readOnly() async throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let path = folder["ready.json"].path
        try Self.write(999_999_999, path)
        #expect(chmod(path, 0o444) == 0 && chmod(folder.url.path, 0o755) == 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            // Root can write any file, so drop its privileges.
            if getuid() == 0 { #expect(setuid(65534) == 0) }
            #expect(ReadyFile.state(at: path) == .stale(.init(id: 999_999_999, startedAt: nil)))
        }
    }

    @Test("A missing file, a foreign file and a stale file are distinguished")
    func states() throws {
        try Self.lend { path in
            let folder = (path as NSString).deletingLastPathComponent
            #expect((ReadyFile.state(at: path), ReadyFile.state(at: folder)) == (.absent, .foreign))
            try WholeFile.write(Array("{}".utf8), to: path)
            #expect(ReadyFile.state(at: path) == .foreign)
            try Self.write(999_999_999, path)
            #expect(ReadyFile.state(at: path) == Self.stale)
            let ready = try ReadyFile(at: path)
            try ready.write(Array(Self.text(7).utf8))
            #expect(ReadyFile.state(at: path) == .running(.init(id: 7, startedAt: nil), url: "http://127.0.0.1:1"))
            ready.remove()
        }
    }

    @Test("A running process's file is rejected")
    func running() throws {
        try Self.lend(writtenBy: 7) { path in
            let failure = #expect(throws: Failure.self) { try ReadyFile(at: path) { $0.id == 7 } }
            #expect(failure?.exitCode == 2 && failure?.message == Messages.readyFileInUse(path, 7))
            #expect(failure?.message.contains("process 7, which is still running") == true)
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("The file of a server on another machine is rejected even if no local process has its process ID")
    func locked() throws {
        try Self.lend { path in
            let elsewhere = try ReadyFile(at: path)
            try elsewhere.write(Array(Self.text(7).utf8))
            let failure = #expect(throws: Failure.self) { try ReadyFile(at: path) { _ in false } }
            #expect(failure?.message == Messages.readyFileInUse(path, 7))
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A server waits for programs that are reading a stale file before it removes the file")
    func looking() throws {
        try Self.lend(writtenBy: 999_999_999) { path in
            let looking = try OutputFile(opening: path)
            try looking.lock(isShared: true)
            #expect(ReadyFile.state(at: path) == Self.stale)
            var isAsked = false
            _ = try ReadyFile(at: path) { _ in
                if !isAsked { looking.close() }
                isAsked = true
                return false
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("If two servers find the same stale file, only one of them removes it")
    func meanwhile() throws {
        try Self.lend(writtenBy: 7) { path in
            var other: ReadyFile?
            // The initializer calls the closure after it has read the file.
            let ready = try ReadyFile(at: path) { _ in
                other = try? ReadyFile(at: path) { _ in false }
                return false
            }
            #expect(other == nil)
            try ready.write(Array(Self.text(8).utf8))
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A file above the size limit is not a ready file")
    func large() throws {
        try Self.lend { path in
            for (padding, isTaken) in [(0, true), (1, false)] {
                let text = Array(Self.text(999_999_999).utf8)
                let spaces = [UInt8](repeating: .space, count: ReadyFile.limit - text.count + padding)
                try WholeFile.write(text + spaces, to: path)
                #expect((try? ReadyFile(at: path)) != nil ? isTaken : !isTaken)
            }
        }
    }

    @Test("A missing folder is reported before the server listens")
    func missingFolder() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/none/ready.json"
            let missing = #expect(throws: Failure.self) { try ReadyFile(at: path) }
            #expect(missing?.message == "cannot write to '\(path)': its folder does not exist; create it first.")
        }
    }

    @Test("A folder without access is reported before the server listens")
    func closedFolder() async throws {
        await #expect(processExitsWith: .success) {
            try ScratchFolder.lend { folder in
                #expect(chmod(folder, 0o555) == 0)
                // Root can access everything.
                if getuid() == 0 { #expect(setuid(65534) == 0) }
                let closed = #expect(throws: Failure.self) { try ReadyFile(at: folder + "/ready.json") }
                #expect(closed?.message == "cannot write to '\(folder)/ready.json': this user may not write there.")
            }
        }
    }
}
