import FitIQAPI
import Testing
import WebSocket

@testable import Traffic

@Suite("A session as a journal")
struct SessionJournalTests {
    static let consultation = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    static let path = "/api/v1/consultations/\(consultation)"

    static func exchange(
        _ method: String = "GET", _ target: String = path, at microseconds: Int64 = 0, status: Int? = 200,
        token: String? = "t", body: String? = nil, answer: String = "{}"
    ) -> SessionExchange {
        var exchange = Samples.exchange(
            method, target, at: microseconds, status: status, body: body, answer: answer)
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

    @Test("Entries stand where answers are complete, numbered from 1 in each world")
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
        // A frame that seems to come before the one before it keeps its place.
        #expect(
            told == ["a 1 exchange 3250", "- 1 opened 5000", "- 2 frame 5000", "- 3 frame 5000", "- 4 exchange 9000"])
        #expect(journal.tellsSocketEnds && journal.tellsCredentials)
        #expect(Self.exchanges(journal).map(\.endpoint) == [.showConsultation, .showConsultation])
        #expect(Self.exchanges(journal).map(\.requestedAt) == [Samples.time(1000), Samples.time(0)])
        #expect(journal.lines.map(\.entry.connection) == [2, 3, 3, 3, 1])
    }

    @Test("What is no endpoint is told from one; other hosts are left out")
    func unmatched() {
        var foreign = Self.exchange("GET", "/ws")
        foreign.request.url = "https://elsewhere.example/ws"
        let journal = Self.journal(Self.exchange(), Self.exchange("PATCH"), Self.exchange("GET", "/ws"), foreign)
        #expect(Self.exchanges(journal).map(\.unmatched) == [nil, .wrongMethod, .unknownPath])
    }

    @Test("A path is a world's if something follows its name")
    func worlds() {
        let journal = Self.journal(Self.exchange("GET", "/w/a"), Self.exchange("GET", "/w/a/b"))
        #expect(journal.lines.map(\.world) == [nil, "a"])
    }

    @Test("Recordings of others have unknown paths of the API's host, and no other host's")
    func unknownPaths() {
        var elsewhere = Self.exchange("GET", "/x")
        elsewhere.request.url = "https://elsewhere.example/x"
        var socket = Self.exchange("GET", "/x/ws")
        socket.request.fields += [SessionField("Connection", "Upgrade"), SessionField("Upgrade", "websocket")]
        let journal = Self.journal(Self.exchange(), Self.exchange("GET", "/x"), elsewhere, socket, isWhole: false)
        #expect(Self.exchanges(journal).map(\.head.target.path) == [Self.path, "/x", "/x/ws"])
    }

    @Test("Recordings of others leave out what was not answered, and sockets that are not of the API")
    func foreign() {
        var page = Self.exchange("GET", "/hmr")
        page.request.fields += [SessionField("Connection", "Upgrade"), SessionField("Upgrade", "websocket")]
        let all = [Self.exchange(), Self.exchange(status: nil), page]
        #expect(SessionJournal(Session(entries: all), isWhole: true).lines.count == 3)
        let journal = SessionJournal(
            Session(entries: all + [Self.socket(target: "/hmr")]), isWhole: false)
        #expect(journal.lines.count == 1 && !journal.tellsSocketEnds)
        #expect(SessionJournal(Session(entries: [page]), isWhole: false).lines.isEmpty)
    }

    @Test("Bodies that others did not record count as cut, and what was recorded does not")
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

    @Test("An answer that was cut off, and none")
    func delivery() {
        var cut = Self.exchange()
        cut.response?.isComplete = false
        let journal = Self.exchanges(Self.journal(Self.exchange(), cut, Self.exchange(status: nil)))
        #expect(journal.map(\.delivery) == [.complete, .partial, .none] && journal.map(\.status) == [200, 200, nil])
    }

    @Test("Fields with line ends or without a name are left out, and all the others stay")
    func fields() {
        for (name, value) in [("", "a"), ("a\r\nB", "c"), ("c", "d\ne"), ("e", "f\rg"), ("h", "i\0j")] {
            var odd = Self.exchange()
            odd.request.fields += [SessionField(name, value), SessionField("Accept", "x/y")]
            #expect(Self.exchanges(Self.journal(odd)).map { $0.head.fields[.accept] } == ["x/y"], "\(name): \(value)")
        }
    }

    @Test("Fields that no server would take do not hide the rest; a line end in them makes no line")
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

    @Test("A WebSocket ends with the client's close frame, whatever comes behind it")
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

    @Test("A server that closed first is the one who ended it, answered or not")
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

    @Test("Without close frames the transport's end is it, and without that it is open", arguments: [true, false])
    func dropped(hasEnding: Bool) {
        let end = SessionEnding(time: Samples.time(90_000), party: .server, cause: .reset)
        let ending = Self.ending(Self.socket(ending: hasEnding ? end : nil))
        #expect(ending?.closing.party == (hasEnding ? .server : nil))
        #expect(ending?.closing.cause == (hasEnding ? .reset : nil))
    }
}
