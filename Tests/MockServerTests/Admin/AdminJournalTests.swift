import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: the journal") struct AdminJournalTests {
    private let network = VirtualNetwork()

    private func entries(_ path: String) throws -> [JSONValue] {
        let response = try network.admin(.get, path)
        try #require(response.status == 200, "\(response.text)")
        return try #require(response.json?["entries"]?.array)
    }

    @Test("Requests, frames and unmatched requests have separate lists without admin requests")
    func lists() throws {
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"ping"}"#)
        _ = try network.exchange(.authorized(.get, "/api/v1/consultation", as: TestUser.anna))
        _ = try network.exchange(Request(target: "/health"))
        for path in ["clock", "nothing"] { _ = try network.admin(.get, path) }

        let requests = try entries("requests")
        #expect(requests.map { $0["kind"] } == ["exchange", "opened", "exchange"])
        #expect(requests.map { $0["number"] } == [6, 2, 1] && requests.last?["user"]?.string == TestUser.anna)
        let frames = try entries("frames?order=asc")
        #expect(frames.map { $0["kind"] } == ["opened", "frame", "frame", "frame"])
        let directions = frames.map { $0["direction"] }
        #expect(directions == [nil, "server_to_client", "client_to_server", "server_to_client"])
        let unmatched = try entries("requests/unmatched")
        #expect(unmatched.map { $0["near_misses"]?[0]?["path"] } == ["/api/v1/consultations"])
        #expect(try entries("frames?kind=exchange").isEmpty)
    }

    @Test(
        "Filters restrict the journal's lists",
        arguments: [
            ("requests?method=POST", 1), ("requests?status=4xx", 1), ("requests?status=101", 1),
            ("requests?path=/api/v1/goals/{goalId}", 1), ("requests?path=goals", 1), ("requests?endpoint=getGoal", 1),
            ("requests?user=\(TestUser.anna)", 3), ("requests?limit=2", 2), ("requests?since=1", 2),
            ("requests?before=2", 1), ("frames?type=pong", 1), ("frames?direction=client_to_server", 1),
            ("requests?unmatched=true", 0),
        ])
    func filters(_ path: String, _ count: Int) throws {
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"ping"}"#)
        _ = try network.exchange(.authorized(.get, "/api/v1/goals/\(TestUser.ben)", as: TestUser.anna))
        #expect(try entries(path).count == count)
    }

    @Test(
        "The journal endpoints reject invalid queries",
        arguments: [
            "requests?methd=GET", "requests?status=600", "requests?limit=0", "requests?limit=1001", "frames?order=up",
            "requests?kind=none", "requests?limit=1&limit=2", "journal?limit=1", "requests/unmatched?user=",
        ])
    func badQueries(_ path: String) throws {
        #expect(try VirtualNetwork().admin(.get, path).status == 400)
    }

    @Test("The journal has one line per entry, and its numbers continue after it is cleared")
    func whole() throws {
        for _ in 0..<3 { _ = try network.exchange(Request(target: "/nowhere")) }
        let response = try network.admin(.get, "journal")
        #expect(response.fields[.contentType] == "application/x-ndjson; charset=utf-8")
        let lines = response.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[3].isEmpty)
        #expect(try lines.dropLast().map { try JSON.parse(String($0))["number"]?.int } == [1, 2, 3])
        #expect(try network.admin(.delete, "journal").status == 204 && network.admin(.get, "journal").body.isEmpty)
        #expect(network.engine.worlds.journalWeight == 0)
        _ = try network.exchange(Request(target: "/nowhere"))
        #expect(try entries("requests").map { $0["number"]?.int } == [4])
    }
}
