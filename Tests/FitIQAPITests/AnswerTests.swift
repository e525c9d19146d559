import Testing

@testable import FitIQAPI

/// The bodies of success responses, byte by byte.
@Suite("Answers") struct AnswerTests {
    static let plain = Consultation(
        id: .numbered(1), userID: "user-1", persona: .generalWellness, context: .general, goalID: nil, title: nil,
        createdAt: .example)

    static let full: Consultation = {
        var consultation = Consultation(
            id: .numbered(2), userID: "Zoë \"😀\"", persona: .fitnessCoach,
            context: ConsultationContext(.goal, id: "00000000-0000-4000-8000-000000000009"), goalID: .numbered(9),
            title: "A/B \\", createdAt: .example)
        consultation.status = .archived
        consultation.updatedAt = Timestamp.example.advanced(byNanoseconds: 5_999_999_999)
        consultation.lastMessageAt = Timestamp.example.advanced(byNanoseconds: 4_000_000_000)
        consultation.messageCount = 12
        return consultation
    }()

    static let plainItem =
        #"{"id":"00000000-0000-4000-8000-000000000001","consultation_id":"00000000-0000-4000-8000-000000000001","#
        + #""user_id":"user-1","persona":"general_wellness","status":"active","started_at":"2025-01-29T10:30:00Z","#
        + #""message_count":0,"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z","#
        + #""context_type":"general","is_active":true,"is_archived":false,"has_context_for_goal_suggestions":false}"#

    static let fullItem =
        #"{"id":"00000000-0000-4000-8000-000000000002","consultation_id":"00000000-0000-4000-8000-000000000002","#
        + #""user_id":"Zoë \"😀\"","persona":"fitness_coach","status":"archived","started_at":"2025-01-29T10:30:00Z","#
        + #""message_count":12,"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:05Z","#
        + #""goal_id":"00000000-0000-4000-8000-000000000009","context_type":"goal","#
        + #""context_id":"00000000-0000-4000-8000-000000000009","title":"A/B \\","is_active":false,"is_archived":true,"#
        + #""last_message_at":"2025-01-29T10:30:04Z","has_context_for_goal_suggestions":true}"#

    @Test("A list shows each consultation in the same form as a get request")
    func listItem() {
        #expect(text(Self.plain.listItem(in: .union)) == Self.plainItem)
        #expect(text(Self.full.listItem(in: .union)) == Self.fullItem)
        var answered = Self.plain
        (answered.isAnswered, answered.quickAction, answered.context) = (true, "Plan it", ConsultationContext(.goal))
        let members = #","quick_action":"Plan it","has_context_for_goal_suggestions":true}"#
        #expect(text(answered.listItem(in: .union)).hasSuffix(members))
        #expect(text(answered.listItem(in: .union)).contains(#""context_type":"goal","context_id":null,"#))
        for guide in GuideMode.guides {
            let item = text(answered.listItem(in: guide))
            #expect(!item.contains("quick_action") && !item.contains("has_context"), "\(guide)")
        }
    }

    @Test("The union's answer contains a consultation in every guide's form")
    func unionBody() {
        func body(_ consultation: Consultation) -> String {
            text(consultation.body(answering: .showConsultation, in: .union, origin: "http://127.0.0.1:8080"))
        }
        #expect(
            body(Self.plain)
                == #"{"success":true,"data":\#(Self.plainItem.dropLast()),"consultation":\#(Self.plainItem)},"#
                + #""consultation_id":"00000000-0000-4000-8000-000000000001","#
                + #""id":"00000000-0000-4000-8000-000000000001","userId":"user-1","goalId":null,"#
                + #""persona":{"id":"general_wellness","name":"Wellness Coach","#
                + #""avatar":"http://127.0.0.1:8080/avatars/general_wellness.svg"},"#
                + #""createdAt":"2025-01-29T10:30:00Z","updatedAt":"2025-01-29T10:30:00Z","messageCount":0,"#
                + #""lastMessageAt":null}"#)
        #expect(
            body(Self.full)
                == #"{"success":true,"data":\#(Self.fullItem.dropLast()),"consultation":\#(Self.fullItem)},"#
                + #""consultation_id":"00000000-0000-4000-8000-000000000002","#
                + #""id":"00000000-0000-4000-8000-000000000002","userId":"Zoë \"😀\"","#
                + #""goalId":"00000000-0000-4000-8000-000000000009","#
                + #""persona":{"id":"fitness_coach","name":"Fitness Coach","#
                + #""avatar":"http://127.0.0.1:8080/avatars/fitness_coach.svg"},"#
                + #""createdAt":"2025-01-29T10:30:00Z","updatedAt":"2025-01-29T10:30:05Z","messageCount":12,"#
                + #""lastMessageAt":"2025-01-29T10:30:04Z"}"#)
    }

