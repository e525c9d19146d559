import Deflate
import HTTPTypes
import Replay
import TestSupport
import Testing
import Traffic

@testable import MockServer

@Suite("Replayed worlds: requests")
struct ReplayedExchangeTests {
    static let goals = "/api/v1/goals"

    @Test("A replayed answer equals the recorded answer byte for byte")
    func answer() throws {
        let odd = "{ \"data\" : [1.0, 198.00],\r\n \"é\":\"\\u00e9\" }\n"
        let fields = [
            SessionField("X-Trace", "a"), SessionField("Set-Cookie", "a=1"), SessionField("Set-Cookie", "b=2"),
        ]
        let network = try Take().asked("GET", Self.goals, status: 207, answerFields: fields, answer: odd).network()
        let response = try network.exchange(.authorized(.get, Self.goals, as: TestUser.anna))
        #expect(response.status == 207 && response.text == odd && response.fields[HTTPField.Name("X-Trace")!] == "a")
        #expect(response.fields[values: .setCookie] == ["a=1", "b=2"])
        #expect(response.fields[.contentType] == "application/json" && response.fields[.date] != nil)
        #expect(response.fields[.contentLength] == "\(odd.utf8.count)")
        let exchange = try #require(network.lastExchange)
        #expect(exchange.endpoint == .listGoals && exchange.user?.text == TestUser.anna && exchange.unmatched == nil)
        #expect(exchange.responseBody.bytes == Array(odd.utf8))
    }

    @Test("A replay answers any recorded path except the server's own")
    func otherPaths() throws {
        let take = Take().asked("GET", "/api/v9/profile?x=1", answer: "1").asked(
            "DELETE", "/things/7", status: 204, answer: "")
        let network = try take.asked("GET", "/health", answer: "recorded").network()
        #expect(try network.get("/api/v9/profile?x=1").text == "1")
        #expect(try network.exchange(Request(method: .delete, target: "/things/7")).status == 204)
        #expect(try network.get("/health").text == #"{"status":"ok"}"#)
        #expect(network.story == ["exchange 200 complete", "exchange 204 complete"])
    }

    @Test("A replay serves a recorded root page and recorded avatars")
    func pages() throws {
        let image = "/avatars/nutritionist.svg"
        let network = try Take().asked("GET", "/", answer: "home").network()
        #expect(try network.get("/").text == "home")
        let own = try network.get(image)
        #expect(own.status == 200 && own.fields[.contentType] == "image/svg+xml")
        let recorded = try Take().asked("GET", image, answer: "recorded").network()
        #expect(try recorded.get(image).text == "recorded")
    }

    @Test("A request for favicon.ico does not count as unexpected")
    func icon() throws {
        let network = try Take().asked("GET", Self.goals).network()
        for (path, count) in [("/favicon.ico", 0), ("/other.ico", 1)] {
            #expect(try network.get(path).status == 404)
            #expect(network.replayOutcome?.report.unexpectedCount == count, "\(path)")
        }
    }

    @Test("An answer arrives after the recorded wait divided by the speed")
    func waits() throws {
        for (speed, expected) in [(ReplaySettings.Speed.factor(1), 800), (.factor(4), 200), (.factor(0.5), 1600)] {
            let network = try Take().asked("GET", Self.goals, waited: 800).network(ReplaySettings(speed: speed))
            let client = try network.sending(Request(target: Self.goals))
            #expect(network.arrivals(of: client.wire, for: 2000) == [expected])
            #expect(network.story == ["exchange 200 complete"])
        }
    }

    @Test("A replay without artificial delays answers immediately", arguments: [true, false])
    func instant(isSpeed: Bool) throws {
        let take = Take().asked("GET", Self.goals, waited: 800)
        let scenario = try take.scenario()
        let network =
            try isSpeed ? take.network(ReplaySettings(speed: .instant)) : VirtualNetwork { $0.scenario = scenario }
        #expect(try network.get(Self.goals).status == 200)
    }

