import Foundation
import Testing

@testable import Sockets

@Suite("Files that grow in whole batches")
struct TwinFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "twin-file-\(ProcessInfo.processInfo.processIdentifier)-\(UInt64.random(in: 0 ... .max))")

    private func inFolder(_ body: (String) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path + "/a")
    }

    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private let beginning = Array("{".utf8)
    /// Later ones write over what earlier ones wrote.
    private let batches: [[(offset: Int, bytes: [UInt8])]] = [
        [(0, Array("{[]}".utf8))], [(2, Array("1, 2]}".utf8))], [(2, Array("3".utf8)), (5, Array("4, 5]}".utf8))],
    ]
    private let states = ["", "{[]}", "{[1, 2]}", "{[3, 4, 5]}"]

    @Test("Batches are there, and so is the other form; no twin is left")
    func grows() throws {
        try inFolder { path in
            let file = try TwinFile(creating: path, existing: .refuse, beginning: beginning)
            for (batch, state) in zip(batches, states.dropFirst()) {
                try file.write(batch)
                #expect(text(path) == state)
                #expect(text(path + ".part") == state)
            }
            #expect(try file.read(3, at: 1) == Array("[3,".utf8))
            try file.finish { append throws(FileError) in
                try append(Array("one".utf8))
                try append(Array(" two".utf8))
            }
            #expect(file.settle() == path)
            #expect(text(path) == "one two")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(
        "Wherever a write is cut short, by a kill or for want of room, the file has all batches before, whole",
        arguments: [true, false])
    func cuts(canExchange: Bool) throws {
        try inFolder { path in
            var budget = 0
            var isCut = true
            var kept = 0
            while isCut {
                isCut = false
                var left = budget
                kept = 0
                let file = try TwinFile(
                    creating: path, existing: .refuse, beginning: beginning, canExchange: canExchange
                ) {
                    (file, bytes, offset) throws(FileError) in
                    try file.write(Array(bytes.prefix(left)), at: offset)
                    // What a kill at this point leaves.
                    let state = self.text(path) ?? "nothing"
                    #expect(state == self.states[kept] || state == self.states[kept + 1], "after \(budget) bytes")
                    guard bytes.count <= left else { throw FileError(.write, path: path, code: ENOSPC) }
                    left -= bytes.count
                }
                do {
                    for batch in batches {
                        try file.write(batch)
                        kept += 1
                    }
                } catch {
                    isCut = true
                    #expect("\(error)" == "cannot write to '\(path)': the disk is full")
                }
                let state = text(path) ?? "nothing"
                #expect(file.settle() == path)
                #expect(text(path) == state)
                #expect(state == states[kept] || state == states[kept + 1], "after \(budget) bytes")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
                try FileManager.default.removeItem(atPath: path)
                budget += 1
            }
            #expect(budget == 2 * (4 + 6 + 1 + 6) + 1)
        }
    }

    @Test(
        "A file that was moved, removed or replaced is noticed, and what took its place is left alone",
        arguments: [0, 1, 2])
    func gone(_ kind: Int) throws {
        try inFolder { path in
            let file = try TwinFile(creating: path, existing: .refuse, beginning: beginning)
            try file.write(batches[0])
            switch kind {
            case 0: try FileManager.default.removeItem(atPath: path)
            case 1: try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            default:
                try FileManager.default.removeItem(atPath: path)
                try Data("foreign".utf8).write(to: URL(fileURLWithPath: path))
            }
            #expect { try file.write(batches[1]) } throws: { ($0 as? FileError)?.code == FileError.gone }
            #expect {
                try file.finish { append throws(FileError) in try append(Array("finished".utf8)) }
            } throws: { ($0 as? FileError)?.code == FileError.gone }
            #expect(file.settle() == path + ".part")
            #expect(text(path + ".part") == "finished")
            #expect(text(path) == (kind == 2 ? "foreign" : nil))
        }
    }

    @Test("Where the folder is gone, so is the file")
    func noFolder() throws {
        try inFolder { path in
            let file = try TwinFile(creating: path, existing: .refuse, beginning: beginning)
            try file.write(batches[0])
            try FileManager.default.removeItem(at: folder)
            #expect { try file.finish { _ in } } throws: { ($0 as? FileError)?.code == FileError.gone }
            #expect(file.settle() == nil)
        }
    }

    @Test("A twin that a killed process left is replaced, and nothing else is", arguments: ["", "{[1", "other"])
    func leftovers(_ content: String) throws {
        try inFolder { path in
            try Data(content.utf8).write(to: URL(fileURLWithPath: path + ".part"))
            if content == "other" {
                #expect { try TwinFile(creating: path, existing: .refuse, beginning: beginning) } throws: {
                    ($0 as? FileError)?.exists == true && ($0 as? FileError)?.path == path + ".part"
                }
                #expect(text(path + ".part") == content)
                #expect(text(path) == nil)
            } else {
                let file = try TwinFile(creating: path, existing: .refuse, beginning: beginning)
                try file.write(batches[0])
                #expect(file.settle() == path)
                #expect(text(path) == states[1])
            }
        }
    }

    @Test("One that exists is refused, or replaced where it is; a symbolic link stays one")
    func existing() throws {
        try inFolder { path in
            try Data("before".utf8).write(to: URL(fileURLWithPath: path))
            #expect { try TwinFile(creating: path, existing: .refuse, beginning: beginning) } throws: {
                ($0 as? FileError)?.exists == true
            }
            #expect(text(path) == "before")
            try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: path)
            let file = try TwinFile(creating: path + ".link", existing: .replace, beginning: beginning)
            try file.write(batches[0])
            #expect(file.settle().map { ($0 as NSString).lastPathComponent } == "a")
            #expect(text(path) == states[1])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path + ".link") == path)
        }
    }
}
