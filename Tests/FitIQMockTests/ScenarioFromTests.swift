import Judging
import Testing
import Traffic

@testable import fitiq_mock

@Suite("scenario from: breaches of the recorded client")
struct ScenarioFromTests {
    /// The obligations to look for in a recording that a browser made of two requests with these fields.
    private static func target(_ fields: String...) throws -> (ids: [String], isFailure: Bool) {
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
        return ScenarioFrom.target(of: journal.lines.map(\.entry), .union, journal.evidence)
    }

    @Test("A request without credentials is a breach only if other requests in the recording have credentials")
    func credentials() throws {
        let (key, token) = (#"{"name":"X-API-Key","value":"k"}"#, #"{"name":"Authorization","value":"Bearer t"}"#)
        #expect(try Self.target("", "").isFailure)
        let broken = try Self.target("\(key),\(token)", key)
        #expect(broken.ids == ["auth/credentials-on-every-request"] && !broken.isFailure)
        #expect(try Self.target("\(key),\(token)", "\(key),\(token)").isFailure)
    }
}
