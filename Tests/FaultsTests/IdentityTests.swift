import JSON
import Testing

@testable import Faults

@Suite("Rule names are compared by bytes")
struct IdentityTests {
    @Test(
        "Two rules with canonically equivalent names can be disabled separately",
        arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")] as [(ExactString, ExactString)])
    func names(_ first: ExactString, _ second: ExactString) throws {
        var book = FaultBook(rules: [.response(first.text, .hang), .response(second.text, .hang)])
        #expect(throws: FaultBookError.duplicateName(first.text)) { try book.add(.response(first.text, .hang)) }
        let isSwitched = book.setEnabled(false, named: second)
        #expect(isSwitched)
        #expect(book.rules.map(\.rule.isEnabled) == [true, false])
        try book.replaceRules([.response(second.text, .hang)])
        #expect(book.rules.map(\.rule.isEnabled) == [false])
        let removed = (first: book.remove(named: first), second: book.remove(named: second))
        #expect(!removed.first && removed.second)
    }

    @Test("A rule whose text changes only in Unicode normalization counts as a new rule")
    func texts() throws {
        func rule(_ text: String) -> FaultRule { .response("f", .replace(Replacement(status: 500, body: text))) }
        var book = FaultBook(rules: [rule("\u{E9}")])
        _ = book.setEnabled(false, named: "f")
        func replace(with text: String) throws {
            let respelled = FaultBook.respelled(in: [rule(text)], since: [rule("\u{E9}")])
            try book.replaceRules([rule(text)], respelled: respelled)
        }
        try replace(with: "\u{E9}")
        #expect(book.rules.map(\.rule.isEnabled) == [false])
        try replace(with: "e\u{301}")
        #expect(book.rules.map(\.rule.isEnabled) == [true])
    }
}
