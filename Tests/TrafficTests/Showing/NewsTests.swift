import FitIQAPI
import TestSupport
import Testing
import Traffic

@Suite("What a newer version of a program does")
struct NewsTests {
    private func get(_ target: String, body: String? = nil) -> SessionExchange {
        Samples.exchange(body == nil ? "GET" : "POST", target, body: body)
    }

    private func news(_ first: [SessionExchange], _ second: [SessionExchange], _ new: [SessionExchange]) -> [String] {
        SessionComparison.news(
            in: Session(entries: new), since: Session(entries: first), Session(entries: second))
    }

    @Test("is nothing in equal sessions")
    func equal() { #expect(news(Samples.all.entries, Samples.all.entries, Samples.all.entries).isEmpty) }

    @Test("is a request more, one less, and one at another place")
    func presence() {
        let old = [get("/a"), get("/b"), get("/c")]
        #expect(
            news(old, old, old + [get("/d")]) == ["It sends GET /d as no. 4, which the older command did not."])
        #expect(
            news(old, old, [get("/a"), get("/c")])
                == ["It no longer sends GET /b, which the older command sent as no. 2."])
        #expect(
            news(old, old, [get("/c"), get("/a"), get("/b")])
                == ["It sends GET /c as no. 1, the older command as no. 3."])
    }

    @Test("is not what varied before: a request that came sometimes, a value, an element's value elsewhere")
    func noise() {
        let (short, long) = ([get("/a")], [get("/a"), get("/b")])
        #expect(news(short, long, long).isEmpty && news(long, short, short).isEmpty)
        #expect(news(short, short, long).count == 1)
        func post(_ value: String) -> [SessionExchange] { [get("/a", body: #"{"n":[1,"\#(value)"],"m":"\#(value)"}"#)] }
        #expect(news(post("x"), post("y"), post("z")).isEmpty)
        #expect(
            news(post("x"), post("x"), post("z")) == [
                #"POST /a (no. 1): request.body.n[1] is "z", with the older command "x"."#,
                #"POST /a (no. 1): request.body.m is "z", with the older command "x"."#,
            ])
        let moved = [get("/a", body: #"{"n":["w","x"],"m":"x"}"#)]
        #expect(news(post("x"), post("y"), moved).isEmpty, "The first element is like the second.")
    }

    @Test("is what differs from both runs, whatever varies between these", arguments: 0..<100 as Range<UInt64>)
    func property(_ seed: UInt64) {
        var draw = Draw(seed: seed)
        func session() -> [SessionExchange] {
            // Each run has its own value under "v", and leaves "/maybe" out at times.
            let fixed = ["/a", "/b", "/c"].map { get($0, body: #"{"v":"\#(draw.below(1000))","w":"same"}"#) }
            return draw.once(in: 2) ? fixed + [get("/maybe")] : fixed
        }
        let (first, second) = (session(), session())
        let varies = first.count != second.count
        let found = news(first, second, session() + [get("/extra")])
        #expect(found.filter { !$0.contains("/maybe") }.count == found.filter { $0.contains("/extra") }.count)
        #expect(found.contains { $0.contains("/extra") })
        #expect(!varies || !found.contains { $0.contains("/maybe") })
    }
}
