import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: the Model Context Protocol") struct ModelContextTests {
    private static func request(_ tool: String, _ arguments: String, _ fields: [String] = []) -> Request {
        let revision = ["MCP-Protocol-Version: 2025-11-25"] + fields
        return Request(method: .post, target: "/__admin/mcp", fields: revision).json(
            #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#)
    }

    /// A tool's result; nil if there is no answer yet.
    private static func begin(
        _ network: VirtualNetwork, _ tool: String, _ arguments: String
    ) throws -> (request: Request, client: HTTPClient<VirtualClient>) {
        let (request, client) = (request(tool, arguments), try network.client())
        client.wire.send(request.bytes)
        return (request, client)
    }

    private static func result(_ response: Response) throws -> JSONValue {
        try #require(response.status == 200, "\(response.text)")
        #expect(response.json?["id"] == 7)
        return try #require(response.json?["result"])
    }

    private static func call(_ network: VirtualNetwork, _ tool: String, _ arguments: String) throws -> JSONValue {
        let (request, client) = try begin(network, tool, arguments)
        defer { client.wire.vanish() }
        return try result(client.response(to: request))
    }

    @Test("A tool call reaches its world's admin API and does not appear in a journal")
    func calls() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        let rule = #"{"action":"set","world":"\#(world.id)","fault":{"name":"down","on":"any","status":503}}"#
        #expect(try Self.call(network, "fault", rule)["structuredContent"]?["name"] == "down")
        #expect(try world.exchange(.get, "/api/v1/goals").status == 503)
        let listed = try Self.call(network, "traffic", #"{"world":"\#(world.id)"}"#)["structuredContent"]
        #expect(listed?["entries"]?.array?.count == 1 && listed?["entries"]?[0]?["response"]?["status"] == 503)
        let why = try Self.call(network, "explain", #"{"number":1,"world":"\#(world.id)"}"#)["structuredContent"]
        #expect(why?["faults"]?[0]?["acted"] == 1 && why?["because"]?[1]?.string?.contains("'down'") == true)
        let missing = try Self.call(network, "traffic", #"{"number":2,"world":"\#(world.id)"}"#)
        #expect(missing["isError"] == true && missing["content"]?[0]?["text"]?.string?.contains("1 to 1") == true)
        let unknown = try Self.call(network, "world", #"{"action":"show","world":"none"}"#)
        #expect(unknown["isError"] == true && unknown["content"]?[0]?["text"]?.string?.hasPrefix("404") == true)
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
        let ping = #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#
        let fields = ["MCP-Protocol-Version: 2025-11-25"]
        let open = VirtualNetwork()
        #expect(try open.admin(.post, "mcp", ping, fields: fields).status == 200)
        #expect(try open.admin(.post, "mcp", ping, fields: fields, isLocal: false).status == 403)
        for field in ["Origin: https://evil.example", "Via: 1.1 proxy", "Sec-Fetch-Site: cross-site"] {
            #expect(try open.admin(.post, "mcp", ping, fields: fields + [field]).status == 403, "\(field)")
        }
        let closed = VirtualNetwork { $0.adminToken = "secret" }
        #expect(try closed.admin(.post, "mcp", ping, fields: fields).status == 401)
        let client = HTTPClient(try closed.open(isLocal: false))
        let asked = try client.exchange(Self.request("world", #"{"action":"list"}"#, ["X-Admin-Token: secret"]))
        #expect(try Self.result(asked)["structuredContent"]?["count"] == 1)
        #expect(try open.admin(.get, "mcp").status == 405 && open.admin(.delete, "mcp").status == 405)
        let text = Request(
            method: .post, target: "/__admin/mcp", fields: ["Content-Type: text/plain"], body: Array("x".utf8))
        #expect(try open.exchange(text).status == 415)
    }

    @Test("The wait tool returns at a matching event or at its time limit")
    func waits() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        let wait = #"{"for":{"status":"404"},"within":"2s","world":"\#(world.id)"}"#
        let (request, client) = try Self.begin(network, "wait", wait)
        #expect(client.wire.received.isEmpty)
        _ = try world.exchange(.get, "/api/v1/nothing")
        network.settle()
        let found = try Self.result(client.response(to: request))
        #expect(found["structuredContent"]?["entry"]?["response"]?["status"] == 404)
        let (vain, other) = try Self.begin(network, "wait", #"{"for":{"status":"418"},"within":"2s"}"#)
        network.advance(by: .seconds(2))
        let late = try Self.result(other.response(to: vain))
        #expect(late["isError"] == true && late["content"]?[0]?["text"]?.string?.hasPrefix("408") == true)
    }

    @Test("A tool waits for a job or a paused world and shortens long answers off the loop")
    func jobs() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        try #require(try world.ask(.put, "state", largeState()).status == 200)
        let jobs = HeldJobs(network)
        let (export, client) = try Self.begin(network, "state", #"{"action":"export","world":"\#(world.id)"}"#)
        let (clock, other) = try Self.begin(network, "clock", #"{"world":"\#(world.id)"}"#)
        #expect(jobs.count == 1 && client.wire.received.isEmpty && other.wire.received.isEmpty)
        try jobs.runAll()
        let state = try Self.result(client.response(to: export))["structuredContent"]
        #expect(state?["cut"] == true && state?["name"] == "large" && state?["next_cursor"] == "text:0")
        #expect(try Self.result(other.response(to: clock))["structuredContent"]?["mode"] == "real")
    }
}
