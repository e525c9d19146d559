import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Exchanging files")
struct FileExchangeTests {
    /// Two files, and a third name for links.
    private func inPair(_ body: (_ path: String, _ twin: String) throws -> Void) throws {
        try ScratchFolder.lend { folder in
            try Data("one".utf8).write(to: URL(fileURLWithPath: folder + "/a"))
            try Data("two".utf8).write(to: URL(fileURLWithPath: folder + "/a.part"))
            try body(folder + "/a", folder + "/a.part")
            #expect(contents(folder + "/a.part2") == nil)
        }
    }

    @Test("An exchange falls back to links if the system does not support it")
    func unknown() throws {
        for code in [nil, EINVAL, ENOSYS, EOPNOTSUPP, EPERM] {
            try inPair { path, twin in
                var exchange = FileExchange()
                if let code { exchange.exchanging = { _, _ in -code } }
                try exchange(path, twin)
                #expect(contents(path) == "two" && contents(twin) == "one")
            }
        }
    }

    @Test("A failed exchange leaves both files unchanged and throws the cause")
    func failures() throws {
        try inPair { path, twin in
            for (exchanging, linking, renaming, error) in [
                (EIO, 0, 0, FileError(.move, path: path, code: EIO)),
                (EACCES, 0, 0, FileError(.move, path: path, code: EACCES)),
                (ENOSYS, EPERM, 0, FileError(.create, path: path, cause: .notExchangeable)),
                (EPERM, EOPNOTSUPP, 0, FileError(.create, path: path, cause: .notExchangeable)),
                (ENOSYS, EEXIST, 0, FileError(.create, path: path + ".part2", code: EEXIST)),
                (ENOSYS, 0, EACCES, FileError(.move, path: path, code: EACCES)),
            ] as [(Int32, Int32, Int32, FileError)] {
                var exchange = FileExchange()
                exchange.exchanging = { _, _ in -exchanging }
                if linking != 0 { exchange.linking = { _, _ in -linking } }
                if renaming != 0 { exchange.renaming = { _, _ in -renaming } }
                #expect(throws: error) { try exchange(path, twin) }
                #expect(contents(path) == "one" && contents(twin) == "two")
            }
        }
    }

    @Test("A failed last step leaves only the path in its final state")
    func lastStep() throws {
        try inPair { path, twin in
            var exchange = FileExchange()
            exchange.exchanging = { _, _ in -ENOSYS }
            let renaming = exchange.renaming
            exchange.renaming = { $1 == path ? renaming($0, $1) : -EIO }
            try exchange(path, twin)
            #expect(contents(path) == "two" && contents(twin) == nil)
        }
    }
}
