import FitIQAPI
import Testing

@testable import ContractSuite

@Suite("Expectations of a client report")
struct ClientExpectationTests {
    /// An observation from the middle of a case.
    private static let observation: ObservedState = {
        var report = ClientReport()
        report.consultation = "c1"
        report.connection = .connected
        report.transcript = [
            .init(role: .user, text: "How much?"), .init(role: .assistant, text: "About 1.6 g."),
            .init(role: .user, text: "And today?"), .init(role: .assistant, text: "The sa", isComplete: false),
        ]
        report.problems = [.init(kind: .chat, message: "The coach is overloaded.")]
        report.goals = [
            .init(id: "g1", title: "Run", conversation: "c1"), .init(id: "g2", title: "Sleep"),
            .init(id: "g3", title: "Swim", conversation: "c2"), .init(id: "g4", title: "Swim"),
        ]
        report.meals = [
            .init(id: "m1", text: "eggs", status: .completed, calories: 140),
            .init(id: "m2", text: "stone", status: .failed, error: "No food."),
            .init(id: "m3", text: "pie", status: .completed, calories: 300, protein: 4.2, items: ["Pie"]),
            .init(id: nil, text: "eggs", status: .processing),
        ]
        report.templates = [.init(type: "meal", name: "Dinner")]
        report.isBusy = true
        let stored = [
            StoredMessage(role: .user, text: "How much?"), StoredMessage(role: .assistant, text: "About 1.6 g."),
            StoredMessage(role: .user, text: "And today?"),
        ]
        return ObservedState(report: report, stored: stored)
    }()

