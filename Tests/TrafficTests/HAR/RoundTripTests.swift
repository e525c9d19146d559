import FitIQAPI
import JSON
import Testing
import Traffic
import WebSocket

@Suite("HAR round trips")
struct RoundTripTests {
    @Test("A session that is written and read is the same session")
    func session() throws {
        let bytes = HAREncoder.file(Samples.all, creatorVersion: "1.0")
        let file = try HARFile(reading: bytes)
        #expect(file.session.entries.count == Samples.all.entries.count)
        for (read, written) in zip(file.session.entries, Samples.all.entries) { #expect(read == written) }
        #expect(
            file.notes == [
                .lost(.cutBody, count: 3, entries: [5, 9]), .lost(.cutMessage, count: 2, entries: [10]),
            ])
        #expect(file.creator == "fitiq-mock" && file.isWhole)
        #expect(HAREncoder.file(file.session, creatorVersion: "1.0") == bytes)
    }

    @Test("A session without entries is a file, and notes are in it")
    func empty() throws {
        let bytes = HAREncoder.file(Session(), creatorVersion: "1.0", notes: ["The disk was full."])
        let file = try HARFile(reading: bytes)
        #expect(file.session == Session())
        #expect(file.notes == [.recorded("The disk was full.")])
    }

    @Test("An entry is as the tools that read HAR expect it")
    func golden() {
        var exchange = Samples.exchange("POST", "/api/v1/goals?q=a%20b", at: 1, body: "{}", answer: "{}")
        exchange.response?.isComplete = false
        #expect(
            String(decoding: HAREncoder.entry(exchange), as: UTF8.self)
                == #"{"startedDateTime":"2025-01-29T10:30:00.000001Z","time":2.250,"request":{"method":"POST","#
                + #""url":"https://api.example.com/api/v1/goals?q=a%20b","httpVersion":"HTTP/1.1","cookies":[],"#
                + #""headers":[{"name":"Host","value":"api.example.com"}],"#
                + #""queryString":[{"name":"q","value":"a b"}],"postData":{"mimeType":"x-unknown","text":"{}"},"#
                + #""headersSize":-1,"bodySize":2},"response":{"status":200,"statusText":"OK","#
                + #""httpVersion":"HTTP/1.1","cookies":[],"#
                + #""headers":[{"name":"Content-Type","value":"application/json"}],"#
                + #""content":{"size":2,"mimeType":"application/json","text":"{}"},"redirectURL":"","#
                + #""headersSize":-1,"bodySize":2},"cache":{},"timings":{"send":0,"wait":1.500,"receive":0.750},"#
                + #""_fitiq":{"incomplete":true}}"#)
    }

    @Test("Cookies stand apart as well")
    func cookies() {
        var exchange = Samples.exchange("GET", "/", at: 1)
        exchange.request.fields = [SessionField("cookie", "sid=a=b; theme = dark;; odd; ")]
        exchange.response?.fields = [
            SessionField("Set-Cookie", "sid=abc; Path=/a; path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; HttpOnly"),
            SessionField("set-cookie", "lang=\"en\"; Domain=example.com;Secure"), SessionField("Set-Cookie", ""),
        ]
        let text = String(decoding: HAREncoder.entry(exchange), as: UTF8.self)
        #expect(
            text.contains(
                #""cookies":[{"name":"sid","value":"a=b"},{"name":"theme","value":"dark"},{"name":"odd","value":""}],"#)
        )
        #expect(
            text.contains(
                #""cookies":[{"name":"sid","value":"abc","path":"/","httpOnly":true,"secure":false},"#
                    + #"{"name":"lang","value":"\"en\"","domain":"example.com","httpOnly":false,"secure":true}],"#))
    }

    @Test("Messages are as Chrome writes them")
    func messages() {
        let text = String(decoding: HAREncoder.message(Samples.frame(.client, .text, "hi", at: 5)), as: UTF8.self)
        #expect(text == #"{"type":"send","time":1738146600.000005,"opcode":1,"data":"hi"}"#)
        let binary = HAREncoder.message(Samples.frame(.server, .binary, bytes: [0xFF], at: 0))
        #expect(
            String(decoding: binary, as: UTF8.self)
                == #"{"type":"receive","time":1738146600.000000,"opcode":2,"data":"/w=="}"#)
    }

    @Test("A moment before 1970 counts for the microsecond that it is in")
    func beforeTheEpoch() {
        let frame = SessionFrame(
            sender: .client, time: Timestamp(nanosecondsSinceEpoch: -1), opcode: .text, payload: RecordedBody())
        #expect(String(decoding: HAREncoder.message(frame), as: UTF8.self).contains(#""time":-0.000001,"#))
    }
}
