import Testing

@testable import Judging

@Suite("Annotations of GitHub Actions")
struct GitHubAnnotationsTests {
    @Test("are an error for each thing that fails the run, and a warning for each broken should")
    func sample() {
        let text = GitHubAnnotations(SampleReport.report, knownBroken: SampleReport.knownBroken).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6, "\(text)")
        #expect(lines.allSatisfy { $0.hasPrefix("::error title=") || $0.hasPrefix("::warning title=") })
        #expect(lines.count { $0.hasPrefix("::error") } == 5)
        let broken = lines.first { $0.contains("ws/reconnect-backoff") }
        #expect(
            broken
                == "::error title=ws/reconnect-backoff (must)::After an unexpected close no try sooner than 1 s, and delays "
                + "never shrink. (consultation-websocket, enhanced-consultations, best practice 2)%0AIn drop-mid-stream: "
                + "The client tried again 0.2 s after the socket closed.%0AHow to fix it: Wait 1, 2, 4 s … before "
                + "webSocketTask(with:) is called again.")
        #expect(lines.last?.hasPrefix("::warning title=ws/keepalive (should)::") == true)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    }

    @Test("Nothing of a client's text begins a command, or ends one")
    func escapes() {
        let check = Report.Check(address: "a:b,c%", clause: "c", failures: ["100%\n::error::x\r\ny"])
        let run = Report.Run(
            scenario: "a", mode: .union, hasConnected: true, verdicts: [], exposures: [], checks: [check])
        let text = GitHubAnnotations(Report(title: "t", runs: [run])).text
        #expect(text == "::error title=a%3Ab%2Cc%25::100%25%0A::error::x y\n")
    }

    @Test("are at most ten of a kind; the tenth gives the number of the others", arguments: [10, 11, 25])
    func limit(count: Int) {
        let checks = (1...count).map { Report.Check(address: "a/\($0)", clause: "c", failures: ["no \($0)"]) }
        let run = Report.Run(
            scenario: "a", mode: .union, hasConnected: true, verdicts: [], exposures: [], checks: checks)
        let lines = GitHubAnnotations(Report(title: "t", runs: [run])).text.split(separator: "\n")
        #expect(lines.count == 10 && lines.first == "::error title=a/1::no 1")
        let last = count == 10 ? "no 10" : "\(count - 9) more errors: see the report."
        #expect(lines.last == "::error title=a/10::\(last)")
    }

    @Test("What passes has none")
    func nothing() {
        let run = Report.Run(scenario: "a", mode: .union, hasConnected: true, verdicts: [], exposures: [])
        #expect(GitHubAnnotations(Report(title: "t", runs: [run])).text.isEmpty)
    }
}
