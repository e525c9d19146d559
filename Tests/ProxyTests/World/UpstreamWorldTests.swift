import FitIQAPI
import JSON
import MockServer
import Scenarios
import TestSupport
import Testing
import Text

@testable import Proxy

@Suite("A world in front of a real server: requests")
struct UpstreamWorldTests {
    static let goals = Request.authorized(.get, "/api/v1/goals")
    static let goal = #"{"title":"Run","description":"d","targetDate":"2030-01-01T00:00:00Z"}"#

    private static let empty = VirtualServer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .open)

    static func scenario(_ yaml: String) throws -> Scenario { try Scenario.read("name: front\n" + yaml) }

    @Test("The client sees the server's state, and the journal says who answered")
    func passesOn() throws {
        let world = try FrontWorld()
        let created = try world.exchange(Request.authorized(.post, "/api/v1/goals").json(Self.goal))
        #expect(created.status == 201)
        let id = try #require(created.json?["data"]?["id"]?.string)
        #expect(try world.back.exchange(.authorized(.get, "/api/v1/goals/\(id)")).status == 200)
        #expect(try world.exchange(.authorized(.get, "/api/v1/goals/\(id)")).status == 200)
        #expect(try world.exchange(Request(target: "/elsewhere")).status == 404)
        #expect(try world.story() == ["POST 201 real", "GET 200 real", "GET 404 real"])
    }

    @Test("An answer keeps the server's content but has a Content-Length instead of chunks")
    func bytes() throws {
        let answer =
            "HTTP/1.1 207 Odd\r\nX-A: b\r\nServer: s\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        let world = try FrontWorld(Scenario(), .bytes(answer, .open))
        let client = try world.asking()
        #expect(
            client.wire.text
                == "HTTP/1.1 207 Odd\r\nX-A: b\r\nServer: s\r\nDate: Wed, 29 Jan 2025 10:30:00 GMT\r\n"
                + "Content-Length: 3\r\n\r\nabc")
    }

    @Test("The fake answers its own paths and stubs even if the upstream is unreachable")
    func ownPaths() throws {
        let scenario = try Self.scenario("stubs: [{path: /v2/status, body: '{}'}]")
        let world = try FrontWorld(scenario, .unreachable)
        for path in ["/health", "/ready", "/openapi.yaml", "/v2/status"] {
            #expect(try world.exchange(Request(target: path)).status == 200, "\(path)")
        }
        #expect(try world.exchange(Self.goals).status == 502)
    }

    @Test(
        "The scenario determines which server answers an endpoint",
        arguments: [
            ("fake", "200 OK", 200, "fake", false), ("real", "404 Not Found", 404, "real", false),
            ("real-else-fake", "404 Not Found", 200, "fake", true), ("real-else-fake", "501 No", 200, "fake", true),
            ("real-else-fake", "500 No", 500, "real", false), ("real-else-fake", "418 Tea", 418, "real", false),
            ("real-else-fake", nil, 200, "fake", true),
        ] as [(String, String?, Int, String, Bool)])
    func answerers(_ answerer: String, _ upstream: String?, status: Int, by: String, hasNote: Bool) throws {
        let scenario = try Self.scenario(
            "upstream: {url: 'http://real.example', except: [{on: GET /api/v1/goals, answers: \(answerer)}]}")
        let server = upstream.map { VirtualServer.bytes("HTTP/1.1 \($0)\r\nContent-Length: 0\r\n\r\n", .open) }
        let world = try FrontWorld(scenario, server ?? .unreachable)
        #expect(try world.exchange(Self.goals).status == status)
        let story = try world.story()
        #expect(story.last == "GET \(status) \(by)")
        #expect(story.contains { $0.hasPrefix("note: the fake answered GET \"/api/v1/goals\", because") } == hasNote)
    }

    @Test("The operator's credentials replace only the fake's, and the journal keeps the client's")
    func credentials() throws {
        let credentials = UpstreamCredentials(token: "their-token", apiKey: "their-key")
        let world = try FrontWorld(Scenario(), Self.empty, credentials)
        let own = Request.token(for: DevelopmentCredentials.userID)
        _ = try world.exchange(Request.authorized(.get, "/api/v1/goals?token=\(own)&a=b"))
        #expect(!world.upstreams.sent.contains(own))
        var theirs = Request(target: "/api/v1/profile?token=mine")
        theirs.fields = ["Authorization: Bearer mine", "X-API-Key: mine"]
        _ = try world.exchange(theirs)
        for text in [
            "GET /api/v1/goals?token=their-token&a=b HTTP/1.1\r\n", "Authorization: Bearer their-token\r\n",
            "X-API-Key: their-key\r\n", "/api/v1/profile?token=mine HTTP/1.1", "Authorization: Bearer mine\r\n",
            "X-API-Key: mine\r\n", "Host: real.example\r\n", "Accept-Encoding: identity\r\n",
        ] { #expect(world.upstreams.sent.contains(text), "\(text)") }
        let journal = try world.journal()
        #expect(journal.contains(own) && !journal.contains("their-"))
    }

    @Test(
        "A failing server causes a 502 and a note with the reason and affects no other connection",
        arguments: [
            (VirtualServer.unreachable, "The proxy cannot reach http://real.example: Connection refused."),
            (
                .bytes("SSH-2.0-OpenSSH\r\n\r\n", .open),
                "http://real.example answered with something other than HTTP/1.1"
            ),
            (.bytes("", .finish), "http://real.example ended the connection without an answer."),
            (.bytes("", .reset), "http://real.example ended the connection without an answer."),
            (
                .bytes("HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", .open),
                "The answer from http://real.example cannot be passed on:"
            ),
        ] as [(VirtualServer, String)])
    func failures(_ server: VirtualServer, sentence: String) throws {
        let world = try FrontWorld(Scenario(), server)
        let other = try world.client()
        let answer = try world.exchange(Self.goals)
        #expect(answer.status == 502)
        #expect(answer.json?["error"]?["message"]?.string?.hasPrefix(sentence) == true, "\(answer.text)")
        #expect(try world.story().contains { $0.hasPrefix("note: upstream: \(sentence)") })
        #expect(try other.exchange(Request(target: "/health")).status == 200)
        world.upstreams.server = .fake
        #expect(try other.exchange(Self.goals).status == 200)
    }

    @Test("A silent server causes a 504 at the time limit")
    func silence() throws {
        let world = try FrontWorld(Scenario(), .silent)
        let client = try world.asking()
        world.front.advance(by: .seconds(200))
        #expect(client.wire.received.isEmpty)
        world.upstreams.timeIsUp()
        #expect(try client.response(to: Self.goals).status == 504)
    }

    @Test("A client receives a broken answer up to the point where it breaks off and then a reset")
    func brokenAnswer() throws {
        let world = try FrontWorld(Scenario(), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .reset))
        let client = try world.asking()
        let text = client.wire.text
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("Content-Length: 10\r\n\r\nabc"))
        #expect(client.wire.ending == .reset)
        #expect(
            try world.story().contains { $0.hasPrefix("note: upstream: GET \"/api/v1/goals\": the upstream reset") })
    }

    @Test("Interim answers except 100 are forwarded immediately")
    func interim() throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        let world = try FrontWorld(Scenario(), .bytes(hints, .open))
        let client = try world.asking()
        #expect(client.wire.text.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: </a>"))
        #expect(!client.wire.text.contains("100 Continue"))
    }

    @Test("A fault's answer keeps the request from reaching the server unless the rule sets processed")
    func faults() throws {
        let scenario = try Self.scenario(
            """
            faults:
              - {name: refused, on: GET /api/v1/goals, status: 503}
              - {name: lost, on: POST /api/v1/goals, status: 500, processed: true}
            """)
        let world = try FrontWorld(scenario)
        #expect(try world.exchange(Self.goals).status == 503)
        #expect(try world.exchange(Request.authorized(.post, "/api/v1/goals").json(Self.goal)).status == 500)
        #expect(try world.back.exchange(Self.goals).json?["data"]?["total"]?.int == 1)
        #expect(try world.back.askedCount == 2)
        #expect(try world.journal().contains(#""created":""#))
    }

    @Test("Breakpoints hold a request before the server sees it and an answer before the client does")
    func breakpoints() throws {
        let scenario = try Self.scenario(
            """
            faults:
              - {name: ask, on: GET /api/v1/goals, hold: {what: request, for: 10s}}
              - {name: answer, on: GET /api/v1/goals, hold: {what: response, for: 10s}}
            """)
        let world = try FrontWorld(scenario)
        let client = try world.asking()
        #expect(try world.back.askedCount == 0)
        world.front.advance(by: .seconds(11))
        #expect(try client.wire.received.isEmpty && world.back.askedCount == 1)
        world.front.advance(by: .seconds(11))
        #expect(try client.response(to: Self.goals).status == 200)
    }

    @Test("A world uses its own upstream or the server's, and the upstream gets paths without the world's prefix")
    func worlds() throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://real.example/api/v1/x\r\nContent-Length: 0\r\n\r\n"
        let world = try FrontWorld(Scenario(), .bytes(answer, .open))
        func make(_ json: String) throws -> Response {
            try world.exchange(Request(method: .post, target: "/__admin/worlds").json(json))
        }
        let own = try make(#"{"upstream": "https://other.example"}"#)
        #expect(own.json?["upstream"]?.string == "https://other.example")
        let servers = try make("{}")
        #expect(servers.json?["upstream"]?.string == FrontWorld.url)
        let fake = try make(#"{"upstream": {"answers": "fake"}}"#)
        let id = try #require(fake.json?["id"]?.string)
        #expect(try world.exchange(Request(target: "/w/\(id)/api/v1/goals")).status == 401)
        for upstream in [#""ftp://a""#, #"{"answers": "both"}"#] {
            #expect(try make(#"{"upstream": \#(upstream)}"#).status == 400)
        }
        let moved = try world.exchange(Request(target: "/w/\(servers.json?["id"]?.string ?? "")/api/v1/goals"))
        #expect(world.upstreams.sent.contains("GET /api/v1/goals HTTP/1.1\r\n"))
        #expect(moved.fields[.location] == "http://localhost/w/\(servers.json?["id"]?.string ?? "")/api/v1/x")
    }

    @Test("A redirect that repeats the query has the client's token, not the operator's")
    func redirectedToken() throws {
        let answer =
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: /api/v1/goals/?token=their-token\r\nContent-Length: 0\r\n\r\n"
        let world = try FrontWorld(Scenario(), .bytes(answer, .open), UpstreamCredentials(token: "their-token"))
        let own = Request.token(for: DevelopmentCredentials.userID)
        let moved = try world.exchange(Request.authorized(.get, "/api/v1/goals?token=\(own)"))
        #expect(moved.fields[.location] == "/api/v1/goals/?token=\(own)")
        #expect(!(try world.journal().contains("their-token")))
    }

    @Test("Each opaque token is a separate user")
    func opaqueTokens() throws {
        let world = try FrontWorld(Scenario(), Self.empty)
        for token in ["ada", "ben", "ada"] {
            let request = Request(target: "/api/v1/goals", fields: ["Authorization: Bearer \(token)"])
            #expect(try world.exchange(request).status == 200)
        }
        let journal = try world.journal()
        let users = try journal.split(separator: "\n").compactMap { try JSON.parse(Array($0.utf8))["user"]?.string }
        #expect(users.count == 3 && users[0] == users[2] && users[0] != users[1], "\(users)")
    }

    @Test("The upstream gets a Host field even if the client names Host in Connection")
    func namedHost() throws {
        let world = try FrontWorld(Scenario(), Self.empty)
        var request = Self.goals
        request.fields.append("Connection: host")
        #expect(try world.exchange(request).status == 200)
        #expect(world.upstreams.sent.contains("Host: real.example\r\n"))
    }

    @Test(
        "An upstream named in a world's request gets only the operator credentials meant for it",
        arguments: [true, false])
    func otherServer(_ isOperators: Bool) throws {
        var credentials = UpstreamCredentials(token: "their-token", apiKey: "their-key")
        if isOperators { credentials.servers = [try UpstreamURL("http://other.example")] }
        let world = try FrontWorld(Scenario(), Self.empty, credentials)
        let json = #"{"upstream": "http://other.example"}"#
        let made = try world.exchange(Request(method: .post, target: "/__admin/worlds").json(json))
        let values = try ["id", "token", "api_key"].map { try #require(made.json?[$0]?.string) }
        let (id, token, key) = (values[0], values[1], values[2])
        let fields = ["Authorization: Bearer \(token)", "X-API-Key: \(key)"]
        #expect(try world.exchange(Request(target: "/w/\(id)/api/v1/goals", fields: fields)).status == 200)
        let sent = [token, "Bearer their-token", "their-key"].map(world.upstreams.sent.contains)
        #expect(sent == [!isOperators, isOperators, isOperators])
    }

    @Test("An imported state without a URL keeps the world's upstream")
    func state() throws {
        let world = try FrontWorld(Scenario(), .fake)
        let state = #"{"name": "a", "upstream": {"answers": "real-else-fake"}}"#
        let kept = try world.exchange(Request(method: .put, target: "/__admin/state").json(state))
        #expect(kept.status == 200 && kept.json?["upstream"]?.string == FrontWorld.url, "\(kept.text)")
        #expect(try world.exchange(Self.goals).status == 200)
    }

    @Test("A world reset ends requests that are waiting for the server, and the next request works")
    func reset() throws {
        let world = try FrontWorld(Scenario(), .silent)
        let client = try world.asking()
        #expect(try world.exchange(Request(method: .post, target: "/__admin/reset")).status == 200)
        #expect(client.wire.ending == .reset)
        world.upstreams.server = .fake
        #expect(try world.exchange(Self.goals).status == 200)
    }

    @Test("If a client leaves, the journal records it and the relay aborts the request to the server")
    func clientLeaves() throws {
        let world = try FrontWorld(Scenario(), .silent)
        let client = try world.asking()
        #expect(world.upstreams.openCount == 1)
        client.wire.vanish()
        #expect(try world.upstreams.openCount == 0 && world.story() == ["GET none nobody"])
    }

    @Test("Without a transport to the upstream, a request gets a 502")
    func noTransport() throws {
        let world = try FrontWorld()
        world.front.engine.reachesUpstreams = false
        #expect(try world.exchange(Self.goals).status == 502)
    }
}
