import Digests
import FitIQAPI
import Foundation
import HTTP1
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import Traffic

@Suite("Converting a session to a journal")
struct SessionJournalTests {
    static let consultation = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    static let path = "/api/v1/consultations/\(consultation)"

    static func exchange(
        _ method: String = "GET", _ target: String = path, at microseconds: Int64 = 0, status: Int? = 200,
        token: String? = "t", body: String? = nil, answer: String = "{}"
    ) -> SessionExchange {
        var exchange = Samples.exchange(method, target, at: microseconds, status: status, body: body, answer: answer)
        if let token { exchange.request.fields.append(SessionField("Authorization", "Bearer \(token)")) }
        return exchange
    }

    static func journal(_ exchanges: SessionExchange..., isWhole: Bool = true) -> SessionJournal {
        SessionJournal(Session(entries: exchanges), isWhole: isWhole)
    }

    static func exchanges(_ journal: SessionJournal) -> [RecordedExchange] {
        journal.lines.compactMap { if case .exchange(let exchange) = $0.entry.event { exchange } else { nil } }
    }

    static func socket(
        _ frames: [SessionFrame] = [], ending: SessionEnding? = nil, at microseconds: Int64 = 0,
        target: String = path + "/ws"
    ) -> SessionExchange {
        SessionExchange(
            started: Samples.time(microseconds), opened: Samples.time(microseconds + 3000),
            request: SessionRequest(
                method: "GET", url: "wss://api.example.com\(target)",
                fields: [SessionField("Authorization", "Bearer t")]),
            response: SessionResponse(status: 101), frames: frames, ending: ending)
    }

