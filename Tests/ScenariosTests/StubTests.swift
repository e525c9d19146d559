import FitIQBackend
import HTTPTypes
import Testing

@testable import Scenarios

@Suite("Reading: stubs and answer fields")
struct StubTests {
    private func stubs(_ text: String) throws -> [Stub] { try Scenario.read("{name: a, stubs: [\(text)]}").stubs }

    @Test("A stub has a path and may have other keys")
    func stub() throws {
        #expect(try stubs("{path: /}") == [Stub(method: .get, path: "/")])
        #expect(try stubs("{path: /v2/status}") == [Stub(method: .get, path: "/v2/status")])
        let whole = try stubs(
            #"{method: POST, path: "/v2/{id}/x", status: 202, body: "{}", headers: {Location: /a, X-B: ""}}"#)
        #expect(
            whole == [
                Stub(
                    method: .post, path: "/v2/{id}/x", status: .accepted,
                    fields: [.location: "/a", HTTPField.Name("X-B") ?? .accept: ""], body: [0x7B, 0x7D])
            ])
        #expect(whole[0].answers(.post, ["v2", "7", "x"]) && whole[0].answers(.post, ["v2", "", "x"]))
        #expect(!whole[0].answers(.get, ["v2", "7", "x"]) && !whole[0].answers(.post, ["v2", "7"]))
    }

    @Test("A segment in braces matches any segment, and a segment with one brace matches itself")
    func braces() throws {
        for segment in ["{id", "id}", "{id}"] {
            let stub = try #require(stubs(#"{path: "/v2/\#(segment)"}"#).first)
            #expect(stub.answers(.get, ["v2", segment]))
            #expect(stub.answers(.get, ["v2", "7"]) == (segment == "{id}"))
        }
    }

    @Test(
        "The reader rejects invalid stubs",
        arguments: [
            ("{path: v2}", "must be a path such as"), ("{path: /health}", "must not be one of the server's own"),
            ("{path: /llms.txt}", "must not be one of the server's own"),
            ("{path: /w/a/b}", "must not be one of the server's own"),
            ("{path: /__admin/x}", "must not be one of the " + "server's own"),
            ("{path: /a?b}", "must be a path such as"), ("{path: /api/v1/goals}", "is already served by the fake"),
            ("{path: /a, headers: {Content-Length: 3}}", "except fields that HTTP itself needs"),
            ("{path: /a, headers: {'a b': c}}", "header fields by name"), ("{path: /a, status: 101}", "200 to 599"),
            ("{path: /a, method: GTE}", "GET"),
        ])
    func refused(_ text: String, _ words: String) { #expect(refusal { try stubs(text) }.contains(words)) }

    @Test("A stub with override may replace a product path")
    func override() throws { #expect(try stubs("{path: /api/v1/goals, override: true}").count == 1) }

    @Test(
        "The error for an unknown field suggests the nearest name",
        arguments: [
            ("text: '{{contnet}}'", "{{content}}"), ("chunks: ['a {{user.nam}}']", "{{user.name}}"),
            ("steps: [{burst: ['{{nows}}']}]", "{{now}}"), ("error: '{{random 6 1}}'", "{{random 1 6}}"),
        ])
    func unknownField(_ answer: String, _ nearest: String) {
        let text = refusal { try Scenario.read("{name: a, answers: [{\(answer)}]}") }
        #expect(text.contains("has the field") && text.contains("Did you mean '\(nearest)'?"), "\(text)")
    }

    @Test("The reader rejects an answer with more than a hundred fields")
    func count() throws {
        func read(_ count: Int) throws -> Scenario {
            try Scenario.read("{name: a, answers: [{text: '\(String(repeating: "{{now}}", count: count))'}]}")
        }
        #expect(try read(100).script.answers.count == 1)
        #expect(throws: ScenarioErrors.self) { try read(101) }
        #expect(try Scenario.read("{name: a, answers: [{text: 'a {{ b'}]}").script.answers.count == 1)
    }
}