    @Test("A replay compares a gzip body by its text even in a world without compression")
    func codedBody() throws {
        let network = try Take().asked("POST", "/a", #"{"n":1}"#, answer: "1").asked(
            "POST", "/a", #"{"n":2}"#, answer: "2"
        ).network()
        var request = Request(method: .post, target: "/a").json("")
        request.body = Gzip.deflate(Array(#"{"n":2}"#.utf8))
        #expect(try network.exchange(request.with("Content-Encoding: gzip")).text == "2")
        request.body = Array("no gzip".utf8)
        #expect(try network.exchange(request.with("Content-Encoding: gzip")).status == 404)
    }

    @Test("On a manual clock, a replayed answer waits for the clock")
    func manualClock() throws {
        let network = try Take().asked("GET", Self.goals, waited: 800).network(clock: .manual)
        let client = try network.sending(Request(target: Self.goals))
        network.advance(by: .seconds(5))
        #expect(client.wire.received.isEmpty)
        let due = network.engine.nextDue(ofWorld: World.defaultID, at: network.now)
        #expect(try due == #require(network.engine.manualTime) + .milliseconds(800))
        try network.plainWorld().advance("799ms")
        #expect(client.wire.received.isEmpty)
        try network.plainWorld().advance("1ms")
        #expect(try client.response().status == 200)
    }

    @Test("A request without a recorded answer ends the connection")
    func endings() throws {
        let network = try Take().asked("GET", "/a", waited: 100, status: nil)
            .asked("GET", "/b", answerFields: [SessionField("Content-Length", "50")], answer: "[1,2", isComplete: false)
            .asked("GET", "/c", answer: "[1,2", isComplete: false).network()
        let client = try network.sending(Request(target: "/a")).wire
        #expect(client.ending == .open)
        network.advance(by: .milliseconds(100))
        #expect(client.received.isEmpty && client.ending == .closed)
        for (path, length) in [("/b", "50"), ("/c", "5")] {
            let client = try network.sending(Request(target: path)).wire
            let text = String(decoding: client.received, as: UTF8.self)
            #expect(text.contains("Content-Length: \(length)\r\n") && text.hasSuffix("\r\n\r\n[1,2"))
            #expect(client.ending == .closed)
        }
        #expect(network.story == ["exchange none none", "exchange 200 partial", "exchange 200 partial"])
    }

    @Test("HEAD returns the recorded length without a body")
    func head() throws {
        let network = try Take()
            .asked("HEAD", "/a", answerFields: [SessionField("Content-Length", "1234")], answer: "").network()
        let client = try network.client()
        for _ in 0..<2 {
            let response = try client.exchange(Request(method: .head, target: "/a"))
            #expect(response.status == 200 && response.fields[.contentLength] == "1234" && response.body.isEmpty)
        }
    }

    @Test("An unrecorded request returns 404 with the nearest recorded request")
    func unexpected() throws {
        let path = "/api/v1/consultations"
        let network = try Take().asked("POST", path, #"{"persona":"nutritionist"}"#, status: 201).network()
        func create(_ persona: String) throws -> Response {
            try network.exchange(Request(method: .post, target: path).json(#"{"persona":"\#(persona)"}"#))
        }
        let response = try create("coach")
        #expect(response.refusal == "404 NOT_FOUND")
        #expect(response.message.contains("persona") && response.message.contains("nutritionist"))
        #expect(try network.get("/nowhere").status == 404)
        #expect(network.story == ["exchange 404 complete not_recorded", "exchange 404 complete unknown_path"])
        #expect(try network.admin(.get, "requests/unmatched").json?["entries"]?.array?.count == 2)
        #expect(try create("nutritionist").status == 201)
    }

    @Test("A replay rejects CONNECT even if it was recorded")
    func connect() throws {
        let network = try Take().asked("CONNECT", "/", answer: "").asked("GET", "/a").network()
        let wire = try network.open()
        wire.send("CONNECT recorded.example:443 HTTP/1.1\r\nHost: recorded.example:443\r\n\r\n")
        #expect(wire.received.starts(with: Array("HTTP/1.1 404".utf8)))
    }

    @Test("An upgrade to a protocol other than WebSocket is treated as an ordinary request")
    func otherUpgrade() throws {
        let network = try Take().asked("GET", "/a", answer: "1").network()
        let answer = try network.exchange(Request(target: "/a", fields: ["Connection: Upgrade", "Upgrade: h2c"]))
        #expect(answer.status == 200 && answer.text == "1")
    }

    @Test("A replay identifies the user by the token's subject or by opaque credentials")
    func users() throws {
        let network = try Take().asked("GET", "/a").network()
        func user(_ fields: String...) throws -> String? {
            #expect(try network.exchange(Request(target: "/a", fields: fields)).status == 200)
            return try #require(network.lastExchange).user?.text
        }
        #expect(try user() == nil)
        #expect(try user("X-API-Key: anything") == "replayed")
        #expect(try user("Authorization: Bearer redacted-token-1") == "replayed")
        #expect(try user(Request.bearer(Request.token(for: TestUser.ben, secret: "another"))) == TestUser.ben)
        let token = Request.token(for: TestUser.ben)
        let parts = token.split(separator: ".")
        #expect(try user(Request.bearer("\(parts[0]).\(parts[1]).")) == TestUser.ben, "without a signature")
        let longest = token + String(repeating: "x", count: 4096 - token.utf8.count)
        #expect(try user(Request.bearer(longest)) == TestUser.ben)
        #expect(try user(Request.bearer(longest + "x")) == "replayed")
    }

    @Test("A recorded 401 identifies no user")
    func refusedCredentials() throws {
        let network = try Take().asked("GET", "/a", status: 401).network()
        #expect(try network.exchange(.authorized(.get, "/a")).status == 401)
        #expect(try #require(network.lastExchange).user == nil)
    }

    @Test(
        "Faults apply to recorded answers",
        arguments: [
            ("{on: any, status: 503}", "503"), ("{on: any, truncate: {after: 3}}", "200 partial"),
            ("{on: any, empty_reply: true}", "none none"), ("{on: any, content_type: text/plain}", "200 complete"),
        ])
    func faults(_ rule: String, _ expected: String) throws {
        let network = try Take().asked("GET", Self.goals, answer: "[1,2,3]")
            .network(faults: "[\(rule.dropLast()), requests: 1}]")
        _ = try network.sending(Request(target: Self.goals)).wire
        #expect(network.story.count == 1 && network.story[0].contains(expected))
        #expect(try network.get(Self.goals).text == "[1,2,3]")
    }

    @Test("A fault's delay is added to the recorded wait")
    func faultAndWait() throws {
        let take = Take().asked("POST", Self.goals, "{}", waited: 200, answer: "1").asked(
            "POST", Self.goals, "{}", answer: "2")
        let late = try take.network(faults: "[{on: any, delay: 300ms, requests: 1}]")
        let client = try late.sending(Request(method: .post, target: Self.goals).json("{}"))
        #expect(late.arrivals(of: client.wire, for: 1000) == [500])
        let lost = try take.network(faults: "[{on: any, status: 500, processed: true, requests: 1}]")
        let post = Request(method: .post, target: Self.goals).json("{}")
        #expect(try lost.exchange(post).status == 500)
        #expect(try lost.exchange(post).text == "2")
    }
}
