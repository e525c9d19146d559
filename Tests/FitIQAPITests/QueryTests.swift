import Testing

@testable import FitIQAPI

typealias Query = [(name: String, value: String)]

@Suite("The query for consultations") struct ConsultationListQueryTests {
    @Test("An empty query selects the first page of twenty consultations")
    func defaults() throws {
        let query = try ConsultationListQuery(query: [])
        #expect(query.page == Page(number: 1, size: 20) && query.isArchived == nil && query.persona == nil)
        #expect(query.contextType == nil)
    }

    @Test("A list query reads every known parameter and ignores unknown parameters")
    func everything() throws {
        let query = try ConsultationListQuery(query: [
            ("context_type", "mood"), ("Page", "x"), ("page", "3"), ("is_archived", "false"), ("sort", "asc"),
            ("page_size", "7"), ("persona", "fitness_coach"), ("", ""),
        ])
        #expect(query.page == Page(number: 3, size: 7) && query.isArchived == false)
        #expect(query.persona == .fitnessCoach && query.contextType == .mood)
    }

    @Test("If a parameter is repeated, only its first value is used", arguments: ["x", "9", ""])
    func repeated(second: String) throws {
        let query = try ConsultationListQuery(query: [
            ("page", "2"), ("page", second), ("is_archived", "true"), ("is_archived", second),
        ])
        #expect(query.page.number == 2 && query.isArchived == true)
        #expect(refusal(try ConsultationListQuery(query: [("page", "x"), ("page", "2")])) != nil)
    }

    static let pages: [(String, Int)] = [
        ("1", 1), ("2", 2), ("007", 7), ("9223372036854775807", .max), ("0000000000000000000000000001", 1),
    ]

    @Test("A page number is at least 1 and may be beyond the end of the list", arguments: pages)
    func page(value: String, number: Int) throws {
        #expect(try ConsultationListQuery(query: [("page", value)]).page.number == number)
        #expect(try MessageListQuery(query: [("page", value)], in: .union).page == Page(number: number, size: 50))
    }

    @Test("The apps' parameters have an effect only for the apps")
    func forApps() throws {
        let query: Query = [("limit", "7"), ("status", "x"), ("from", "x"), ("to", "x")]
        #expect(try ConsultationListQuery(query: query) == ConsultationListQuery(query: []))
        #expect(try MessageListQuery(query: query, in: .union) == MessageListQuery(query: [], in: .union))
        let span: Query = [("limit", "7"), ("status", "active"), ("from", "2025-01-29"), ("to", "2025-01-29")]
        let list = try ConsultationListQuery(query: span, isForApps: true)
        #expect(list.page == Page(number: 1, size: 7) && list.status == .active)
        let messages = try MessageListQuery(query: span, in: .union, isForApps: true)
        #expect(messages.page == list.page && messages.created == list.created)
        let first = try #require(DateTime("2025-01-29T00:00:00Z"))
        #expect(list.created.first == first)
        #expect(list.created.last == DateTime(secondsSinceEpoch: first.secondsSinceEpoch + 86_399))
    }

    @Test("The largest offset gives an empty page even with one item per page")
    func lastOffset() throws {
        let query: Query = [("offset", "9223372036854775807"), ("limit", "1")]
        let pages = [
            try ConsultationListQuery(query: query, isForApps: true).page,
            try GoalListQuery(query: query, isForApps: true).page ?? Page(number: 1, size: 1),
            try DocumentListQuery(query: query, of: .listSleep, in: .sleep, at: .example).page,
        ]
        for page in pages { #expect(page.number == .max && page.range(of: 3).isEmpty && !page.hasNext(of: 3)) }
    }

    static let notNumbers = [
        "", " ", "0", "00", "-1", "+5", "-0", "1.0", "1e1", "0x1", " 1", "1 ", "1,000", "x", "null", "true",
        "9223372036854775808", "99999999999999999999999999", "１", "٣", "1\u{0}", "½",
    ]

    static let allowed: KeyValuePairs<String, ClosedRange<Int>> = ["page": 1...Int.max, "page_size": 1...100]

    @Test("The error for a page parameter names its range and the value", arguments: allowed, notNumbers)
    func badPage(parameter: (key: String, value: ClosedRange<Int>), value: String) {
        let (query, expected) = (
            [(parameter.key, value)] as Query, APIError.outOfRange(parameter.key, allowed: parameter.value, got: value)
        )
        #expect(refusal(try ConsultationListQuery(query: query)) == expected)
        #expect(refusal(try MessageListQuery(query: query, in: .union)) == expected)
    }

    @Test("A page size from 1 to 100 is accepted", arguments: 0...102)
    func pageSize(size: Int) {
        let query: Query = [("page_size", "\(size)")]
        let attempt = refusal(try ConsultationListQuery(query: query))
        #expect((attempt == nil) == (1...100).contains(size))
        #expect(refusal(try MessageListQuery(query: query, in: .union)) == attempt)
    }

    @Test(
        "A Boolean parameter must be true or false",
        arguments: ["", "0", "1", "yes", "True", "FALSE", "t", "null", " true"])
    func badFlag(value: String) {
        #expect(
            refusal(try ConsultationListQuery(query: [("is_archived", value)]))
                == .unknownChoice("is_archived", got: value, allowed: ["true", "false"]))
    }

    @Test(
        "A filter accepts only the personas and contexts in the guides",
        arguments: ["", "all", "Nutritionist", "fitness-coach", "goals"])
    func badChoice(value: String) {
        for (name, allowed) in [
            ("persona", Persona.allCases.map(\.rawValue)), ("context_type", ContextType.allCases.map(\.rawValue)),
        ] {
            let expected = APIError.unknownChoice(name, got: value, allowed: allowed)
            #expect(refusal(try ConsultationListQuery(query: [(name, value)])) == expected)
            #expect(refusal(try QuickActionQuery(query: [(name, value)])) == expected)
        }
    }

