import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Messages about refused data") struct PlantErrorTests {
    private static let id = ResourceID.numbered(1)
    private static let now = World.start

    static let sentences: KeyValuePairs<PlantError.Problem, String> = [
        .duplicateID(id):
            "The id 00000000-0000-4000-8000-000000000001 occurs twice, but ids must be unique in a world: omit "
            + "it to have one issued.",
        .duplicateUser("a"): "The user \"a\" occurs twice; put all of the user's data into one entry.",
        .duplicateName("run"): "Two of this user's goals are called \"run\"; give each goal a different name.",
        .duplicateAddress("a@b.c"):
            "Another user already has the address \"a@b.c\" (case is ignored); each account needs a different address.",
        .notAnAddress("a"): "\"a\" is not an email address such as \"ada@example.com\".",
        .issuedIDs(-1, maximum: 9): "-1 ids cannot have been issued; the number must be from 0 to " + "9.",
        .unknownGoal(.named("run")): "This user has no goal called \"run\"; add a goal with this name or id.",
        .unknownGoal(.id(id)):
            "This user has no goal with the id 00000000-0000-4000-8000-000000000001; add a goal with this name or id.",
        .missingContextGoal:
            "The context is a goal, but no goal is named; name one of the user's goals, or use another context.",
        .strayContextGoal(.mood):
            "The context is \"mood\", so the consultation cannot be about a goal; set the context to \"goal\", or link "
            + "the goal with linked_goal.",
        .strayContextID(.general):
            "The context \"general\" has no context_id; omit it, or set the context to \"insight\", \"mood\" or "
            + "\"journal\".",
        .linkedAndUnlinked:
            "The consultation cannot be both unlinked and linked to a goal; omit unlinked or linked_goal.",
        .duplicateTopic(Topic(persona: .fitnessCoach, context: ConsultationContext(.mood, id: "x"))):
            "The user already has an active consultation with the fitness_coach about \"mood x\", and one is the "
            + "limit; archive one of the two, or use another persona or context.",
        .tooManyActive(limit: 10): "A user may have at most 10 active consultations; archive or omit some.",
        .twoConversations(other: "users[0].consultations[1]"):
            "The goal is already linked to users[0].consultations[1], and can have only one conversation; "
            + "set is_goals_conversation: false in one of the two consultations.",
        .beyondTheBeginning(now.advanced(byNanoseconds: 1), now: now):
            "2025-01-29T10:30:00.000000001Z is after 2025-01-29T10:30:00Z, when the world begins; set an "
            + "earlier time, or omit it.",
        .negativeAge(-5):
            "-5 ns before the world begins is after the world's start; set a duration of 0 or more, or omit it.",
        .beforeTheCalendar(5):
            "5 ns before the world begins is before 1678, the earliest supported year; set a shorter duration.",
        .outOfOrder(now, earlier: now.advanced(byNanoseconds: 500_000_000), "it was created"):
            "2025-01-29T10:30:00Z is before 2025-01-29T10:30:00.5Z, when it was created; set that time or a later one, "
            + "or omit it.",
        .finishedWhileProcessing:
            "A meal log that is being processed has not finished; omit the time, or change the status.",
        .length(0, allowed: 1...200): "The text has 0 characters, but must have 1 to 200.",
        .tooManyBytes(9, limit: 8): "The text has 9 bytes; the limit is 8: make it shorter.",
        .blank: "The text is blank; write something other than white space.",
        .number(1.5, allowed: 0...1): "1.5 is not a number from 0 to 1.",
        .negative(-1): "-1 is negative; it must be 0 or more.",
        .tooMany("goals", 3, limit: 2): "There are 3 goals, but the limit is 2: omit some.",
        .storeFull(limit: 7):
            "A world can hold at most 7 bytes, and this world is already full; omit this data and the data after it.",
    ]

    @Test("Each message is a complete sentence", arguments: sentences)
    func sentence(problem: PlantError.Problem, sentence: String) {
        let error = PlantError("p", problem)
        #expect((error.path, error.message, error.description) == ("p", sentence, "p: " + sentence))
        #expect(error.isForWantOfRoom == sentence.hasPrefix("A world can hold"))
    }

    @Test(
        "A message shows times to the nanosecond",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000000001Z"), (500_000_000, "1970-01-01T00:00:00.5Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"), (120_000_000, "1970-01-01T00:00:00.12Z"),
            (.max, "2262-04-11T23:47:16.854775807Z"), (.min + 1_000_000_000, "1677-09-21T00:12:44.145224192Z"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, text: String) {
        #expect(Timestamp(nanosecondsSinceEpoch: nanoseconds).preciseText == text)
    }
}
