import JSON
import Testing

@testable import Faults

@Suite("Faults that a request selects")
struct RequestedFaultTests {
    @Test(
        "A request selects a fault by name or by status",
        arguments: [
            (nil, nil, nil), (nil, "", nil), (nil, "respond-async, wait=10", nil), (nil, "code=429", .status(429)),
            ("slow", nil, .rule("slow")), ("slow", "code=429", .rule("slow")),
            (nil, "wait=1, CODE\t= \"503\" ; x=y", .status(503)), (nil, "code=200,code=599", .status(200)),
        ] as [(String?, String?, RequestedFault?)])
    func reads(name: String?, preferences: String?, expected: RequestedFault?) throws {
        #expect(try RequestedFault(name: name, preferences: preferences) == expected)
    }

    @Test("A preferred status must be from 200 to 599", arguments: ["", "199", "600", "42", "+42", "6000", "teapot"])
    func refuses(code: String) {
        #expect(throws: FaultBookError.unknownStatus(code)) {
            try RequestedFault(name: nil, preferences: "code=\(code)")
        }
    }

    @Test("A request can select a REST rule by name, even if the rule is disabled")
    func rules() throws {
        var disabled = FaultRule.response("off", .delay(1))
        disabled.isEnabled = false
        var book = FaultBook(rules: [
            .response("on", .hang), .handshake("handshake", .hang), .socket("socket", .lose), disabled,
        ])
        let acting = try book.respond(with: .rule("off"), at: .after(0))
        #expect(acting.ruleNames == ["off"] && acting.faults == [.delay(1)])
        #expect(book.rules.map(\.matches) == [0, 0, 0, 0])
        for name in ["handshake", "socket", "other"] {
            #expect(throws: FaultBookError.unknownName(name, known: ["on", "off"])) {
                try book.respond(with: .rule(ExactString(name)), at: .after(0))
            }
        }
    }

    @Test("A request that selects a quota rule gets the answer for an exhausted quota")
    func replacements() throws {
        let quota = ResponseFault.quota(requests: 5, window: 1_500 * millisecond, Replacement(status: 429))
        var book = FaultBook(rules: [.response("q", quota)])
        let used = try book.respond(with: .rule("q"), at: .after(0)).replacement
        #expect(used?.status == 429 && used?.retryAfter == 2)
        let preferred = try book.respond(with: .status(503), at: .after(0))
        #expect(preferred.ruleNames == ["Prefer: code=503"] && preferred.replacement?.status == 503)
        #expect(preferred.replacement?.message == Messages.preferred(status: 503))
    }
}
