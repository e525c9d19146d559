import FitIQAPI

extension ContractCase {
    /// Too much of something: consultations, requests.
    static let limitCases: [ContractCase] = [
        ContractCase(
            "limit/consultations/429-tells-too-many",
            "Ten are active: the user is told, and the create is not repeated",
            clause: Clause(
                .consultationWebSocket, "HTTP errors, 429",
                "Too many active consultations: show an alert, suggest completing old ones."),
            setting: .builtIn("limit-reached"), faces: ["consultation/limit-stops-creating"],
            steps: [
                .start(.nutritionist), .until(.all([.problem(.tooMany), .idle]), within: .seconds(30)),
                .expect(.offline), .pass(.seconds(20)), .start(.wellnessSpecialist), .pass(.seconds(20)),
                .expect(.all([.problem(.tooMany), .offline])), .pass(.seconds(61)), .start(.nutritionist),
                .until(.idle, within: .seconds(30)), .expect(.offline),
            ]),
        ContractCase(
            "limit/consultations/room-after-archiving", "One is archived, and there is room at once",
            clause: Clause(
                .consultationWebSocket, "Issue: 429", "Complete some consultations before starting new ones."),
            setting: .written(
                """
                name: ten
                users:
                  - id: default
                    consultations:
                      - id: \(KnownID.consultation)
                        persona: nutritionist
                        created_at: 2d ago
                    fill_active_consultations: 10
                """), faces: ["consultation/limit-stops-creating"],
            steps: [
                .start(.wellnessSpecialist), .until(.all([.problem(.tooMany), .idle]), within: .seconds(30)),
                .open(KnownID.consultation), .untilReady, .archive,
                .until(.all([.offline, .idle]), within: .seconds(30)), .pass(.seconds(5)),
                .start(.wellnessSpecialist), .untilReady, .send("How do I sleep better?"), .untilAnswered(1),
                .disconnect,
            ]),
        ContractCase(
            "limit/requests/429-waits",
            "Five requests in ten seconds: more wait, and are no reason to speak of consultations",
            clause: .ours("A 429 that is about requests is told from one about consultations by its code."),
            setting: .builtIn("rate-limited"),
            steps: [
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)),
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)),
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .minutes(2)),
                .expect(.problemCount(.tooMany, 0)), .pass(.seconds(15)), .start(.nutritionist), .untilReady,
                .disconnect,
            ]),
    ]
}
