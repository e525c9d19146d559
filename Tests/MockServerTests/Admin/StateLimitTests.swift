import FitIQAPI
import Scenarios
import TestSupport
import Testing

@testable import FitIQBackend
@testable import MockServer

@Suite("Admin API: limits on states") struct StateLimitTests {
    private let network = VirtualNetwork()

    @Test("The error for an empty body says that it is empty")
    func empty() throws {
        #expect(try VirtualNetwork().admin(.put, "state").message == APIError.emptyBody.message)
    }

    @Test("A state's limit covers its stored data, six times its name and half a kilobyte", arguments: [554, 553])
    func room(_ limit: Int) throws {
        // Nothing else is stored, and "default" has seven bytes.
        let network = VirtualNetwork { $0.limits.stateBody = limit }
        let answer = try network.admin(.get, "state")
        #expect(answer.status == (limit == 554 ? 200 : 507), "\(answer.text)")
        if limit == 553 { #expect(answer.message.contains("may take up 554 bytes")) }
    }

    @Test("The server reads a state as YAML only up to the size of a scenario file")
    func files() {
        func mistake(_ text: String, size: Int) -> String? {
            let padding = [UInt8](repeating: 0x20, count: size - text.utf8.count)
            let error = #expect(throws: ScenarioErrors.self) {
                try Scenario.readState(Array(text.utf8) + padding, file: "a.json")
            }
            return error?.description
        }
        let broken = #"{"name": @"#
        let told = mistake(broken, size: 20)
        #expect(mistake(broken, size: ScenarioLimits.fileBytes) == told)
        #expect(mistake(broken, size: ScenarioLimits.fileBytes + 1) != told)
        let title = String(repeating: "x", count: 100_000)
        let long = #"{"name":"a","users":[{"id":"a","goals":[{"title":"\#(title)"}]}]}"#
        #expect(mistake(long, size: ScenarioLimits.fileBytes + 1)?.contains("title") == true)
    }

    // MARK: Work off the loop

    @Test("The loop reads a small body directly and a larger body in a job", arguments: ["state", "check"], [0, 1])
    func body(_ path: String, _ more: Int) throws {
        let jobs = HeldJobs(network)
        let text = path == "state" ? #"{"name":"a"}"# : #"{"text":"name: a"}"#
        let padding = String(repeating: " ", count: Engine.largestWorkOnLoop + more - text.utf8.count)
        let client = try network.client()
        let request = Request(method: path == "state" ? .put : .post, target: "/__admin/" + path).json(text + padding)
        client.wire.send(request.bytes)
        #expect(jobs.count == more && client.wire.received.isEmpty == (more == 1))
        try jobs.runAll()
        #expect(try client.response(to: request).status == 200)
    }

    @Test("The loop copies and exports a small world directly and a larger world in a job", arguments: [0, 1])
    func world(_ more: Int) throws {
        network.engine.defaultWorld.backend.storedBytes = Engine.largestWorkOnLoop + more
        #expect(network.engine.defaultWorld.isLargeToWrite == (more == 1))
        let jobs = HeldJobs(network)
        let mark = try network.plainWorld().send(.post, "marks", "{}")
        #expect(jobs.count == more)
        try jobs.runAll()
        #expect(try mark.response().status == 201)
    }

    @Test("The loop frees a small journal directly and a larger journal in a job", arguments: [0, 1])
    func journal(_ more: Int) throws {
        let (world, weight) = (network.engine.defaultWorld, Engine.largestWorkOnLoop + more)
        func ask(_ length: Int) throws {
            _ = try network.exchange(Request(target: "/nowhere?" + String(repeating: "x", count: length)))
        }
        try ask(1)
        let least = world.journal.weight
        while world.journal.weight < weight - 6000 { try ask(3000) }
        try ask(1 + weight - world.journal.weight - least)
        try #require(world.journal.weight == weight)
        #expect(world.isLargeToFree == (more == 1))
        let jobs = HeldJobs(network)
        #expect(try network.admin(.delete, "journal").status == 204 && jobs.count == more)
        try jobs.runAll()
    }
}
