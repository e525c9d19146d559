import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A database") struct DatabaseTests {
    private func withDatabase(_ body: (Database, String) throws -> Void) throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/a.db"
            try body(Database(path: path), path)
        }
    }

    @Test("A database returns the stored numbers, strings, bytes and nulls")
    func values() throws {
        try withDatabase { database, path in
            try database.run(script: "CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT, b TEXT)")
            let texts = ["", "e\u{301}", "a\0b", "'; DROP TABLE t; --", "🥗", String(repeating: "x", count: 100_000)]
            for (index, text) in texts.enumerated() {
                try database.run(
                    "INSERT INTO t VALUES (?, ?, ?)", .integer(Int64(index) - 2), .text(text), .bytes(Array(text.utf8)))
            }
            try database.run("INSERT INTO t VALUES (?, ?, ?)", .integer(.max), .null, .null)
            for database in [database, try Database(path: path)] {
                var rows: [(Int64, String, [UInt8])] = []
                try database.run("SELECT n, a, b FROM t ORDER BY n") {
                    rows.append(($0.integer(0), $0.text(1), $0.bytes(2)))
                }
                #expect(rows.map { $0.0 } == [-2, -1, 0, 1, 2, 3, Int64.max])
                #expect(rows.map { Array($0.1.utf8) } == (texts + [""]).map { Array($0.utf8) })
                #expect(rows.map { $0.2 } == (texts + [""]).map { Array($0.utf8) })
            }
        }
    }

    /// Runs in its own process, because the working folder belongs to the whole process.
    @Test("A database opens any file name literally and detects that its file has moved")
    func names() async {
        await #expect(processExitsWith: .success) {
            try ScratchFolder.lend { folder in
                #expect(FileManager.default.changeCurrentDirectoryPath(folder))
                for name in ["file:x?mode=memory", "file::memory:", "file:a.db?mode=ro", "plain"] {
                    let database = try Database(path: name)
                    try database.run(script: "CREATE TABLE t (n)")
                    #expect(FileManager.default.fileExists(atPath: name), "\(name)")
                    #expect(database.path?.hasSuffix("/" + name) == true)
                    #expect(!database.hasMoved)
                    try FileManager.default.moveItem(atPath: name, toPath: "moved")
                    #expect(database.hasMoved)
                    try FileManager.default.removeItem(atPath: "moved")
                }
                let memory = try Database(path: ":memory:")
                #expect(memory.path == nil && !memory.hasMoved)
            }
        }
    }

    @Test("A prepared statement can run again after a failure or partly read rows")
    func again() throws {
        try withDatabase { database, _ in
            try database.run(script: "CREATE TABLE t (n INTEGER PRIMARY KEY)")
            for number in Int64(1)...3 { try database.run("INSERT INTO t VALUES (?)", .integer(number)) }
            let error = #expect(throws: SQLiteError.self) { try database.run("INSERT INTO t VALUES (?)", .integer(2)) }
            #expect(error?.message == "UNIQUE constraint failed: t.n")
            #expect(error?.isBusy == false)
            try database.run("INSERT INTO t VALUES (?)", .integer(4))
            let stop = SQLiteError(code: 99, message: "enough")
            let stopped = #expect(throws: SQLiteError.self) {
                try database.run("SELECT n FROM t") { (_: Database.Row) throws(SQLiteError) in throw stop }
            }
            #expect(stopped == stop)
            var count = 0
            try database.run("SELECT n FROM t") { _ in count += 1 }
            #expect(count == 4)
        }
    }

    @Test("Opening a locked file, a foreign file or a missing folder throws")
    func refusals() throws {
        try withDatabase { database, path in
            try database.run(script: "PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE t (n); INSERT INTO t VALUES (1)")
            let other = try Database(path: path)
            let busy = #expect(throws: SQLiteError.self) { try other.run("SELECT n FROM t") }
            #expect(busy?.isBusy == true)
            let text = "This is a text, not a database, and long enough."
            try text.write(toFile: path + ".txt", atomically: true, encoding: .utf8)
            let foreign = #expect(throws: SQLiteError.self) { try Database(path: path + ".txt").run("SELECT 1 FROM t") }
            #expect(foreign?.isForeign == true)
            let missing = #expect(throws: SQLiteError.self) { try Database(path: path + "/no/folder.db") }
            #expect(missing?.message == "unable to open database file")
        }
    }
}