    @Test("The journal orders entries by the ends of their answers and numbers them per world")
    func order() {
        var slow = Self.exchange(at: 0)
        slow.lasted = 9_000_000
        let journal = SessionJournal(
            Session(entries: [
                slow, Self.exchange("GET", "/w/a\(Self.path)", at: 1000),
                Self.socket([Samples.frame(.server, at: 5000), Samples.frame(.client, at: 4000)], at: 2000),
            ]), isWhole: true)
        let told = journal.lines.map { line in
            "\(line.world ?? "-") \(line.entry.number) \(line.entry.event.kind) "
                + "\((line.entry.time.nanosecondsSinceEpoch - Samples.time().nanosecondsSinceEpoch) / 1000)"
        }
        // A frame that seems to be earlier than the previous one keeps its place.
        #expect(
            told == ["a 1 exchange 3250", "- 1 opened 5000", "- 2 frame 5000", "- 3 frame 5000", "- 4 exchange 9000"])
        #expect(journal.tellsSocketEnds && journal.tellsCredentials)
        #expect(Self.exchanges(journal).map(\.endpoint) == [.showConsultation, .showConsultation])
        #expect(Self.exchanges(journal).map(\.requestedAt) == [Samples.time(1000), Samples.time(0)])
        #expect(journal.lines.map(\.entry.connection) == [2, 3, 3, 3, 1])
    }

    @Test("The journal marks requests that match no endpoint and omits other hosts")
    func unmatched() {
        var foreign = Self.exchange("GET", "/ws")
        foreign.request.url = "https://elsewhere.example/ws"
        let journal = Self.journal(Self.exchange(), Self.exchange("PATCH"), Self.exchange("GET", "/ws"), foreign)
        #expect(Self.exchanges(journal).map(\.unmatched) == [nil, .wrongMethod, .unknownPath])
    }

    @Test("A path belongs to a world if a name follows /w/")
    func worlds() {
        let journal = Self.journal(Self.exchange("GET", "/w/a"), Self.exchange("GET", "/w/a/b"))
        #expect(journal.lines.map(\.world) == [nil, "a"])
    }

    @Test("Another program's recording keeps only the API host's unknown paths")
    func unknownPaths() {
        var elsewhere = Self.exchange("GET", "/x")
        elsewhere.request.url = "https://elsewhere.example/x"
        var socket = Self.exchange("GET", "/x/ws")
        socket.request.fields += [SessionField("Connection", "Upgrade"), SessionField("Upgrade", "websocket")]
        let journal = Self.journal(Self.exchange(), Self.exchange("GET", "/x"), elsewhere, socket, isWhole: false)
        #expect(Self.exchanges(journal).map(\.head.target.path) == [Self.path, "/x", "/x/ws"])
    }

    @Test("Another program's recording omits unanswered requests and sockets outside the API")
    func foreign() {
        var page = Self.exchange("GET", "/hmr")
        page.request.fields += [SessionField("Connection", "Upgrade"), SessionField("Upgrade", "websocket")]
        let all = [Self.exchange(), Self.exchange(status: nil), page]
        #expect(SessionJournal(Session(entries: all), isWhole: true).lines.count == 3)
        let journal = SessionJournal(Session(entries: all + [Self.socket(target: "/hmr")]), isWhole: false)
        #expect(journal.lines.count == 1 && !journal.tellsSocketEnds)
        #expect(SessionJournal(Session(entries: [page]), isWhole: false).lines.isEmpty)
    }

    @Test("Bodies that another program did not record count as truncated")
    func bodies() {
        let create = Self.exchange("POST", "/api/v1/goals", answer: "")
        let foreign = Self.exchanges(Self.journal(create, isWhole: false))
        #expect(foreign.map(\.body.isCut) == [true] && foreign.map(\.responseBody.isCut) == [true])
        let whole = Self.exchanges(Self.journal(create))
        #expect(whole.map(\.body.isCut) == [false] && whole.map(\.responseBody.isCut) == [false])
        let told = Self.exchange("POST", "/api/v1/goals", body: "{}")
        #expect(Self.exchanges(Self.journal(told, isWhole: false)).map(\.body.isCut) == [false])
        let get = Self.exchange(status: 204, answer: "")
        #expect(Self.exchanges(Self.journal(get, isWhole: false)).map(\.responseBody.isCut) == [false])
    }

    @Test("The journal marks truncated and missing answers")
    func delivery() {
        var cut = Self.exchange()
        cut.response?.isComplete = false
        let journal = Self.exchanges(Self.journal(Self.exchange(), cut, Self.exchange(status: nil)))
        #expect(journal.map(\.delivery) == [.complete, .partial, .none] && journal.map(\.status) == [200, 200, nil])
    }

    @Test("The journal omits fields with line breaks or without a name and keeps all others")
    func fields() {
        for (name, value) in [("", "a"), ("a\r\nB", "c"), ("c", "d\ne"), ("e", "f\rg"), ("h", "i\0j")] {
            var odd = Self.exchange()
            odd.request.fields += [SessionField(name, value), SessionField("Accept", "x/y")]
            #expect(Self.exchanges(Self.journal(odd)).map { $0.head.fields[.accept] } == ["x/y"], "\(name): \(value)")
        }
    }

    @Test("Invalid fields do not affect the other fields or add lines")
    func hostile() {
        var odd = Self.exchange()
        odd.request.fields += [
            SessionField("Content-Length", "x"), SessionField("a\r\nB", "c"), SessionField("c", "d\ne"),
        ]
        #expect(Self.exchanges(Self.journal(odd)).map { $0.head.fields[.authorization] } == ["Bearer t"])
        odd.request.method = "G E\nT"
        #expect(Self.journal(odd).lines.isEmpty)
        odd.request = SessionRequest(method: "GET", url: "")
        #expect(Self.journal(odd).lines.count == 1)
    }

    // MARK: Ends

    private static func close(_ sender: Party, _ code: [UInt8] = [3, 232], at microseconds: Int64) -> SessionFrame {
        Samples.frame(sender, .close, bytes: code, at: microseconds)
    }

    private static func ending(_ socket: SessionExchange) -> (entry: JournalEntry, closing: RecordedClosing)? {
        let journal = SessionJournal(Session(entries: [socket]), isWhole: true)
        guard let entry = journal.lines.last?.entry, case .closed(let closing) = entry.event else { return nil }
        return (entry, closing)
    }

    @Test("The client's close frame ends a WebSocket even if frames follow")
    func closedByClient() throws {
        let end = SessionEnding(time: Samples.time(90_000), party: .client, cause: .closeFrame)
        let frames = [
            Samples.frame(.server, at: 10_000), Self.close(.client, at: 20_000), Samples.frame(.server, at: 21_000),
            Self.close(.server, at: 30_000),
        ]
        let (entry, closing) = try #require(Self.ending(Self.socket(frames, ending: end)))
        #expect(entry.time == Samples.time(20_000) && entry.number == 4)
        #expect(closing.party == .client && closing.cause == .closeFrame)
        #expect(closing.summary.received?.code == .normalClosure && closing.summary.sent?.code == .normalClosure)
        #expect(closing.summary.initiator == .theyStarted)
    }

    @Test("A server that closes first ends the socket with or without an answer")
    func closedByServer() throws {
        let answered = try #require(
            Self.ending(Self.socket([Self.close(.server, [], at: 20_000), Self.close(.client, at: 30_000)])))
        #expect(answered.entry.time == Samples.time(30_000) && answered.closing.party == .server)
        #expect(answered.closing.summary.sent == CloseSummary.Frame(code: nil))
        let end = SessionEnding(time: Samples.time(90_000), party: .client, cause: .finish)
        let left = try #require(Self.ending(Self.socket([Self.close(.server, at: 20_000)], ending: end)))
        #expect(left.entry.time == Samples.time(90_000) && left.closing.cause == .finish)
        #expect(left.closing.summary.sent != nil && left.closing.summary.received == nil)
    }

    @Test("Without close frames, the transport's end determines how a socket ended", arguments: [true, false])
    func dropped(hasEnding: Bool) {
        let end = SessionEnding(time: Samples.time(90_000), party: .server, cause: .reset)
        let ending = Self.ending(Self.socket(ending: hasEnding ? end : nil))
        #expect(ending?.closing.party == (hasEnding ? .server : nil))
        #expect(ending?.closing.cause == (hasEnding ? .reset : nil))
    }
}

