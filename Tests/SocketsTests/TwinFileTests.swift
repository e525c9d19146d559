import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Twin files")
struct TwinFileTests {
    private let folder: URL

    init() throws { folder = try ScratchFolder().url }

    private func inFolder(_ body: (String) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path + "/a")
    }

    private let beginning = Array("{".utf8)
    private let first: TwinFile.Batch = [(0, Array("{[]}".utf8))]
    /// Later batches overwrite parts of earlier ones.
    private let batches: [TwinFile.Batch] = [
        [(2, Array("1, 2]}".utf8))], [(2, Array("3".utf8)), (5, Array("4, 5]}".utf8))],
    ]
    private let states = ["nothing", "{[]}", "{[1, 2]}", "{[3, 4, 5]}"]

    private func open(_ path: String, _ existing: TwinFile.Existing = .refuse) throws(FileError) -> TwinFile {
        try TwinFile(creating: path, existing: existing, beginning: beginning, first: first)
    }

    /// Opens a file with its own system calls; by default, the disk is unlimited.
    private func open(
        _ path: String, _ existing: TwinFile.Existing = .refuse, exchange: FileExchange = FileExchange(),
        _ write: @escaping TwinFile.Write = { (file, bytes, offset) throws(FileError) in
            try file.write(bytes, at: offset)
        }
    ) throws(FileError) -> TwinFile {
        try TwinFile(
            creating: path, existing: existing, beginning: beginning, first: first, exchange: exchange, write: write)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func put(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("The finished file contains all batches and has no twin")
    func grows() throws {
        try inFolder { path in
            let file = try open(path)
            #expect(contents(path) == states[1] && contents(path + ".part") == states[1])
            for (batch, state) in zip(batches, states.dropFirst(2)) {
                try file.write(batch)
                #expect(contents(path) == state && contents(path + ".part") == state)
            }
            #expect(try file.read(3, at: 1) == Array("[3,".utf8))
            try file.finish { append throws(FileError) in
                try append(Array("one".utf8))
                try append(Array(" two".utf8))
            }
            #expect(file.settle() == path && contents(path) == "one two")
            #expect(try names() == ["a"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("A write cut short by a kill or a full disk keeps all earlier batches", arguments: [true, false])
    func cuts(canExchange: Bool) throws {
        var exchange = FileExchange()
        if !canExchange { exchange.exchanging = { _, _ in -ENOSYS } }
        try inFolder { path in
            var budget = 0
            var isCut = true
            var kept = 0
            while isCut {
                isCut = false
                var left = budget
                kept = 0
                var file: TwinFile?
                do {
                    let made = try open(path, exchange: exchange) { (file, bytes, offset) throws(FileError) in
                        try file.write(Array(bytes.prefix(left)), at: offset)
                        // The state after a kill at this point.
                        let state = contents(path) ?? "nothing"
                        #expect(state == self.states[kept] || state == self.states[kept + 1], "after \(budget) bytes")
                        guard bytes.count <= left else { throw FileError(.write, path: path, code: ENOSPC) }
                        left -= bytes.count
                    }
                    file = made
                    kept = 1
                    for batch in batches {
                        try made.write(batch)
                        kept += 1
                    }
                } catch {
                    isCut = true
                    #expect("\(error)" == "cannot write to '\(path)': the disk is full")
                }
                let state = contents(path) ?? "nothing"
                #expect(state == states[kept] || kept > 0 && state == states[kept + 1], "after \(budget) bytes")
                #expect(file?.settle() == (kept == 0 ? nil : path))
                #expect((contents(path) ?? "nothing") == state)
                #expect(try names() == (kept == 0 ? [] : ["a"]))
                if kept > 0 { try FileManager.default.removeItem(atPath: path) }
                budget += 1
            }
            #expect(budget == 2 * (4 + 6 + 1 + 6) + 1)
        }
    }

    @Test("A write detects a moved, removed or replaced file and keeps its replacement", arguments: [0, 1, 2])
    func gone(_ kind: Int) throws {
        try inFolder { path in
            let file = try open(path)
            switch kind {
            case 0: try FileManager.default.removeItem(atPath: path)
            case 1: try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            default:
                try FileManager.default.removeItem(atPath: path)
                try put("foreign", path)
            }
            let gone = FileError(.write, path: path, cause: .gone)
            #expect(throws: gone) { try file.write(batches[0]) }
            #expect(throws: gone) {
                try file.finish { append throws(FileError) in try append(Array("{finished".utf8)) }
            }
            #expect(file.settle() == path + ".part" && contents(path + ".part") == "{[]}")
            #expect(contents(path) == (kind == 2 ? "foreign" : nil))
        }
    }

    @Test("A twin that is a recording's only copy blocks the next recording", arguments: [nil, "", "x", "{[7]}"])
    func onlyCopy(_ content: String?) throws {
        try inFolder { path in
            try put("{[1, 2", path + ".part")
            if let content { try put(content, path) }
            let existing: TwinFile.Existing = content == nil ? .refuse : .replace
            #expect(throws: FileError(.create, path: path + ".part", code: EEXIST)) { try open(path, existing) }
            #expect(contents(path + ".part") == "{[1, 2" && contents(path) == content)
        }
    }

    @Test("Finishing fails if the file's folder is gone")
    func noFolder() throws {
        try inFolder { path in
            let file = try open(path)
            try FileManager.default.removeItem(at: folder)
            #expect { try file.finish { _ in } } throws: { ($0 as? FileError)?.cause == .gone }
            #expect(file.settle() == nil)
        }
    }

    @Test("A write recreates a moved or removed twin but fails on a replaced twin", arguments: [0, 1, 2])
    func twin(_ kind: Int) throws {
        try inFolder { path in
            let twin = path + ".part"
            let file = try open(path)
            if kind == 1 { #expect(rename(twin, path + ".moved") == 0) } else { #expect(unlink(twin) == 0) }
            if kind == 2 {
                try put("foreign", twin)
                #expect(throws: FileError(.create, path: twin, code: EEXIST)) { try file.write(batches[0]) }
                #expect(file.settle() == path && contents(path) == states[1] && contents(twin) == "foreign")
                return
            }
            try file.write(batches[0])
            #expect(contents(path) == states[2] && contents(twin) == states[2])
            #expect(unlink(twin) == 0)
            try file.finish { append throws(FileError) in try append(Array("finished".utf8)) }
            #expect(file.settle() == path && contents(path) == "finished")
            #expect(try names() == (kind == 1 ? ["a", "a.moved"] : ["a"]))
        }
    }

    @Test("Replacing the file removes a killed process's twin", arguments: [".part", ".part2"])
    func leftovers(_ suffix: String) throws {
        try inFolder { path in
            for content in ["", "{", "{[1", "{[1, 2]}{"] {
                try put("{[1, 2]}", path)
                try put(content, path + suffix)
                let file = try open(path, .replace)
                try file.write(batches[0])
                #expect(file.settle() == path && contents(path) == states[2])
                #expect(try names() == ["a"])
            }
        }
    }

    @Test("Opening a file removes a second link to it left by a killed process")
    func secondName() throws {
        try inFolder { path in
            try put("{[1, 2]}", path)
            #expect(link(path, path + ".part2") == 0)
            let file = try open(path, .replace)
            try file.write(batches[0])
            #expect(file.settle() == path && contents(path) == states[2])
            #expect(try names() == ["a"])
        }
    }

    @Test("Opening removes empty leftovers", arguments: ["", "{[]}"])
    func emptyLeftovers(_ content: String) throws {
        try inFolder { path in
            for existing in [TwinFile.Existing.refuse, .replace, .replace] {
                try put(content, path + ".part")
                let file = try open(path, existing)
                try file.write(batches[0])
                #expect(file.settle() == path && contents(path) == states[2])
                if existing == .refuse { #expect(unlink(path) == 0) }
            }
        }
    }

    @Test("Opening fails on a foreign file in the twin's place and keeps it")
    func foreignTwin() throws {
        try inFolder { path in
            for (suffix, content) in [(".part", "other"), (".part2", "other"), (".part", "{[1"), (".part2", "{[1")] {
                try put(content, path + suffix)
                #expect(throws: FileError(.create, path: path + suffix, code: EEXIST)) { try open(path) }
                #expect(contents(path + suffix) == content)
                #expect(try names() == ["a" + suffix])
                try FileManager.default.removeItem(atPath: path + suffix)
            }
            try FileManager.default.createDirectory(atPath: path + ".part", withIntermediateDirectories: false)
            #expect(throws: FileError(.create, path: path + ".part", code: EEXIST)) { try open(path) }
        }
    }

    @Test("Opening a file in use fails, and its writer continues")
    func inUse() throws {
        try inFolder { path in
            let file = try open(path)
            #expect(throws: FileError(.write, path: path, cause: .inUse)) { try open(path) }
            #expect(throws: FileError(.write, path: path, cause: .inUse)) { try open(path, .replace) }
            try file.write(batches[0])
            #expect(unlink(path) == 0)
            #expect(throws: FileError(.write, path: path + ".part", cause: .inUse)) { try open(path) }
            #expect(file.settle() == path + ".part" && contents(path + ".part") == states[2])
        }
    }

    @Test("Opening rejects an existing file or replaces it in place")
    func existing() throws {
        try inFolder { path in
            for target in [path, "a", "new"] {
                if target != "new" { try put("before", path) }
                try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: target)
                for name in [path, path + ".link"] where target != "new" {
                    #expect { try open(name) } throws: { ($0 as? FileError)?.exists == true }
                    #expect(contents(path) == "before")
                }
                let file = try open(path + ".link", .replace)
                try file.write(batches[0])
                #expect(file.settle().map { ($0 as NSString).lastPathComponent } == (target == "new" ? "new" : "a"))
                #expect(contents(path + ".link") == states[2])
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path + ".link") == target)
                try FileManager.default.removeItem(atPath: path + ".link")
            }
            #expect(try names() == ["a", "new"])
        }
    }

    @Test("Discarding a recording restores the old file", arguments: [true, false])
    func discards(canExchange: Bool) throws {
        var exchange = FileExchange()
        if !canExchange { exchange.exchanging = { _, _ in -EPERM } }
        try inFolder { path in
            try open(path, exchange: exchange).discard()
            #expect(try names() == [])
            try put("before", path)
            try open(path, .replace, exchange: exchange).discard()
            #expect(contents(path) == "before")
            #expect(try names() == ["a"])
            let file = try open(path, .replace, exchange: exchange)
            try file.write([])
            #expect(contents(path) == states[1] && contents(path + ".part") == states[1])
            file.discard()
            #expect(try names() == [])
        }
    }

    @Test("A truncated twin does not count as a recording, even without the file", arguments: [0, 1, 2])
    func cutTwin(_ kind: Int) throws {
        try inFolder { path in
            var isFull = false
            let file = try open(path) { (file, bytes, offset) throws(FileError) in
                if isFull { throw FileError(.write, path: path, code: ENOSPC) }
                try file.write(bytes, at: offset)
            }
            isFull = true
            // In this case, the file is created again first.
            if kind == 2 { #expect(unlink(path + ".part") == 0) }
            let full = FileError(.write, path: path, code: ENOSPC)
            if kind == 1 {
                #expect(throws: full) { try file.finish { append throws(FileError) in try append([1]) } }
            } else {
                #expect(throws: full) { try file.write(batches[0]) }
            }
            #expect(unlink(path) == 0)
            #expect(file.settle() == nil)
        }
    }

    @Test("Finishing copies nothing into the twin that becomes the finished file")
    func noCopy() throws {
        try inFolder { path in
            var written = 0
            let file = try open(path) { (file, bytes, offset) throws(FileError) in
                written += bytes.count
                try file.write(bytes, at: offset)
            }
            written = 0
            #expect(unlink(path + ".part") == 0)
            try file.finish { append throws(FileError) in try append(Array("new".utf8)) }
            #expect(written == 3 && file.settle() == path && contents(path) == "new")
        }
    }

    @Test("If the file is removed while it is being finished, its twin contains the recording")
    func takenAway() throws {
        try inFolder { path in
            let file = try open(path)
            #expect(throws: FileError(.write, path: path, cause: .gone)) {
                try file.finish { append throws(FileError) in
                    try append(Array("finished".utf8))
                    unlink(path)
                }
            }
            #expect(file.settle() == path + ".part" && contents(path + ".part") == "finished")
        }
    }

    @Test("Settling does not mistake a replaced old file for the moved recording")
    func movedAway() throws {
        try inFolder { path in
            try put("before", path)
            let file = try open(path, .replace)
            #expect(rename(path, path + ".moved") == 0)
            #expect(file.settle() == nil && contents(path + ".part") == "before")
        }
    }

    @Test("Opening rejects special files and leaves them unchanged")
    func special() throws {
        try inFolder { path in
            #expect(mkfifo(path, 0o600) == 0)
            for path in [path, "/dev/null"] {
                #expect { try open(path, .replace) } throws: { ($0 as? FileError)?.cause == .notRegular }
            }
            #expect { try open(folder.path, .replace) } throws: {
                "\($0)" == "cannot create '\(folder.path)': it is a folder; specify a file in it"
            }
            let left = try names()
            #expect(left == ["a"])
        }
    }
}
