import Foundation
import JSON
import SQLite
import TestSupport
import Testing
import Text

@testable import MockServer

extension [StateStep] {
    /// The steps that save a world without users.
    fileprivate static func world(_ name: String, number: Int = 1, head: String = "{\"users\":[]}") -> [StateStep] {
        [
            .begin(world: name, number: number, scenario: nil),
            .head(world: name, [UInt8](head.utf8), VirtualNetwork.start),
        ]
    }
}

extension StateFile {
    fileprivate func write(_ steps: [StateStep], commits: Bool) throws(Refusal) {
        add(steps, commits: commits)
        try flush()
    }
}

@Suite("A state file") struct StateFileTests {
    private static func withPath(_ body: (String) throws -> Void) throws {
        try ScratchFolder.lend { try body($0 + "/state.db") }
    }

    private static let isInUse =
        "is in use by another server, or by an SQLite tool: stop that program, or choose a different file"

    /// The error when a file is opened.
    private static func refusal(_ path: String) -> String? {
        message { () throws(Refusal) in _ = try StateFile(path) }
    }

    /// The error when a server starts with a file.
    private static func refusal(of file: StateFile) -> String? {
        message { () throws(Refusal) in
            var configuration = Engine.Configuration()
            try configuration.keepState(in: file)
        }
    }

    private static func message(_ body: () throws(Refusal) -> Void) -> String? {
        do throws(Refusal) {
            try body()
            return nil
        } catch {
            return error.description
        }
    }

