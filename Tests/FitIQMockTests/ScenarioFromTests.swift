import Judging
import Testing
import Traffic

@testable import fitiq_mock

@Suite("scenario from: breaches of the recorded client")
struct ScenarioFromTests {
    private static let key = #"{"name":"X-API-Key","value":"k"}"#
    private static let both = #"\#(key),{"name":"Authorization","value":"Bearer t"}"#

    /// The obligations to look for in a recording that a browser made of two requests with these fields.
    private static func target(
        _ fields: String..., known: KnownBroken = .none
    ) throws -> (ids: [String], isFailure: Bool, known: [String]) {
        let entries = fields.enumerated().map { second, fields in
            #"""
            {"startedDateTime":"2025-01-29T10:30:0\#(second).000Z","time":3,
            "request":{"method":"GET","url":"https://api.example.com/api/v1/goals","headers":[\#(fields)]},
            "response":{"status":200,"headers":[],"content":{"text":"{}","mimeType":"application/json"}}}
            """#
        }
        let text =
            #"{"log":{"version":"1.2","creator":{"name":"Firefox"},"entries":[\#(entries.joined(separator: ","))]}}"#
        let journal = SessionJournal(try HARFile(reading: Array(text.utf8)))
        return ScenarioFrom.target(of: journal.lines.map(\.entry), .union, journal.evidence, known)
    }

    @Test("A client that broke only known obligations is told apart from one that broke none")
    func known() throws {
        let id = "auth/credentials-on-every-request"
        let list = try KnownBroken(reading: Array("\(id)\n".utf8))
        let target = try Self.target(Self.both, Self.key, known: list)
        #expect(target.isFailure && target.ids.contains("explore/command") && target.known == [id])
        #expect(
            Messages.looksFor(target.ids, isFailure: true, known: target.known)
                == "the recorded client broke only \(id), which --known-broken lists, so the search looks for faults "
                + "that make the command fail")
        #expect(try Self.target("", "", known: list).known.isEmpty)
        let unbroken = Messages.looksFor([], isFailure: true, known: [])
        #expect(unbroken.hasPrefix("the recorded client broke no obligation, so "))
    }

    @Test("A request without credentials is a breach only if other requests in the recording have credentials")
    func credentials() throws {
        #expect(try Self.target("", "").isFailure && Self.target(Self.both, Self.both).isFailure)
        let broken = try Self.target(Self.both, Self.key)
        #expect(broken.ids == ["auth/credentials-on-every-request"] && !broken.isFailure)
    }
}
