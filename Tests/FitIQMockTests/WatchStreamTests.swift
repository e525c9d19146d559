import FitIQAPI
import FitIQClient
import HTTPTypes
import Testing
import Traffic

@testable import fitiq_mock

@Suite("The stream for watch")
struct WatchStreamTests {
    /// Reads the events byte by byte, because the network may split them anywhere.
    private func read(_ events: [String], on stream: inout WatchStream) throws -> [String] {
        try events.joined().utf8.flatMap { try stream.receive([$0]).map(Self.describe) }
    }

    private func request(world: String? = nil, adminToken: String? = nil) throws -> ServerRequest {
        ServerRequest(
            path: "events?verdicts=true", of: try BaseURL("http://127.0.0.1:8080"), world: world,
            adminToken: adminToken, fields: [.accept: "text/event-stream"])
    }

    private static func describe(_ news: WatchStream.News) -> String {
        switch news {
        case .entry(let entry): "#\(entry.number)"
        case .breach(let breach): "\(breach.level) \(breach.obligation) \(breach.message) \(breach.entries)"
        case .missed(let count): "missed \(count)"
        case .began: "began"
        case .restarted: "restarted"
        }
    }

    static func note(_ number: Int) -> String {
        "id: \(number)\nevent: note\ndata: {\"number\":\(number),\"time\":\"2025-01-29T10:30:00Z\",\"kind\":\"note\","
            + "\"text\":\"a\"}\n\n"
    }

    static func world(_ instance: String, last: Int) -> String {
        "event: world\ndata: {\"id\":\"default\",\"instance\":\"\(instance)\",\"last_number\":\(last)}\n\n"
    }

    private static func verdicts(_ id: String, _ count: Int) -> String {
        let finding = #""finding":{"level":"should","message":"No.","entries":[3,4]}"#
        return "event: verdicts\ndata: {\"verdicts\":[{\"id\":\"a/kept\",\"verdict\":\"kept\",\"finding_count\":0},"
            + "{\"id\":\"\(id)\",\"verdict\":\"broken\",\"finding_count\":\(count),\(finding)}]}\n\n"
    }

    /// The entry number that the next connection continues from.
    private func connect(_ stream: inout WatchStream) -> String? {
        stream.connect().first { $0.name.canonicalName == "last-event-id" }?.value
    }

    @Test("The first request starts at the current moment, and the next request starts after the last entry")
    func requests() throws {
        let sent = String(decoding: try request(world: "w/1", adminToken: "secret").bytes, as: UTF8.self)
        #expect(sent.hasPrefix("GET /__admin/worlds/w%2F1/events?verdicts=true HTTP/1.1\r\n"))
        #expect(sent.contains("Host: 127.0.0.1:8080\r\n") && sent.contains("X-Admin-Token: secret\r\n"))
        #expect(sent.contains("Accept: text/event-stream\r\n"))
        let other = String(decoding: try request().bytes, as: UTF8.self)
        #expect(other.hasPrefix("GET /__admin/events?verdicts=true ") && !other.contains("X-Admin-Token"))
        var stream = WatchStream()
        #expect(connect(&stream) == nil)
        // A server without `world` events.
        #expect(try read([Self.note(7), ": keep-alive\n\n", Self.note(8)], on: &stream) == ["#7", "#8"])
        #expect(connect(&stream) == "8")
    }

    @Test("After reconnecting to the same server, the stream continues after the last known entry")
    func goesOn() throws {
        var stream = WatchStream()
        #expect(try read([Self.world("one", last: 5)], on: &stream) == [])
        #expect(connect(&stream) == "5")
        #expect(try read([Self.world("one", last: 9), Self.note(6)], on: &stream) == ["#6"])
        #expect(connect(&stream) == "6")
    }

    @Test("watch reads a restarted server or a reset world from the beginning")
    func restarts() throws {
        for (instance, last) in [("two", 3), ("two", 70), ("one", 3)] {
            var stream = WatchStream()
            #expect(try read([Self.world("one", last: 5), Self.note(6)], on: &stream) == ["#6"])
            _ = stream.connect()
            // A plain continuation is not shown.
            func next(_ number: Int) throws -> [String] {
                try read([Self.world(instance, last: last), Self.note(number), Self.verdicts("x/y", 1)], on: &stream)
            }
            #expect(try next(7) == ["restarted"])
            #expect(stream.isSuperseded && connect(&stream) == "0")
            #expect(try next(1) == ["#1", "should x/y No. [3, 4]"])
        }
    }

    @Test("watch counts breaches from zero after the world is reset")
    func reset() throws {
        var stream = WatchStream()
        let events = [
            Self.world("one", last: 5), Self.verdicts("x/y", 2), Self.note(6), Self.world("one", last: 0),
            Self.verdicts("x/y", 1), Self.note(1),
        ]
        let told = try read(events, on: &stream)
        #expect(told == ["#6", "began", "should x/y No. [3, 4]", "#1"])
        #expect(connect(&stream) == "1")
    }