    private func move(_ path: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: other)
    }

    private func copy(_ path: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: path, toPath: other)
    }

    private static func world(_ name: String, number: Int = 1) -> SavedWorld {
        SavedWorld(name: name, number: number, head: Array("{\"users\":[]}".utf8), time: VirtualNetwork.start)
    }

    @Test("This version reads a version 1 state file")
    func firstVersion() throws {
        try Self.withPath { path in
            try Database(path: path).run(script: textOfPackage("Fixtures/state/v1.sql"))
            let network = try SavingTests.network(StateFile(path)) { $0.pace = .human }
            let engine = network.engine
            #expect(engine.manualTime?.wireText == "2025-01-29T10:30:10Z")
            let world = try WorldClient(network, network.admin(.get, "worlds/w1"))
            #expect(engine.worlds.serial == 2 && engine.worlds.count == 1)
            #expect(try world.exchange(.get, "/api/v1/goals").status == 200)
            let settings = engine.worlds["w1"]?.settings
            #expect(settings?.seed == 7 && settings?.scenario.script.answers.count == 1)
            let login = #"{"email":"ben@example.com","password":"correct horse"}"#
            let signedIn = try network.plainWorld().exchange(.post, "/api/v1/auth/login", login)
            let token = try #require(signedIn.json?["data"]?["access_token"]?.string, "\(signedIn.text)")
            func data(_ path: String) throws -> JSONValue? {
                try network.plainWorld().exchange(.get, "/api/v1/" + path, token: token).json?["data"]
            }
            func list(_ path: String, _ name: String, _ member: String) throws -> [JSONValue?]? {
                try data(path)?[name]?.array?.map { $0[member] }
            }
            #expect(try data("users/me")?["name"] == "Ben" && data("users/me/preferences")?["allergies"] == ["nuts"])
            #expect(try list("goals", "goals", "title") == ["Run"] && list("journal", "entries", "title") == ["Day 1"])
            #expect(try list("meal-logs", "meal_logs", "status") == ["processing", "completed"])
            try network.plainWorld().advance("10s")
            #expect(try list("meal-logs", "meal_logs", "status") == ["completed", "completed"])
        }
    }

    /// If a changed schema kept the old number, the server would misread the file.
    @Test("A new state file has the same schema as the newest fixture")
    func schema() throws {
        try Self.withPath { path in
            _ = try StateFile(path)
            try Database(path: path + ".old").run(script: textOfPackage("Fixtures/state/v1.sql"))
            func schema(_ path: String) throws -> [String] {
                let database = try Database(path: path)
                var lines: [String] = []
                try database.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name") {
                    lines.append($0.text(0))
                }
                for pragma in ["application_id", "user_version"] {
                    try database.run("PRAGMA \(pragma)") { lines.append("\(pragma) \($0.integer(0))") }
                }
                return lines
            }
            #expect(try schema(path) == schema(path + ".old") && schema(path).last == "user_version 1")
        }
    }

    @Test("The server rejects a file that is foreign, newer or unreachable or has triggers")
    func refusals() throws {
        try Self.withPath { path in
            let first = try StateFile(path)
            #expect(Self.refusal(path) == "'\(path)' \(Self.isInUse)")
            #expect(try first.read().worlds.isEmpty)

            let later = path + ".later"
            _ = try StateFile(later)
            try Database(path: later).run(script: "PRAGMA user_version = 9")
            #expect(
                Self.refusal(later) == """
                    '\(later)' was written by a later fitiq-mock: it has version 9, but this fitiq-mock reads \
                    only up to 1; update fitiq-mock, or choose a different file
                    """)

            let other = path + ".other"
            try Database(path: other).run(script: "CREATE TABLE mine (n)")
            let text = path + ".txt"
            try "name: a scenario, and no database".write(toFile: text, atomically: true, encoding: .utf8)
            for file in [other, text] {
                let before = FileManager.default.contents(atPath: file)
                #expect(
                    Self.refusal(file) == """
                        '\(file)' is not a fitiq-mock state file: choose a different file, or a file that does not \
                        exist yet
                        """)
                #expect(FileManager.default.contents(atPath: file) == before)
            }

            let altered = path + ".altered"
            _ = try StateFile(altered)
            try Database(path: altered).run(
                script: "CREATE TRIGGER t AFTER UPDATE ON server BEGIN DELETE FROM world; END")
            #expect(
                Self.refusal(altered) == """
                    '\(altered)' has the trigger "t", which would change the data that a server saves: drop it, or \
                    choose a different file
                    """)

            let nowhere = path + "/none/state.db"
            let expected = "'\(nowhere)' cannot be opened or created: its folder must exist and be writable"
            #expect(Self.refusal(nowhere) == expected)
        }
    }

    @Test("A killed server's state file opens at its last commit")
    func commits() throws {
        try Self.withPath { path in
            let copy = path + ".copy"
            let file = try StateFile(path)
            try file.write([.serial(1)] + .world("w1"), commits: true)
            try file.write([.serial(2), .remove(world: "w1")] + .world("w2"), commits: false)
            // A killed server leaves the file and its log behind.
            for ending in ["", "-wal"] { try self.copy(path + ending, to: copy + ending) }
            let killed = try StateFile(copy).read()
            #expect(killed.serial == 1 && killed.worlds.map(\.world) == [Self.world("w1")])
            try file.write([], commits: true)
            let whole = try file.read()
            #expect(whole.serial == 2 && whole.worlds.map(\.world) == [Self.world("w2")])
        }
    }

    @Test("The server keeps its commits on a full disk and saves everything once there is space")
    func full() throws {
        try Self.withPath { path in
            let file = try StateFile(path, largest: 40_000)
            try file.write([.serial(1)] + .world("w1"), commits: true)
            let large = Array(repeating: UInt8(ascii: "x"), count: 100_000)
            let error = #expect(throws: Refusal.self) {
                try file.write([.serial(2), .begin(world: "w2", number: 2, scenario: large)], commits: true)
            }
            #expect(error?.description == "'\(path)': database or disk is full")
            // Steps that depend on lost steps are also lost.
            #expect(throws: Refusal.self) { try file.write([.serial(3)], commits: true) }
            #expect(try file.read().serial == 1)
            try file.write([.forgetAll(except: nil), .serial(4)] + .world("w4"), commits: true)
            let state = try file.read()
            #expect(state.serial == 4 && state.worlds.map(\.world.name) == ["w4"])
        }
    }

    @Test("The server makes a state file and SQLite's files private and notes the change")
    func modes() throws {
        try Self.withPath { path in
            func modes() throws -> [String: Int] {
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                return try [String: Int](
                    uniqueKeysWithValues: names.map {
                        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + $0)
                        return ($0, (attributes[.posixPermissions] as? Int ?? 0))
                    })
            }
            do {
                let file = try StateFile(path)
                try file.write([.serial(1)], commits: true)
                #expect(try file.warning == nil && modes() == ["state.db": 0o600, "state.db-wal": 0o600])
            }
            for ending in ["", "-wal", "-shm"] {
                let file = path + ending
                if ending != "" { #expect(FileManager.default.createFile(atPath: file, contents: nil)) }
                try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: file)
            }
            let opened = try StateFile(path)
            #expect(
                opened.warning == """
                    other users could read '\(path)', which contains password hashes and tokens; its mode is now 0600
                    """)
            let narrowed = try modes()
            #expect(narrowed.values.allSatisfy { $0 == 0o600 }, "\(narrowed)")
            // The other file is not changed.
            let other = path + ".other"
            try Database(path: other).run(script: "CREATE TABLE mine (n)")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other)
            #expect(Self.refusal(other) != nil)
            #expect(try modes()["state.db.other"] == 0o644)
        }
    }

    @Test("The server reports a moved file and saves everything once the file is back", arguments: ["", "-wal"])
    func gone(ending: String) throws {
        try Self.withPath { path in
            let file = try StateFile(path)
            try file.write([.serial(1)] + .world("w1"), commits: true)
            try move(path + ending, to: path + ".moved")
            let error = #expect(throws: Refusal.self) { try file.write([.serial(2)], commits: true) }
            #expect(
                error?.description == """
                    '\(path)\(ending)' was moved, removed or replaced while the server was running: changes since then \
                    are lost unless the file is restored before the server exits
                    """)
            // Without its log, the file contains the last commit.
            try copy(ending.isEmpty ? path + ".moved" : path, to: path + ".copy")
            #expect(try StateFile(path + ".copy").read().serial == 1)
            try move(path + ".moved", to: path + ending)
            try file.write([.forgetAll(except: nil), .serial(3)] + .world("w3"), commits: true)
            #expect(try file.read().serial == 3)
        }
    }

    @Test("A server whose file was moved keeps its log")
    func movedLog() throws {
        try Self.withPath { path in
            let first = try StateFile(path)
            try first.write([.serial(1)] + .world("w1"), commits: true)
            try move(path, to: path + ".moved")
            #expect(Self.refusal(path) == "'\(path)' \(Self.isInUse)")
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(try first.read().serial == 1)
        }
    }

    @Test("The server rejects a file with an impossible world number")
    func numbers() throws {
        try Self.withPath { path in
            let file = try StateFile(path)
            for serial in [-1, .min, .max, Int.max / 4 + 1] {
                try file.write([.serial(serial)], commits: true)
                #expect(
                    Self.refusal(of: file) == """
                        '\(path)': the number of its last world is \(serial), but must be from 0 to \
                        2305843009213693951; set 'serial' in its table 'server' to 0, or choose a different file
                        """)
            }
            let last = [StateStep].world("w2305843009213693951", head: #"{"name":"a","users":[]}"#)
            for serial in [0, Int.max / 4] {
                try file.write([.serial(serial)] + last, commits: true)
                let network = try SavingTests.network(file)
                #expect(try network.world().id == "w2305843009213693952")
                #expect(try network.admin(.get, "worlds").json?["count"]?.int == 3)
            }
        }
    }

    @Test(
        "The server rejects a file with an invalid world id",
        arguments: ["w01", "", "w2305843009213693952", "w9223372036854775807", "n2-w9223372036854775807"])
    func noWorld(name: String) throws {
        try Self.withPath { path in
            let file = try StateFile(path)
            try file.write(.world(name), commits: true)
            #expect(
                Self.refusal(of: file) == """
                    '\(path)', world "\(name)": a world must have an id such as w17 or n2-w17, with a number up to \
                    2305843009213693951
                    """)
        }
    }

    @Test("The server rejects a file with an orphaned row and names its list and id")
    func strays() throws {
        let head = #"{"name":"a","users":[]}"#
        let good = ["('w1', 'users', '', 'anna', '{\"id\":\"anna\"}')"]
        for (row, list, id) in [
            ("('w1', 'goals', 'bob', 'x', '{\"id\":\"x\"}')", "goals", "x"),
            ("('w1', 'goal', 'anna', 'x', '{\"id\":\"x\"}')", "goal", "x"),
            ("('w1', 'users', 'anna', 'x', '{\"id\":\"x\"}')", "users", "x"),
            ("('w1', 'users', '', 'bob', '{\"id\":\"x\"}')", "users", "bob"),
            ("('w1', 'messages', 'anna', 'x', '{\"user\":\"Hello\",\"id\":\"x\"}')", "messages", "x"),
        ] {
            try Self.withPath { path in
                try StateFile(path).write(.world("w1", head: head), commits: true)
                for values in good + [row] {
                    try Database(path: path).run(
                        script: "INSERT INTO entity (world, list, owner, id, data) VALUES \(values)")
                }
                let error = #expect(throws: Refusal.self) { try StateFile(path).read() }
                let beginning = "'\(path)', world w1: the row with the id \"\(id)\" in the list \"\(list)\" was not"
                #expect(error?.description.hasPrefix(beginning) ?? false, "\(error?.description ?? row)")
            }
        }
    }

    @Test("The server rejects a file with an unreadable world and names the reason")
    func inconsistent() throws {
        try Self.withPath { path in
            let file = try StateFile(path)
            try file.write(.world("w3", head: #"{"name":"a","issued_ids":-1,"users":[]}"#), commits: true)
            let message = try #require(Self.refusal(of: file))
            #expect(message.hasPrefix("'\(path)', world w3: ") && message.contains("issued_ids"), "\(message)")
        }
    }
}
