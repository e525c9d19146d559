import FitIQAPI
import JSON
import Testing

@testable import Faults

@Suite("Fault rules and their counts")
struct FaultBookTests {
    /// The names of the rules that take effect on each request, in one string: `ab·b` means a and b on the first
    /// request and b on the third.
    private static func acting(_ book: inout FaultBook, _ count: Int, on endpoint: Endpoint? = .listGoals) -> String {
        (0..<count).map { _ in
            book.respond(to: endpoint, at: .after(0))?.ruleNames.joined() ?? "·"
        }.joined()
    }

    static let selections: [(Selection, String)] = [
        (.all, "aaaaaaaa"), (.first(3), "aaa·····"), (.only(3), "··a·····"), (Selection(first: 6), "·····aaa"),
        (Selection(first: 2, last: 4), "·aaa····"), (Selection(step: 3), "a··a··a·"),
        (Selection(first: 2, last: 6, step: 2), "·a·a·a··"), (Selection(perMille: 0), "········"),
        (Selection(last: 1, step: .max), "a·······"), (Selection(first: .max), "········"),
    ]

    @Test("A range or a selection determines which requests a rule affects", arguments: selections)
    func select(selection: Selection, expected: String) {
        var book = FaultBook(rules: [.response("a", .hang, selection)])
        #expect(Self.acting(&book, 8) == expected)
        #expect((book.rules[0].matches, book.rules[0].acted) == (8, expected.filter { $0 == "a" }.count))
    }

    @Test("A per-mille selection depends on the seed but not on other rules")
    func perMille() {
        let rule = FaultRule.response("a", .hang, Selection(first: 101, step: 2, perMille: 300))
        var alone = FaultBook(rules: [rule], seed: 5)
        let luck = Self.acting(&alone, 10_100)
        let count = luck.filter { $0 == "a" }.count
        #expect((1350...1650).contains(count), "of 5,000 some 1,500")
        #expect(!luck.prefix(100).contains("a"))
        var among = FaultBook(
            rules: [
                .response("b", .hang, Selection(perMille: 500)), rule, .response("c", .hang, Selection(perMille: 1)),
            ],
            seed: 5)
        var seen = ""
        for _ in 0..<10_100 {
            seen += among.respond(to: .listGoals, at: .after(0))?.ruleNames.contains("a") == true ? "a" : "·"
        }
        #expect(seen == luck)
        var other = FaultBook(rules: [rule], seed: 6)
        #expect(Self.acting(&other, 10_100) != luck)
        var renamed = rule
        renamed.name = "z"
        var another = FaultBook(rules: [renamed], seed: 5)
        #expect(Self.acting(&another, 10_100).replacing("z", with: "a") != luck)
    }

    static let endpoints: [(Set<Endpoint>, Endpoint?, Bool)] = [
        ([], .listGoals, true), ([], nil, true), ([], .webSocket, false), ([.listGoals], .listGoals, true),
        ([.listGoals], .createGoal, false), ([.listGoals], nil, false), ([.listGoals, .createGoal], .createGoal, true),
        ([.webSocket], .webSocket, true),
    ]

    @Test("A pattern selects endpoints", arguments: endpoints)
    func route(rule: Set<Endpoint>, endpoint: Endpoint?, matches: Bool) {
        var book = FaultBook(rules: [.response("a", .hang, on: rule)])
        #expect((book.respond(to: endpoint, at: .after(0)) != nil) == matches)
        #expect(book.rules[0].matches == (matches ? 1 : 0))
    }

    @Test("A disabled rule does not count requests and keeps its count until it is enabled again")
    func enabling() {
        var book = FaultBook(rules: [.response("a", .hang, .only(3))])
        #expect(Self.acting(&book, 1) == "·")
        #expect(book.setEnabled(false, named: "a") == true)
        #expect(book.isEmpty)
        #expect(Self.acting(&book, 5) == "·····")
        #expect(book.rules[0].matches == 1)
        #expect(book.setEnabled(true, named: "a") == true)
        #expect(!book.isEmpty)
        #expect(Self.acting(&book, 3) == "·a·")
        #expect(book.setEnabled(true, named: "b") == false)
    }