    @Test("watch reports a breach when its count rises, even across connections")
    func breaches() throws {
        var stream = WatchStream()
        let first = try read(
            [Self.world("one", last: 0), Self.verdicts("x/y", 1), Self.verdicts("x/y", 1), Self.verdicts("x/z", 1)],
            on: &stream)
        #expect(first == ["should x/y No. [3, 4]", "should x/z No. [3, 4]"])
        _ = stream.connect()
        let second = try read(
            [Self.world("one", last: 0), Self.verdicts("x/y", 1), Self.verdicts("x/y", 3)], on: &stream)
        #expect(second == ["should x/y No. [3, 4]"])
    }

    @Test("watch does not report breaches from before the first entry")
    func past() throws {
        var stream = WatchStream()
        let later = #"{"level":"must","message":"Again.","entries":[3,5]}"#
        let row = #"{"id":"x/y","finding_count":2,"finding":\#(later)}"#
        let again = "event: verdicts\ndata: {\"verdicts\":[\(row)]}\n\n"
        let news = try read([Self.world("one", last: 4), Self.verdicts("x/y", 1), again], on: &stream)
        #expect(news == ["must x/y Again. [3, 5]"])
    }

    @Test("watch reports only new findings")
    func findings() throws {
        func verdicts(_ count: Int, _ messages: [String]) -> String {
            let findings = messages.map { #"{"level":"must","message":"\#($0)","entries":[1]}"# }.joined(separator: ",")
            return "event: verdicts\ndata: {\"verdicts\":[{\"id\":\"x/y\",\"finding_count\":\(count),"
                + "\"findings\":[\(findings)]}]}\n\n"
        }
        var stream = WatchStream()
        let told = try read(
            [
                verdicts(0, []), verdicts(2, ["a", "b"]), verdicts(2, ["a", "b"]), verdicts(3, ["a", "b", "c"]),
                // A judge keeps a limited number of findings and counts the rest.
                verdicts(4, ["a", "b", "c"]),
            ], on: &stream)
        #expect(told == ["a", "b", "c"].map { "must x/y \($0) [1]" })
    }

    @Test("watch skips unknown events and invalid entries")
    func skipped() throws {
        var stream = WatchStream()
        let told = try read(
            [
                "event: news\ndata: {\"number\":1,\"kind\":\"news\"}\n\n", "data: no JSON\n\n",
                "event: world\ndata: x\n\n", "event: verdicts\ndata: []\n\n",
                "event: verdicts\ndata: {\"verdicts\":[7,{\"id\":1}]}\n\n",
                "event: missed\ndata: {\"missed\":3,\"first_number\":4}\n\n", "event: missed\ndata: 3 entries\n\n",
                Self.note(4),
            ], on: &stream)
        #expect(told == ["missed 3", "#4"])
    }

    @Test("An event that is too long is an error")
    func tooLong() {
        var stream = WatchStream()
        let long = Array("data:".utf8) + [UInt8](repeating: 0x61, count: EventStreamReader.eventLimit)
        #expect(throws: EventStreamReader.TooLong.self) { try stream.receive(long) }
    }

    @Test("watch shows the server's error message")
    func troubles() throws {
        func outcome(_ text: String, ends: Bool = false) throws -> String {
            var request = try request()
            do throws(ClientError) {
                var body: [UInt8] = []
                // Receive single bytes, because the network may split the response anywhere.
                for byte in text.utf8 { body += try request.receive([byte]) }
                if ends { body += try request.receiveEndOfStream() }
                #expect(request.hasBegun)
                return String(decoding: body, as: UTF8.self) + (request.isComplete ? "." : "…")
            } catch {
                return error.description
            }
        }
        let body = #"{"error":{"code":"UNAUTHORIZED","message":"Send the token.\u001b"}}"#
        let cut = "the connection ended in the middle of a response."
        // The server was killed in the middle of a chunk.
        let chunk = "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nda"
        for (answer, ends, told) in [
            (
                "401 Unauthorized\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", false,
                "the server answered 401: Send the token.\u{FFFD}"
            ),
            ("404 Not Found\r\nContent-Length: 0\r\n\r\n", false, "the server answered 404: no message"),
            ("200 OK\r\nContent-Length: 2\r\n\r\n{}", false, "{}."), ("200 OK\r\n\r\n", true, cut),
            (chunk, false, "da…"), (chunk, true, cut),
        ] { #expect(try outcome("HTTP/1.1 \(answer)", ends: ends) == told) }
        #expect(try outcome("SSH-2.0\r\n").hasPrefix("the server's response is not valid HTTP: "))
        #expect(try outcome("", ends: true).contains("HTTP"))
    }

    @Test("watch counts new breaches separately for each obligation")
    func counts() {
        var counts = BreachCounts()
        let rises = [("a", 2), ("a", 2), ("b", 1), ("a", 5), ("a", 1), ("a", 0), ("a", 1)].map {
            counts.rise(of: $0, to: $1)
        }
        #expect(rises == [0, 2, 0, 2, 0, 0, 0])
    }

    @Test(
        "Invalid command lines are rejected before any connection opens",
        arguments: [
            (["--url", "https://127.0.0.1:8443"], "plain port"), (["--url", "localhost"], "plain port"),
            (["--filter", "stat=4"], "--filter: "), (["--admin-token", " "], "--admin-token"),
        ])
    func mistakes(options: [String], words: String) throws {
        let command = try WatchCommand.parse(options)
        let failure = #expect(throws: Failure.self) { try command.run() }
        #expect(failure?.exitCode == 2 && failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }
}
