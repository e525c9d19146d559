import FitIQAPI

extension WrittenAnswer {
    /// What anybody says who is greeted, thanked, or asked about something else.
    static let common: [WrittenAnswer] = [
        WrittenAnswer(
            nil,
            [
                "medication", "medicine", "diagnosis", "diagnose", "symptom", "disease", "pain", "injury",
                "injured", "prescription", "diabetes", "pregnant", "pregnancy", "doctor", "allergy", "allergic",
            ],
            """
            That's a question for a doctor or pharmacist, who can examine you and knows your history; I can't, and \
            I'd rather not guess. I'm happy to help with everyday habits around it. What have they told you so far?
            """),
        WrittenAnswer(
            nil,
            ["who are you", "are you real", "are you human", "robot", "what can you do", "your name", "are you an ai"],
            """
            I'm the built-in coach of a test server: I answer from a small book of written advice, always the same \
            way for the same question. That makes me rather predictable, and quite useful for trying out an app.
            """),
        WrittenAnswer(
            nil,
            [
                "weather", "football", "politics", "bitcoin", "stock", "movie", "film", "joke", "homework",
                "election", "capital of", "lottery", "programming",
            ],
            """
            That one is outside my field, I'm afraid; I'd only be guessing. What I do know about is eating, moving, \
            resting and feeling well. Shall we pick one of those and see what would help you today?
            """),
        WrittenAnswer(
            nil, ["thanks", "thank you", "thx", "cheers", "appreciate", "great advice", "that helps"],
            """
            You're very welcome! Come back whenever you like, and tell me how it went, even if it didn't go to plan. \
            That's often when we learn the most. Is there anything else on your mind today?
            """),
        WrittenAnswer(
            nil, ["bye", "goodbye", "see you", "good night", "talk later", "talk to you later"],
            """
            Take care, and be kind to yourself until we talk again. You needn't remember everything we said: pick \
            the one idea that felt lightest, and give it a try tomorrow. See you soon! 👋
            """),
        WrittenAnswer(
            nil, ["hello", "hi", "hey", "good morning", "good afternoon", "good evening", "hola", "bonjour"],
            """
            Hello, it's good to hear from you! Tell me what brings you here today: a question, a plan, or just how \
            things are going. There's no wrong place to begin, and we have as much time as you need.
            """),
    ]
}