    @Test("The answer distinguishes completed from archived consultations", arguments: ConsultationStatus.allCases)
    func status(status: ConsultationStatus) {
        var consultation = Self.plain
        consultation.status = status
        let item = text(consultation.listItem(in: .union))
        #expect(item.contains(#""status":"\#(status.rawValue)""#))
        #expect(item.contains(#""is_active":\#(status == .active),"is_archived":\#(status == .archived)"#))
    }

    static let pages: [(Page, total: Int, pages: Int, hasNext: Bool, hasPrevious: Bool)] = [
        (Page(number: 1, size: 20), 0, 0, false, false), (Page(number: 1, size: 20), 20, 1, false, false),
        (Page(number: 1, size: 20), 21, 2, true, false), (Page(number: 2, size: 20), 21, 2, false, true),
        (Page(number: 2, size: 5), 21, 5, true, true), (Page(number: 9, size: 5), 21, 5, false, true),
    ]

    @Test("A page states its position in the list", arguments: pages)
    func pagination(page: Page, total: Int, pages: Int, hasNext: Bool, hasPrevious: Bool) {
        let json =
            #"{"page":\#(page.number),"page_size":\#(page.size),"total_pages":\#(pages),"total_count":\#(total),"#
            + #""has_next":\#(hasNext),"has_prev":\#(hasPrevious)}"#
        func body(_ name: String, _ list: String) -> String {
            #"{"success":true,"data":{"\#(name)":\#(list),"pagination":\#(json)}}"#
        }
        let bodies = [
            ListAnswers.consultations(["{}".bytes, "[1]".bytes], page: page, total: total),
            ListAnswers.consultations([], page: page, total: total),
            ListAnswers.messages("x{},{}".bytes.dropFirst(), page: page, total: total, in: .union),
            ListAnswers.messages([], page: page, total: total, in: .union),
        ]
        #expect(
            bodies.map(text) == [
                body("consultations", "[{},[1]]"), body("consultations", "[]"), body("messages", "[{},{}]"),
                body("messages", "[]"),
            ])
    }

    @Test("The answer to a refresh also has the tokens at the top level", arguments: [false, true])
    func tokens(isFlat: Bool) {
        let (token, secret) = (AccessToken(subject: "sarah", expiresAt: 1_738_146_600), [1, 2] as [UInt8])
        let refresh = token.signed(with: AccessToken.refreshSecret(of: secret))
        let members = #""access_token":"\#(token.signed(with: secret))","refresh_token":"\#(refresh)""#
        let pair = TokenPair(access: token, refresh: token)
        let body = isFlat ? pair.body(signedWith: secret, isFlat: true) : pair.body(signedWith: secret)
        #expect(text(body) == #"{"success":true,"data":{\#(members)}\#(isFlat ? "," + members : "")}"#)
    }

    @Test("Quick actions omit absent members")
    func quickActions() {
        let actions = [
            QuickAction(prompt: "P", description: "D", contextType: .mood, persona: .nutritionist, category: "c"),
            QuickAction(prompt: "\"Q\"", contextType: .general),
        ]
        #expect(
            text(ListAnswers.quickActions(actions))
                == #"{"success":true,"data":{"quick_actions":[{"prompt":"P","description":"D","context_type":"mood","#
                + #""persona":"nutritionist","category":"c"},{"prompt":"\"Q\"","context_type":"general"}],"count":2}}"#)
        #expect(text(ListAnswers.quickActions([])) == #"{"success":true,"data":{"quick_actions":[],"count":0}}"#)
    }
}
