import HTTPTypes
import TestSupport
import Testing

@testable import MockServer

/// Replaces the driver's job thread, and runs each job only when the test asks.
final class HeldJobs {
    private(set) var jobs: [Job] = []
    private let network: VirtualNetwork

    init(_ network: VirtualNetwork) {
        self.network = network
        network.engine.startJob = { [self] in jobs.append($0) }
    }

    var count: Int { jobs.count }

    func runNext() throws {
        try #require(!jobs.isEmpty, "the engine asked for no job")
        network.engine.finish(jobs.removeFirst().run(), at: network.now)
        network.settle()
    }

    func runAll() throws { while !jobs.isEmpty { try runNext() } }
}

/// A state with this many goals, a thousand for each user.
func largeState(goals: Int = 4000, name: String = "large", title: String = "Run") -> String {
    let users = stride(from: 0, to: goals, by: 1000).map { start in
        let goals = (0..<min(goals - start, 1000)).map { "{\"title\":\"\(title) \($0)\"}" }.joined(separator: ",")
        return "{\"id\":\"u\(start / 1000)\",\"goals\":[\(goals)]}"
    }
    return "{\"name\":\"\(name)\",\"users\":[\(users.joined(separator: ","))]}"
}

extension VirtualNetwork {
    func largeWorld(_ json: String = "{}") throws -> WorldClient {
        let world = try world(json)
        try #require(try world.ask(.put, "state", largeState()).status == 200)
        return world
    }
}

extension WorldClient {
    /// Sends an admin request about the world on a connection that stays open; read the answer later.
    func send(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws -> HTTPClient<VirtualClient> {
        let target = path.isEmpty ? "/__admin/worlds/\(id)" : "/__admin/\(admin)\(path)"
        let request = Request(method: method, target: target)
        return try network.sending(json.map(request.json) ?? request)
    }

    /// A token for a user from ``largeState(goals:name:title:)``.
    func token(of user: String) throws -> String {
        try #require(try ask(.post, "tokens", "{\"user\":\"\(user)\"}").json?["token"]?.string)
    }
}
