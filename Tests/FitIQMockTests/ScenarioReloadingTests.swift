import FitIQAPI
import Foundation
import Logging
import TestSupport
import Testing

@testable import MockServer
@testable import fitiq_mock

@Suite("--watch outside the loop")
struct ScenarioReloadingTests {
    @Test("Checking the watched file starts at most one job that reads the file")
    func reading() throws {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = folder["watched.yaml"]
        func write(_ text: String) throws { try Data(text.utf8).write(to: file) }
        try write("name: first\n")
        let plan = ScenarioPlan(source: .file(file.path))
        var configuration = Engine.Configuration()
        configuration.adopt(try plan.load())
        let now = Timestamp(secondsSinceEpoch: 1_750_000_000)
        let engine = try Engine(configuration, now: now)
        var jobs: [Job] = []
        engine.startJob = { jobs.append($0) }
        let reloading = ScenarioReloading(
            WatchedFile(path: file.path, seen: nil), plan: plan,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        reloading.look(for: engine, at: now)
        #expect(jobs.count == 1)
        // The check has detected the change, but the file has not been read yet.
        try write("name: second and longer\n")
        reloading.look(for: engine, at: now)
        #expect(jobs.count == 1 && engine.scenario.name == "first")
        engine.finish(jobs.removeFirst().run(), at: now)
        #expect(engine.scenario.name == "second and longer")
        // The next check detects the change again and reloads the file.
        reloading.look(for: engine, at: now)
        #expect(jobs.count == 1)
    }
}