    static let messages: KeyValuePairs<Query, String> = [
        [("page", "+5")]: "The parameter 'page' must be a whole number of at least 1; got \"+5\".",
        [("page_size", "101")]: "The parameter 'page_size' must be a whole number from 1 to 100; got \"101\".",
        [("is_archived", "yes")]: #"'is_archived' must be one of "true", "false"; got "yes"."#,
        [("is_archived", "True")]: #"'is_archived' must be one of "true", "false"; got "True". Did you mean "true"?"#,
        [("context_type", "goals")]:
            #"'context_type' must be one of "general", "goal", "insight", "mood", "journal"; got "goals". Did you mean "goal"?"#,
    ]

    @Test("An error message quotes the input and lists the allowed values", arguments: messages)
    func message(query: Query, message: String) {
        let refusal = refusal(try ConsultationListQuery(query: query))
        #expect(refusal?.message == message && refusal?.status == .badRequest && refusal?.code == .validationFailed)
    }

    @Test("Filters select by archive flag, persona and context", arguments: Persona.allCases, ContextType.allCases)
    func matches(persona: Persona, context: ContextType) throws {
        for status in ConsultationStatus.allCases {
            var consultation = Consultation(
                id: .numbered(1), userID: "u", persona: persona, context: ConsultationContext(context), goalID: nil,
                title: nil, createdAt: .example)
            consultation.status = status
            for archived in ["true", "false"] {
                let query = try ConsultationListQuery(query: [("is_archived", archived)])
                #expect(query.matches(consultation.kind) == (archived == "\(status == .archived)"))
            }
            #expect(try ConsultationListQuery(query: []).matches(consultation.kind))
            for other in Persona.allCases {
                let query = try ConsultationListQuery(query: [("persona", other.rawValue)])
                #expect(query.matches(consultation.kind) == (other == persona))
            }
            for other in ContextType.allCases {
                let query = try ConsultationListQuery(query: [
                    ("context_type", other.rawValue), ("persona", persona.rawValue),
                ])
                #expect(query.matches(consultation.kind) == (other == context))
            }
        }
    }
}

@Suite("The query for messages") struct MessageListQueryTests {
    static let table: [(Query, Page?)] = [
        ([], nil), ([("x", "1")], nil), ([("page", "2")], Page(number: 2, size: 50)),
        ([("page_size", "10")], Page(number: 1, size: 10)),
        ([("page_size", "10"), ("page", "3")], Page(number: 3, size: 10)),
    ]

    @Test("Without a page or a size, the query selects all messages", arguments: table)
    func page(query: Query, page: Page?) throws { #expect(try MessageListQuery(query: query, in: .union).page == page) }
}

@Suite("The query for quick actions") struct QuickActionQueryTests {
    @Test(
        "A query for quick actions may have a context and a persona", arguments: Persona.allCases, ContextType.allCases)
    func choices(persona: Persona, context: ContextType) throws {
        let (personaItem, contextItem) = (
            (name: "persona", value: persona.rawValue), (name: "context_type", value: context.rawValue)
        )
        let both = try QuickActionQuery(query: [contextItem, personaItem])
        #expect(both.persona == persona && both.contextType == context)
        let personaOnly = try QuickActionQuery(query: [personaItem, ("page", "x")])
        #expect(personaOnly.persona == persona && personaOnly.contextType == nil)
        let contextOnly = try QuickActionQuery(query: [contextItem])
        #expect(contextOnly.persona == nil && contextOnly.contextType == context)
    }
}

@Suite("The query for goals") struct GoalListQueryTests {
    /// The goal is in progress, belongs to the category "fitness", and was created on 2025-01-29.
    static let table: [(Query, Bool)] = [
        ([], true), ([("status", "active")], true), ([("status", "in_progress")], true),
        ([("status", "not_started")], false), ([("status", "completed")], false), ([("category", "fitness")], true),
        ([("category", "Fitness")], false), ([("from", "2025-01-29")], true), ([("from", "2025-01-30")], false),
        ([("to", "2025-01-29")], true), ([("to", "2025-01-28")], false),
        ([("status", "active"), ("category", "sleep")], false),
    ]

    @Test("Goals are selected by status in either vocabulary, by category and by time", arguments: table)
    func matches(query: Query, isMatch: Bool) throws {
        let goals = try GoalListQuery(query: query, isForApps: true)
        #expect(goals.matches(GoalTests.full) == isMatch && goals.isForAll == query.isEmpty)
    }
}

@Suite("Creation time ranges") struct CreationSpanTests {
    /// The bounds in seconds after the example.
    static let table: [(first: Int64?, last: Int64?, contains: Bool)] = [
        (nil, nil, true), (0, nil, true), (nil, 0, true), (0, 0, true), (-1, 1, true), (1, nil, false),
        (nil, -1, false), (1, 2, false), (-2, -1, false),
    ]

    @Test("A time range includes the whole seconds at both ends", arguments: table)
    func bounds(first: Int64?, last: Int64?, contains: Bool) {
        let start = Timestamp.example.secondsSinceEpoch
        var span = CreationSpan()
        span.first = first.map { DateTime(secondsSinceEpoch: start + $0) }
        span.last = last.map { DateTime(secondsSinceEpoch: start + $0) }
        for nanoseconds: Int64 in [0, 999_999_999] {
            #expect(span.contains(.example.advanced(byNanoseconds: nanoseconds)) == contains)
        }
    }
}