    @Test("The first matching replacement wins")
    func order() throws {
        var book = FaultBook(rules: [
            .response("a", .delay(1)), .response("b", .replace(Replacement(status: 500))),
            .response("c", .malformedJSON),
            .response("d", .replace(Replacement(status: 503))), .response("e", .delay(2)),
        ])
        let acting = try unwrap(book.respond(to: nil, at: .after(0)))
        #expect((acting.ruleNames, acting.faults) == (["a", "b", "c", "e"], [.delay(1), .malformedJSON, .delay(2)]))
        #expect(
            acting.replacement
                == Replacement(status: 500, message: "A scenario answers this request with 500 (fault 'b')."))
        #expect(acting.answer(in: .union) == Replacement(status: 500).answer(rule: "b", in: .union))
        #expect((book.rules.map(\.matches), book.rules.map(\.acted)) == ([1, 1, 1, 1, 1], [1, 1, 1, 0, 1]))
        let response = try encode(body: "{}")
        #expect(acting.apply(to: response) == response.apply(acting.faults, seed: book.seed))
    }

    @Test("A rule fails only the first n requests")
    func flaky() {
        var book = FaultBook(rules: [.response("a", .replace(Replacement(status: 500)), on: [.createGoal], .first(2))])
        #expect(Self.acting(&book, 3, on: .listGoals) == "···")
        #expect(Self.acting(&book, 4, on: .createGoal) == "aa··")
    }

    /// The times of requests in milliseconds, each with its outcome: the seconds of Retry-After, or nil.
    static let quotas: [(requests: Int, window: Int64, retryAfter: Int?, [(Int64, Int?)])] = [
        (
            2, 10_000, nil,
            [
                (0, nil), (1, nil), (1, 10), (9_000, 1), (9_001, 1), (9_999, 1), (10_000, nil), (10_001, nil),
                (10_002, 10),
            ]
        ),
        (1, 1_500, nil, [(0, nil), (1, 2), (500, 1), (1_499, 1), (1_500, nil)]),
        (1, 10_000, 3, [(0, nil), (5, 3), (9_999, 3)]),
        (0, 1_000, nil, [(0, 1), (5_000, 1)]),
        // After a pause, the window starts with the next request, not at a fixed time.
        (1, 1_000, nil, [(0, nil), (1_700, nil), (2_500, 1), (2_700, nil)]),
        // A clock that goes backwards.
        (1, 1_000, nil, [(5_000, nil), (4_000, nil), (4_500, 1)]),
    ]

    @Test("A quota allows a limited number of requests per window", arguments: quotas)
    func quota(requests: Int, window: Int64, retryAfter: Int?, _ arrivals: [(Int64, Int?)]) {
        let replacement = Replacement(status: 429, retryAfter: retryAfter)
        var book = FaultBook(rules: [
            .response("q", .quota(requests: requests, window: window * millisecond, replacement))
        ])
        for (time, expected) in arrivals {
            let acting = book.respond(to: .listGoals, at: .after(time))
            #expect(acting?.replacement?.retryAfter == expected, "at \(time) ms")
            #expect((acting == nil) == (expected == nil))
        }
        #expect(book.rules[0].acted == arrivals.filter { $0.1 != nil }.count)
    }

    @Test("A quota also counts requests answered by other rules, and its message states the allowance")
    func quotaMessage() throws {
        var book = FaultBook(rules: [
            .response("a", .replace(Replacement(status: 500)), .only(1)),
            .response("q", .quota(requests: 1, window: 10 * second, Replacement(status: 429))),
        ])
        #expect(Self.acting(&book, 1) == "a")
        let acting = try unwrap(book.respond(to: .listGoals, at: .after(7_500)))
        #expect(acting.ruleNames == ["q"])
        #expect(
            text(acting.answer(in: .union)?.body ?? [])
                == #"{"success":false,"error":{"code":"TOO_MANY_REQUESTS","message":"A scenario allows 1 request in 10 s here (fault 'q'); try again in 3 s."}}"#
        )
    }

    @Test("Rule names are unique, and the number of rules is limited")
    func adding() throws {
        var book = FaultBook()
        #expect(book.isEmpty)
        #expect(book.respond(to: nil, at: .after(0)) == nil)
        try book.add(.response("a", .hang))
        #expect(throws: FaultBookError.duplicateName("a")) { try book.add(.response("a", .emptyReply)) }
        #expect(throws: FaultBookError.emptyName) { try book.add(.response("", .hang)) }
        let longest = String(repeating: "é", count: FaultLimits.ruleName / 2)
        try book.add(.response(longest, .hang))
        #expect(throws: FaultBookError.longName(longest + "x")) { try book.add(.response(longest + "x", .hang)) }
        #expect(book.remove(named: ExactString(longest)) == true)
        #expect(book.remove(named: ExactString(longest)) == false)
        for number in 1..<FaultLimits.rules { try book.add(.response("r\(number)", .hang)) }
        #expect(book.rules.count == FaultLimits.rules)
        #expect(throws: FaultBookError.tooManyRules(limit: 1000)) { try book.add(.response("more", .hang)) }
        #expect(book.remove(named: "a") == true)
        try book.add(.response("more", .hang))
        #expect(book.rules.last?.rule.name == "more")
    }

    @Test("Replacing the rules keeps the counts of unchanged rules")
    func reloading() throws {
        let (a, b) = (FaultRule.response("a", .hang, .first(9)), FaultRule.response("b", .hang))
        let quota = FaultRule.response("q", .quota(requests: 3, window: second, Replacement(status: 429)))
        var book = FaultBook(rules: [a, b, quota])
        #expect(Self.acting(&book, 2) == "abab")
        book.setEnabled(false, named: "a")
        var changed = b
        changed.selection = .only(1)
        try book.replaceRules([quota, .response("c", .delay(1)), changed, a])
        #expect((book.rules.map(\.rule.name), book.rules.map(\.matches)) == (["q", "c", "b", "a"], [2, 0, 0, 2]))
        #expect(book.rules.map(\.acted) == [0, 0, 0, 2])
        #expect(book.rules.map(\.rule.isEnabled) == [true, true, true, false])
        #expect(Self.acting(&book, 2) == "cbqc")
        #expect(throws: FaultBookError.duplicateName("a")) { try book.replaceRules([b, a, a]) }
        #expect(book.rules.count == 4, "refused as a whole")
        let many = (0...FaultLimits.rules).map { FaultRule.response("r\($0)", .hang) }
        #expect(throws: FaultBookError.tooManyRules(limit: 1000)) { try book.replaceRules(many) }
        try book.replaceRules(Array(many.dropLast()))
        #expect(book.rules.count == 1000)
    }

    @Test("The lowest draw matches a share of one per mille but not a share of zero")
    func lowestDraw() throws {
        let lowest = (UInt64(0)..<100_000).lazy.map { Chance(seed: $0) }.first { $0.next(below: 1000) == 0 }
        let chance = try #require(lowest)
        let isChosen = [0, 1].map { Selection(perMille: $0).contains(1, chance) }
        #expect(isChosen == [false, true])
    }

    @Test("Duplicate rule names and empty selections trap")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            _ = FaultBook(rules: [.response("a", .hang), .response("a", .hang)])
        }
        await #expect(processExitsWith: .failure) { _ = Selection(first: 2, last: 1) }
    }
}