    @Test(
        "A met expectation reports no failure",
        arguments: [
            ClientExpectation.connection(.connected), .continues("c1"), .transcriptAsStored,
            .transcriptEndsAsStored(atLeast: 2), .completeAnswersAreStored, .line(.user, containing: "today"),
            .noLine(containing: "tomorrow"), .answers(1),
            .streaming, .problem(.chat), .problem(.chat, containing: "overloaded"), .problemCount(.chat, 1),
            .problemCount(.tooMany, 0), .goal("Run"), .goalCount("Swim", 2), .goalCount("Fly", 0), .goalLinked("Run"),
            .goalUnlinked("Sleep"), .meal("eggs", .processing), .mealError("stone", containing: "food"),
            .all([.streaming, .goal("Run")]), .all([]), .lines(atMost: 4), .goalParted("Run", from: "c2"), .answersGrow,
            .template(type: "meal", name: "Dinner"), .mealResult("eggs", .failed), .mealResult("bread", .failed),
            .mealResult("pie", .completed, calories: 300), .mealContents("pie", protein: 4, items: ["Pie"]),
            .checking(.unknown, .streaming),
        ])
    func met(_ expectation: ClientExpectation) { #expect(expectation.failure(in: Self.observation) == nil) }

    @Test(
        "The failure message for an unmet expectation shows the expected and actual values",
        arguments: [
            (.connection(.failed), "the client to have given up on the connection", "it as connected", nil),
            (.offline, "no connection and no attempt to connect", "it as connected", nil),
            (.continues("c2"), "the chat to belong to the existing consultation c2", "the consultation c1", .conflict),
            (.noConsultation, "no consultation", "the consultation c1", nil),
            (
                .line(.assistant, containing: "today"), #"a message from the assistant that contains "today""#,
                messages,
                nil
            ),
            (
                .noLine(containing: "today"), #"no message that contains "today""#,
                #""And today?" from the user, complete"#, nil
            ),
            (.answers(2), "2 complete answers", messages, nil),
            (.problem(.tooMany, containing: "10"), #"a problem of kind too_many that contains "10""#, problem, .limit),
            (.problemCount(.chat, 2), "2 problems of kind chat", problem, .serverError),
            (.problem(.chat, containing: "10"), #"a problem of kind chat that contains "10""#, problem, .serverError),
            (.noProblem, "no problem", problem, nil),
            (.goalCount("Run", 2), #"the goal "Run" 2 times"#, goals, nil),
            (.goal("Fly"), #"the goal "Fly""#, goals, nil),
            (.goalLinked("Sleep"), #"the goal "Sleep" to be linked to the open consultation"#, goals, nil),
            (.goalLinked("Fly"), #"the goal "Fly" to be linked to the open consultation"#, goals, nil),
            (.goalLinked("Swim"), #"the goal "Swim" to be linked to the open consultation"#, goals, nil),
            (.goalUnlinked("Swim"), #"the goal "Swim" not to be linked to any consultation"#, goals, nil),
            (.goalUnlinked("Fly"), #"the goal "Fly" not to be linked to any consultation"#, goals, nil),
            (
                .meal("eggs", .completed, calories: 140), #"the meal "eggs" to be completed with 140 kcal"#,
                "it as processing", nil
            ),
            (.meal("bread", .completed), #"the meal "bread" to be completed"#, "no such meal", nil),
            (
                .mealError("stone", containing: "why"),
                #"the meal "stone" to be shown as failed, with a reason that contains "why""#,
                #"it as failed and the reason "No food.""#, .failedMeal
            ),
            (
                .idle, "no work in progress",
                "that work is under way (connection connected, 1 incomplete messages, 1 meals being processed)", nil
            ),
            (.lines(atMost: 3), "at most 3 messages", messages, .newestMessages),
            (
                .goalParted("Run", from: "c1"), #"the goal "Run" not to be linked to c1, which no longer exists"#,
                goals, .goneConversation
            ),
            (
                .template(type: "workout", name: "Dinner"), #"the workout "Dinner" from the coach"#,
                #"the meal "Dinner""#, .template
            ),
            (.quickActions, "questions to be suggested", "none", nil),
            (
                .mealResult("pie", .completed, calories: 140),
                #"the meal "pie" to have no result other than completed with 140 kcal"#, pie, .ownMeal
            ),
            (
                .mealContents("pie", protein: 5, items: ["Pie"]),
                #"the meal "pie" with 5.0 g of protein, made of "Pie""#, pie, .mealContents
            ),
            (.checking(.unknown, .all([.problem(.tooMany)])), "a problem of kind too_many", problem, .unknown),
            (.all([.streaming, .noProblem]), "no problem", problem, nil),
        ] as [(ClientExpectation, String, String, InsideCheck?)])
    func unmet(_ expectation: ClientExpectation, _ expected: String, _ shown: String, _ check: InsideCheck?) {
        #expect(
            expectation.failure(in: Self.observation)?()
                == CaseFailure(message: "Expected \(expected), but the client showed \(shown).", check: check))
    }

    @Test(
        "An unmet expectation names the member that the client never reports",
        arguments: [
            (.quickActions, "quick_actions"), (.template(type: "meal", name: "Dinner"), nil),
            (.mealContents("eggs", protein: 12, items: []), "items"),
            (.mealContents("pie", protein: 12, items: []), nil),
            (.all([.idle, .checking(.refusal, .quickActions)]), "quick_actions"), (.noProblem, nil),
        ] as [(ClientExpectation, String?)])
    func unsaid(_ expectation: ClientExpectation, _ member: String?) {
        #expect(expectation.unsaid(in: Self.observation.report) == member)
    }

    @Test("The failure for a closed chat quotes the message that the user saw")
    func brokenConnection() {
        var observation = Self.observation
        observation.report.connection = .failed
        #expect(
            ClientExpectation.connection(.connected).failure(in: observation)?().message
                == #"Expected the connection to be connected, but the client showed it as failed, after reporting "#
                + #"chat ("The coach is overloaded.")."#)
    }

    private static let messages = #"4 messages, the last one "The sa" from the assistant, incomplete"#
    private static let problem = #"chat ("The coach is overloaded.")"#
    private static let pie = #"it as completed with 300 kcal and 4.2 g of protein, made of "Pie""#
    private static let goals =
        #""Run" linked to c1, "Sleep" without a consultation, "Swim" linked to c2 and "Swim" without a "#
        + "consultation; its open chat is c1"

    private static let question = line("How much?", .user)

    @Test(
        "The failure message for a wrong transcript shows where it differs from the server's",
        arguments: [
            ([], "0 messages where the server has 2"),
            ([question], #"1 message where the server has 2, the last one "How much?" from the user, complete"#),
            (
                [question, line("About 1.6")],
                #""About 1.6" from the assistant, complete where the server has "About 1.6 g." from the assistant"#
            ),
            (
                [question, line("About 1.6 g.", .user)],
                #""About 1.6 g." from the user, complete where the server has "About 1.6 g." from the assistant"#
            ),
            (
                [line("How much?", .user, false), line("About 1.6 g.")],
                #""How much?" from the user, incomplete where the server has "How much?" from the user"#
            ),
            (
                [question, line("About 1.6 g."), line("About 1.6 g.")],
                #"3 messages where the server has 2, the last one "About 1.6 g." from the assistant, complete"#
            ),
        ] as [([ClientReport.Line], String)])
    func transcript(_ lines: [ClientReport.Line], _ shown: String) {
        var observation = ObservedState()
        observation.report.transcript = lines
        observation.stored = Array(Self.observation.stored.prefix(2))
        let message = "Expected the transcript to match the server's messages, but the client showed \(shown)."
        #expect(
            ClientExpectation.transcriptAsStored.failure(in: observation)?()
                == CaseFailure(message: message, check: .transcript))
    }

    @Test("A complete answer must be stored on the server, but an incomplete answer need not be")
    func cutAnswers() {
        var observation = Self.observation
        observation.report.transcript[3].isComplete = true
        #expect(ClientExpectation.completeAnswersAreStored.failure(in: observation)?().check == .cutStream)
        // The position of an answer does not matter.
        observation = Self.observation
        observation.report.transcript.removeFirst()
        #expect(ClientExpectation.completeAnswersAreStored.failure(in: observation) == nil)
    }

    @Test("A streaming answer must show its beginning exactly once")
    func beginnings() {
        var observation = ObservedState()
        let expectation = ClientExpectation.answersBegin("About 1.6 g.")
        let shown = ["": true, "About": true, "About 1.6 g.": true, "AboutAbout": false, "1.6": false]
        for (text, isMet) in shown {
            observation.report.transcript = [
                .init(role: .user, text: "How much?"), .init(role: .assistant, text: text, isComplete: false),
            ]
            let failure = expectation.failure(in: observation)?()
            #expect((failure == nil) == isMet && (isMet || failure?.check == .transcript), "\(text)")
        }
    }

    @Test("An arriving answer may only grow until it is complete")
    func growth() {
        func shows(_ before: String, _ after: String, isComplete: Bool = false, newAnswer: Bool = false) -> Bool {
            var observation = ObservedState()
            observation.before = [
                .init(role: .user, text: "How?"), .init(role: .assistant, text: before, isComplete: isComplete),
            ]
            // A message that is still waiting comes last.
            observation.report.transcript =
                (newAnswer ? observation.before : [])
                + [.init(role: .assistant, text: after), .init(role: .user, text: "And?", isDelivered: false)]
            let failure = ClientExpectation.answersGrow.failure(in: observation)?()
            #expect(failure == nil || failure?.check == .transcript)
            return failure == nil
        }
        #expect(shows("About", "About") && shows("About", "About 1.6 g.") && shows("", "About"))
        #expect(!shows("About", "1.6 g.") && !shows("About ", "About"))
        #expect(shows("About", "1.6 g.", isComplete: true) && shows("About", "1.6 g.", newAnswer: true))
    }

    @Test("A transcript may omit older messages if it shows at least the expected number")
    func newest() {
        var observation = Self.observation
        observation.report.transcript.removeFirst()
        #expect(ClientExpectation.transcriptAsStored.failure(in: observation) != nil)
        #expect(ClientExpectation.transcriptEndsAsStored(atLeast: 2).failure(in: observation) == nil)
        #expect(ClientExpectation.transcriptEndsAsStored(atLeast: 3).failure(in: observation) != nil)
        observation.stored = Array(observation.stored.prefix(1))
        #expect(
            ClientExpectation.transcriptEndsAsStored(atLeast: 1).failure(in: observation) != nil,
            "there is more than stored")
    }

    @Test("A transcript matches whether or not the server stored an undelivered message")
    func undelivered() {
        let lost = ClientReport.Line(role: .user, text: "Hi", isDelivered: false)
        let rows: [([ClientReport.Line], StoredMessage)] = [
            ([lost], StoredMessage(role: .user, text: "Hi")),
            ([Self.line("Bye", .user), lost], StoredMessage(role: .user, text: "Bye")),
            ([Self.line("Hi"), lost], StoredMessage(role: .assistant, text: "Hi")),
        ]
        for (lines, stored) in rows {
            var observation = ObservedState()
            observation.report.transcript = lines
            observation.stored = [stored]
            #expect(ClientExpectation.transcriptAsStored.failure(in: observation) == nil, "\(stored)")
        }
    }

    @Test("The checks for duplicate and lost messages apply only to the user's messages")
    func saidByUser() {
        let (question, answer) = (StoredMessage(role: .user, text: "Hi"), StoredMessage(role: .assistant, text: "Yes."))
        for (stored, isMet) in [([question, answer, answer], true), ([question, answer, question], false)] {
            let failure = ClientExpectation.storedOnce.failure(in: ObservedState(stored: stored))
            #expect((failure == nil) == isMet, "\(stored)")
        }
        let lines: [(ClientReport.Line, Bool)] = [
            (Self.line("Hi", .user), true), (Self.line("Hello", .user), false), (Self.line("No."), true),
            (ClientReport.Line(role: .user, text: "Hello", isDelivered: false), true),
        ]
        for (line, isMet) in lines {
            var observation = ObservedState(stored: [question])
            observation.report.transcript = [line]
            let failure = ClientExpectation.deliveredIsStored.failure(in: observation)
            #expect((failure == nil) == isMet, "\(line)")
        }
    }

    @Test("An answer is streaming from its first text until it is complete")
    func streaming() {
        for (text, isComplete, isMet) in [("The sa", false, true), ("", false, false), ("The same.", true, false)] {
            var observation = ObservedState()
            observation.report.transcript = [Self.line(text, .assistant, isComplete)]
            #expect((ClientExpectation.streaming.failure(in: observation) == nil) == isMet, "\(text)")
        }
    }

    @Test("A problem counts as fresh if the list of problems has grown since the user's request")
    func freshProblems() {
        var observation = Self.observation
        #expect(ClientExpectation.freshProblem.failure(in: observation) == nil)
        observation.oldProblemCount = 1
        #expect(ClientExpectation.freshProblem.failure(in: observation) != nil)
    }

    @Test("Only expecting the too-many-consultations problem covers the limit check")
    func checks() {
        #expect(ClientExpectation.problemCount(.tooMany, 0).checks.isEmpty)
        #expect(ClientExpectation.problemCount(.tooMany, 1).checks == [.limit])
    }

    @Test("A quotation has at most 60 characters")
    func quotations() {
        let text = String(repeating: "a", count: 60)
        #expect(Messages.quoted(text) == "\"\(text)\"")
        #expect(Messages.quoted(text + "a") == "\"\(text.dropLast())…\"")
    }

    private static func line(_ text: String, _ role: MessageRole = .assistant, _ isComplete: Bool = true)
        -> ClientReport.Line
    { ClientReport.Line(role: role, text: text, isComplete: isComplete) }

    @Test(
        "Durations are shown in their largest whole unit",
        arguments: [
            (.zero, "0 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min"), (.seconds(90), "90 s"), (.hours(3), "3 h"),
            (.milliseconds(1500), "1.5 s"), (.milliseconds(7), "0.007 s"), (.milliseconds(60_250), "60.25 s"),
        ] as [(Duration, String)])
    func durations(_ duration: Duration, _ text: String) { #expect(Messages.text(duration) == text) }
}
