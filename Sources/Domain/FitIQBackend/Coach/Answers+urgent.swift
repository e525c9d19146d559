import FitIQAPI

extension WrittenAnswer {
    /// What anybody says first of all where someone may be in danger.
    static let urgent: [WrittenAnswer] = [
        WrittenAnswer(
            nil,
            [
                "suicide", "suicidal", "kill myself", "hurt myself", "harm myself", "self harm", "end my life",
                "want to die",
            ],
            """
            I'm really glad that you told me, and I'm worried about you. Please talk to someone right now: your \
            local emergency number, a crisis line, or a person you trust who can be with you. You don't have to \
            carry this alone.
            """),
        WrittenAnswer(
            nil,
            [
                "chest pain", "cannot breathe", "cant breathe", "fainted", "passed out", "emergency", "overdose",
                "ambulance",
            ],
            """
            That can be serious, and I can't judge it from here. Please stop what you're doing and call your local \
            emergency number, or ask someone near you to do it. We can talk about everything else later.
            """),
    ]
}