@Suite("Users of a session's requests")
struct SessionUsersTests {
    private typealias Journal = SessionJournalTests

    /// A JSON Web Token for a subject, without a signature.
    private static func token(of subject: String, _ number: Int = 0) -> String {
        func part(_ text: String) -> String {
            Base64.encode(Array(text.utf8)).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return [part("{}"), part(#"{"sub":"\#(subject)","n":\#(number)}"#), "x"].joined(separator: ".")
    }

    private static func users(_ exchanges: [SessionExchange], isWhole: Bool = true) -> [String?] {
        let journal = SessionJournal(Session(entries: exchanges), isWhole: isWhole)
        return Journal.exchanges(journal).map { $0.user?.text }
    }

    @Test("A token identifies its user unless the answer is a 401")
    func named() {
        let token = Self.token(of: "ann")
        let users = Self.users([
            Journal.exchange(token: token), Journal.exchange(status: 401, token: token), Journal.exchange(token: nil),
            Journal.exchange("GET", "\(Journal.path)?token=\(token)", token: nil),
            Journal.exchange(status: 404, token: Self.token(of: "bob")),
        ])
        #expect(users == ["ann", nil, nil, "ann", "bob"])
    }

    @Test("Two placeholders count as two users")
    func placeholders() {
        let users = Self.users([
            Journal.exchange(token: "redacted-token-1"),
            Journal.exchange("GET", "/api/v1/goals", token: "redacted-token-2"),
        ])
        #expect(users == ["redacted-token-1", "redacted-token-2"])
    }

    @Test(
        "Tokens with access to the same private resource belong to one user",
        arguments: [
            ("GET", Journal.path, 200, "{}", true),
            ("GET", "/api/v1/consultations", 200, #"{"data":[{"id":"\#(Journal.consultation.uppercased())"}]}"#, true),
            ("GET", Journal.path, 404, "{}", false),
            ("GET", "/w/b\(Journal.path)", 200, "{}", false),
            (
                "GET", "/api/v1/consultations/quick-actions", 200, #"{"data":[{"id":"\#(Journal.consultation)"}]}"#,
                false
            ),
        ])
    func refreshed(method: String, target: String, status: Int, answer: String, isSame: Bool) {
        let users = Self.users([
            Journal.exchange(token: "old"),
            Journal.exchange(method, target, status: status, token: "new", answer: answer),
            Journal.exchange("GET", "/api/v1/goals", token: "new"),
        ])
        #expect(Set(users).count == (isSame ? 1 : 2), "\(users)")
    }

    @Test("An opaque token belongs to the named user with the same access")
    func subjects() {
        let named = [Self.token(of: "ann"), Self.token(of: "ann", 1), Self.token(of: "bob")]
        #expect(Self.users(named.map { Journal.exchange(token: $0) }) == ["ann", "ann", "bob"])
        #expect(Self.users([Journal.exchange(token: "x"), Journal.exchange(token: named[2])]) == ["bob", "bob"])
    }

    @Test("A token without an answer does not prove access")
    func unanswered() {
        let users = Self.users([
            Journal.exchange(token: "old"), Journal.exchange(status: nil, token: "new"),
            Journal.exchange("GET", "/api/v1/goals", token: "new"),
        ])
        #expect(users == ["old", "new", "new"])
    }

    @Test("Another program's recording without credentials belongs to one user")
    func untold() {
        let exchanges = [Journal.exchange(token: nil), Journal.exchange(status: 401, token: nil)]
        #expect(Self.users(exchanges, isWhole: false) == ["user", nil])
        #expect(Self.users(exchanges) == [nil, nil])
        #expect(Self.users(exchanges + [Journal.exchange(token: "t")], isWhole: false) == [nil, nil, "t"])
    }
}

@Suite("Converting a journal to a session")
struct SessionFromJournalTests {
    private static let origin = "http://127.0.0.1:8080"

    private static func entry(_ number: Int, _ event: JournalEvent, connection: UInt64 = 1) -> JournalEntry {
        JournalEntry(number: number, time: time(number), connection: connection, event: event)
    }

    private static func time(_ number: Int) -> Timestamp { Samples.time(Int64(number) * 1000) }

    private static func head(_ target: String) throws -> RequestHead {
        try RequestHead(recorded: Array("GET \(target) HTTP/1.1\r\nAuthorization: Bearer t\r\n".utf8))
    }

    private static func exchange(
        _ target: String, requestedAt number: Int, status: Int? = 200, delivery: Delivery = .complete
    ) throws -> JournalEvent {
        .exchange(
            RecordedExchange(
                head: try head(target), body: Array("{}".utf8), requestedAt: time(number), endpoint: .listGoals,
                status: status, responseFields: .encoded(Array("Content-Type: text/plain\r\n".utf8)),
                responseBody: Array("[]".utf8), delivery: delivery))
    }

    private static func exchanges(_ session: Session) -> [SessionExchange] { session.entries.filter { !$0.isSocket } }

    @Test("The session orders requests by start and contains what the client received")
    func requests() throws {
        let session = Session(
            [
                Self.entry(3, try Self.exchange("/b", requestedAt: 2)),
                Self.entry(4, try Self.exchange("/a", requestedAt: 1)),
                Self.entry(5, try Self.exchange("/c", requestedAt: 2, status: nil, delivery: .none)),
                Self.entry(6, try Self.exchange("/d", requestedAt: 5, delivery: .partial)),
                Self.entry(7, try Self.exchange("/e", requestedAt: 5, delivery: .none)),
            ], origin: Self.origin)
        let exchanges = Self.exchanges(session)
        #expect(exchanges.map(\.request.url) == ["a", "b", "c", "d", "e"].map { "\(Self.origin)/\($0)" })
        #expect(exchanges.map(\.response?.isComplete) == [true, true, nil, false, nil])
        #expect(exchanges[0].lasted == 3_000_000 && exchanges[0].started == Self.time(1))
        let first = try #require(exchanges.first)
        #expect(first.request.fields == [SessionField("Authorization", "Bearer t")])
        #expect(first.request.body?.bytes == Array("{}".utf8))
        #expect(first.response?.fields == [SessionField("Content-Type", "text/plain")])
        #expect(first.response?.body.bytes == Array("[]".utf8))
    }

    @Test("The session's coding fields agree with the bodies in the journal")
    func codedBodies() throws {
        func exchange(_ number: Int, _ body: [UInt8], _ coding: String = "gzip") throws -> JournalEntry {
            let lines = "Content-Encoding: \(coding)\r\n"
            let head = try RequestHead(recorded: Array("POST /a HTTP/1.1\r\n\(lines)".utf8))
            let exchange = RecordedExchange(
                head: head, body: body, requestedAt: Self.time(number), status: 200,
                responseFields: .encoded(Array(lines.utf8)), responseBody: body)
            return Self.entry(number, .exchange(exchange))
        }
        let session = Session(
            [
                try exchange(1, Array("{}".utf8)), try exchange(2, [0x1F, 0x8B, 8]), try exchange(3, [0x8B], "br"),
            ], origin: Self.origin)
        let exchanges = Self.exchanges(session)
        #expect(exchanges.map(\.request.fields.count) == [0, 1, 1])
        #expect(exchanges.map(\.response?.fields.count) == [0, 1, 1])
    }

    @Test(
        "A WebSocket contains the frames that arrived, and an end caused by a fault counts as FIN",
        arguments: [
            (RecordedClosing.Cause.closeFrame, RecordedClosing.Cause.closeFrame), (.reset, .reset), (.fault, .finish),
            (.timeOut, .finish), (.finish, .finish), (.shutdown, .finish),
        ])
    func sockets(_ cause: RecordedClosing.Cause, _ recorded: RecordedClosing.Cause) throws {
        func frame(_ text: String, _ delivery: Delivery = .complete) -> JournalEvent {
            .frame(RecordedFrame(sender: .server, opcode: .text, payload: Array(text.utf8), delivery: delivery))
        }
        let path = SessionJournalTests.path + "/ws"
        let opening = RecordedOpening(head: try Self.head(path), requestedAt: Self.time(1))
        let entries = [
            Self.entry(2, .opened(opening)), Self.entry(3, .opened(opening), connection: 2), Self.entry(4, frame("1")),
            Self.entry(5, frame("lost", .none)), Self.entry(6, frame("2"), connection: 2),
            Self.entry(7, frame("cut", .partial)), Self.entry(8, .note("a"), connection: 1), Self.entry(9, frame("3")),
            Self.entry(10, .closed(RecordedClosing(by: .server, cause: cause))), Self.entry(11, frame("nobody's")),
        ]
        let session = Session(entries, origin: Self.origin)
        let sockets = session.entries.filter(\.isSocket)
        #expect(sockets.map(\.request.url) == Array(repeating: "ws://127.0.0.1:8080" + path, count: 2))
        #expect(
            sockets.map { $0.frames.map { String(decoding: $0.payload.bytes, as: UTF8.self) } } == [["1", "3"], ["2"]])
        #expect(sockets[0].ending == SessionEnding(time: Self.time(10), party: .server, cause: recorded))
        #expect(sockets[1].ending == nil && sockets[0].opened == Self.time(2) && sockets[0].started == Self.time(1))
        // This conversion is the inverse of turning a session into a journal.
        let again = SessionJournal(session, isWhole: true).lines.map(\.entry.event.kind)
        #expect(again == [.opened, .opened, .frame, .frame, .frame, .closed])
    }
}

@Suite("An API's path prefix")
struct PathPrefixTests {
    @Test(
        "A prefix must be a path with a name",
        arguments: [
            ("/prod", true), ("/prod/", true), ("/a/b", true), ("", false), ("/", false), ("//", false),
            ("prod", false), ("/prod?x", false), ("/prod#x", false), ("/a b", false), ("https://h/prod", false),
        ])
    func form(text: String, isOne: Bool) { #expect((PathPrefix(text) != nil) == isOne) }

    @Test(
        "The converter removes a prefix from URLs and targets that start with it",
        arguments: [
            ("https://h/prod/api?x=1", "https://h/api?x=1"), ("/prod/api", "/api"), ("/prod", "/"), ("/prod?x", "/?x"),
            ("https://h/prod", "https://h/"), ("/product/api", "/product/api"), ("/api/prod", "/api/prod"),
            ("/PROD/api", "/PROD/api"), ("/prod/prod/api", "/prod/api"),
        ])
    func removed(url: String, rest: String) throws {
        #expect(try #require(PathPrefix("/prod/")).removed(from: url) == rest)
    }

    @Test("A session without API calls reports its first request and a suitable prefix")
    func stranger() throws {
        let file = try HARFile.fixture("gateway-prefix")
        let journal = SessionJournal(file)
        #expect(journal.lines.isEmpty)
        #expect(journal.stranger == .init(request: "GET /prod/api/v1/goals", prefix: "/prod"))
        let named = SessionJournal(file, prefix: PathPrefix("/prod"))
        #expect(named.stranger == nil && named.lines.count == 1)
        #expect(
            SessionJournal(try HARFile.fixture("unread-codings")).stranger == .init(request: "GET /br", prefix: nil))
        let none = try HARFile(reading: Array(#"{"log":{"entries":[]}}"#.utf8))
        #expect(SessionJournal(none).stranger == .init(request: "", prefix: nil))
    }
}
