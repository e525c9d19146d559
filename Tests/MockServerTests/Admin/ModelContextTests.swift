import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: the Model Context Protocol") struct ModelContextTests {
    private let network = VirtualNetwork()

    private static func request(_ tool: String, _ arguments: String, _ fields: [String] = []) -> Request {
        let revision = ["MCP-Protocol-Version: 2025-11-25"] + fields
        return Request(method: .post, target: "/__admin/mcp", fields: revision).json(
            #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#)
    }

    private func begin(_ tool: String, _ arguments: String) throws -> HTTPClient<VirtualClient> {
        let client = try network.client()
        client.wire.send(Self.request(tool, arguments).bytes)
        return client
    }

    private static func result(_ response: Response) throws -> JSONValue {
        try #require(response.status == 200, "\(response.text)")
        #expect(response.json?["id"] == 7)
        return try #require(response.json?["result"])
    }

    private func call(_ tool: String, _ arguments: String) throws -> JSONValue {
        let client = try begin(tool, arguments)
        defer { client.wire.vanish() }
        return try Self.result(client.response())
    }

    /// The text of a result that is an error.
    private static func mistake(_ result: JSONValue) throws -> String {
        #expect(result["isError"] == true)
        return try #require(result["content"]?[0]?["text"]?.string)
    }

    @Test("A tool call reaches its world's admin API and does not appear in a journal")
    func calls() throws {
        let world = try network.world()
        let rule = #"{"action":"set","world":"\#(world.id)","fault":{"name":"down","on":"any","status":503}}"#
        #expect(try call("fault", rule)["structuredContent"]?["name"] == "down")
        #expect(try world.exchange(.get, "/api/v1/goals").status == 503)
        let listed = try call("traffic", #"{"world":"\#(world.id)"}"#)["structuredContent"]
        #expect(listed?["entries"]?.array?.map { $0["response"]?["status"] } == [503])
        let why = try call("explain", #"{"number":1,"world":"\#(world.id)"}"#)["structuredContent"]
        #expect(why?["faults"]?[0]?["acted"] == 1 && why?["because"]?[1]?.string?.contains("'down'") == true)
        let missing = try call("traffic", #"{"number":2,"world":"\#(world.id)"}"#)
        #expect(try Self.mistake(missing).contains("1 to 1"))
        #expect(try Self.mistake(call("world", #"{"action":"show","world":"none"}"#)).hasPrefix("404"))
    }

    @Test("The entry endpoint lists the rules that took effect and the obligations that were broken")
    func entries() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.plainWorld()
        _ = try world.exchange(.get, "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000")
        let entry = try #require(try world.ask(.get, "entries/1").json)
        #expect(entry["entry"] == (try world.journal().first) && entry["faults"] == [])
        #expect(entry["broken"]?[0]?["id"] == "ids/lowercase" && entry["broken"]?[0]?["advice"] != nil)
        _ = try world.ask(.post, "marks", "{}")
        let kinds = try world.ask(.get, "entries").json?["entries"]?.array?.compactMap { $0["kind"]?.string }
        #expect(kinds == ["note", "exchange"])
        for number in ["0", "3", "x", "-1"] { #expect(try world.ask(.get, "entries/\(number)").status == 404) }
    }

    @Test("Clients without access to the admin API cannot use its tools")
    func access() throws {
        func ping(_ network: VirtualNetwork, _ fields: [String] = [], isLocal: Bool = true) throws -> Int {
            let fields = ["MCP-Protocol-Version: 2025-11-25"] + fields
            return try network.admin(
                .post, "mcp", #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, fields: fields, isLocal: isLocal
            ).status
        }
        #expect(try ping(network) == 200 && ping(network, isLocal: false) == 403)
        for field in ["Origin: https://evil.example", "Via: 1.1 proxy", "Sec-Fetch-Site: cross-site"] {
            #expect(try ping(network, [field]) == 403, "\(field)")
        }
        let closed = VirtualNetwork { $0.adminToken = "secret" }
        #expect(try ping(closed) == 401)
        let client = HTTPClient(try closed.open(isLocal: false))
        let asked = try client.exchange(Self.request("world", #"{"action":"list"}"#, ["X-Admin-Token: secret"]))
        #expect(try Self.result(asked)["structuredContent"]?["count"] == 1)
        #expect(try network.admin(.get, "mcp").status == 405 && network.admin(.delete, "mcp").status == 405)
        let text = Request(
            method: .post, target: "/__admin/mcp", fields: ["Content-Type: text/plain"], body: Array("x".utf8))
        #expect(try network.exchange(text).status == 415)
    }

    @Test("The wait tool returns at a matching event or at its time limit")
    func waits() throws {
        let world = try network.world()
        let client = try begin("wait", #"{"for":{"status":"404"},"within":"2s","world":"\#(world.id)"}"#)
        #expect(client.wire.received.isEmpty)
        _ = try world.exchange(.get, "/api/v1/nothing")
        network.settle()
        let found = try Self.result(client.response())
        #expect(found["structuredContent"]?["entry"]?["response"]?["status"] == 404)
        let vain = try begin("wait", #"{"for":{"status":"418"},"within":"2s"}"#)
        network.advance(by: .seconds(2))
        #expect(try Self.mistake(Self.result(vain.response())).hasPrefix("408"))
    }

    @Test("A tool waits for a job or a paused world and shortens long answers off the loop")
    func jobs() throws {
        let world = try network.world()
        try #require(try world.ask(.put, "state", largeState()).status == 200)
        let jobs = HeldJobs(network)
        let export = try begin("state", #"{"action":"export","world":"\#(world.id)"}"#)
        let clock = try begin("clock", #"{"world":"\#(world.id)"}"#)
        #expect(jobs.count == 1 && export.wire.received.isEmpty && clock.wire.received.isEmpty)
        try jobs.runAll()
        let state = try Self.result(export.response())["structuredContent"]
        #expect(state?.values(of: "cut", "name", "next_cursor") == [true, "large", "text:0"])
        #expect(try Self.result(clock.response())["structuredContent"]?["mode"] == "real")
    }
}
