import FitIQAPI
import Foundation
import TestSupport
import Testing
import Text

@testable import MockServer

@Suite("Steps that save a server's worlds") struct SavingStepTests {
    private let network: VirtualNetwork
    private let file: StateFile

    init() throws {
        file = try StateFile(":memory:")
        network = try SavingTests.network(file)
    }

    @Test("A restart without changes writes nothing")
    func unchanged() throws {
        _ = try network.world().exchange(.post, "/api/v1/goals", WorldClient.goal)
        let later = try SavingTests.next(network)
        #expect(later.engine.savingDue == nil)
        #expect(later.engine.defaultWorld.savedPart != nil && later.engine.worlds["w1"]?.savedPart != nil)
    }

    @Test("A change while a slice is written waits for the next commit")
    func meanwhile() throws {
        let (engine, world) = (network.engine, try network.plainWorld())
        network.advance(by: .seconds(1))
        var jobs: [Job] = []
        engine.startSaving = { jobs.append($0) }
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        network.catchUp()
        try #require(jobs.count == 1)
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        engine.finish(jobs.removeFirst().run(), at: network.now)
        #expect(jobs.isEmpty && engine.savingDue == network.now + .milliseconds(100))
    }

    @Test("Worlds beyond a slice's step limit wait for the next slice")
    func full() throws {
        let (engine, other) = (network.engine, try network.world())
        for world in [try network.plainWorld(), other] {
            for _ in 0..<5 { _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal) }
        }
        let slice = try #require(engine.saving?.takeSlice(upTo: 3))
        // The number of the last world is added.
        #expect(slice.steps.count == 4 && !slice.commits)
        #expect(engine.defaultWorld.isPartlySaved && engine.worlds["w1"]?.savedPart == nil)
    }

    @Test("A world's number is not reused if the world is created and deleted between two commits")
    func deletedEarly() throws {
        network.advance(by: .seconds(1))
        let made = try network.world()
        #expect(try network.admin(.delete, "worlds/\(made.id)").status == 204 && network.engine.savingDue != nil)
        network.advance(by: .seconds(1))
        #expect(try file.read().serial == 1 && network.engine.savingDue == nil)
    }

    @Test("The server does not save a world while it replays a session")
    func sessions() throws {
        let (engine, world) = (network.engine, try network.plainWorld())
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        network.advance(by: .seconds(1))
        let session = String(decoding: Take().asked("GET", "/a").har, as: UTF8.self)
        let scenario = #"{"scenario":{"name":"r","replay":{"session":\#(session)}}}"#
        #expect(try world.ask(.post, "reset", scenario).status == 200)
        let main = engine.defaultWorld
        #expect(main.savedPart == nil && !main.isInFile && !main.awaitsSaving && !main.isPartlySaved)
        network.advance(by: .seconds(1))
        #expect(try network.get("/a").status == 200 && engine.savingDue == nil)
        #expect(try world.ask(.post, "reset", #"{"scenario":{"name":"b"}}"#).status == 200)
        network.advance(by: .seconds(1))
        #expect(try file.read().worlds.count == 1 && engine.savingDue == nil)
    }

    @Test("saveAll commits every world to the file")
    func end() throws {
        try ScratchFolder.lend { folder in
            let (path, copy) = (folder + "/state.db", folder + "/copy.db")
            let network = try SavingTests.network(try StateFile(path))
            _ = try network.plainWorld().exchange(.post, "/api/v1/goals", WorldClient.goal)
            try network.engine.saveAll()
            // A killed server leaves the file and its log behind.
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
            }
            #expect(try StateFile(copy).read().worlds.count == 1)
            // The server would close its file, which removes the log.
            withExtendedLifetime(network) {}
        }
    }

    @Test("The server rejects a file with an impossible time", arguments: [(-1, false), (0, true)] as [(Int64, Bool)])
    func lastTime(seconds: Int64, isRefused: Bool) throws {
        let time = Timestamp(secondsSinceEpoch: WorldSettings.lastTokenExpiry + seconds)
        let head = Array(#"{"name":"a","users":[]}"#.utf8)
        file.add([.begin(world: "w1", number: 1, scenario: nil), .head(world: "w1", head, time)], commits: true)
        try file.flush()
        var configuration = Engine.Configuration()
        var message = ""
        do throws(Refusal) {
            try configuration.keepState(in: file)
        } catch {
            message = error.description
        }
        #expect(message.contains("after the year 2199") == isRefused, "\(message)")
    }
}
