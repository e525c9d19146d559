import FitIQAPI

extension WrittenAnswer {
    /// What the wellness specialist knows; the last three fit any question.
    static let wellnessSpecialist: [WrittenAnswer] = [
        WrittenAnswer(
            .wellnessSpecialist, ["stress", "stressed", "pressure", "tense", "deadline", "stressful"],
            """
            That sounds like a lot at once. Before we solve anything, let your shoulders drop and breathe out \
            slowly, twice as long as you breathe in. Then tell me: which single thing on your list weighs the most?
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["sleep", "asleep", "insomnia", "bed", "bedtime", "night", "nap", "awake", "wake up"],
            """
            Good sleep begins in the morning: get up at the same time every day, and see some daylight early. In the \
            evening, dim the lights an hour before bed and leave the phone in another room. How many nights a week \
            are bad?
            """),
        WrittenAnswer(
            .wellnessSpecialist,
            ["anxious", "anxiety", "worry", "worried", "worries", "nervous", "overwhelmed", "panic", "fear"],
            """
            Worries grow in the dark, so let's put them on paper. Draw two columns: what you can influence today, \
            and what you can't. Do one small thing from the first. For the second, one slow breath each is enough.
            """),
        WrittenAnswer(
            .wellnessSpecialist,
            ["breathe", "breathing", "breath", "meditate", "meditation", "mindful", "mindfulness", "calm", "relax"],
            """
            Try this now: breathe in for four counts, hold for two, breathe out for six. Repeat five times, and feel \
            your feet on the floor. Your thoughts will wander — that's what thoughts do. Just come back to the \
            counting.
            """),
        WrittenAnswer(
            .wellnessSpecialist,
            ["burnout", "burned out", "work life balance", "overworked", "overtime", "boss", "workload", "job"],
            """
            When work spills into everything, a clear ending helps. Choose a time, write tomorrow's three tasks on a \
            card, and close the computer. A short walk afterwards tells your body that the day is over. What hour \
            would be realistic?
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["phone", "screen", "social media", "scrolling", "scroll", "notification", "digital"],
            """
            Make the phone a little harder to reach: no notifications but calls, and a charger outside the bedroom. \
            Replace one scroll a day with something for your hands, like tea, a crossword or a plant. Notice what \
            you gain. 🌿
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["morning routine", "routine", "habit", "ritual", "morning"],
            """
            A gentle morning needs only three things: light, water and movement. Open the curtains, drink a glass of \
            water, stretch for two minutes. Tie the new habit to one you already have — after brushing your teeth, \
            for instance.
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["lonely", "loneliness", "alone", "friend", "connection", "family", "relationship"],
            """
            Feeling alone is hard, and it is more common than it looks. Small contacts help: a message to someone \
            you've not heard from, a chat with a neighbour, a class that meets every week. Who comes to mind first?
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["sad", "low", "down", "unhappy", "cry", "crying", "upset", "bad day", "mood"],
            """
            I'm sorry that today feels heavy. You don't have to fix it at once. Eat something warm, step outside for \
            ten minutes, and let one person know. If it lasts for weeks, a doctor or therapist is a good companion.
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["grateful", "gratitude", "happy", "joy", "good day", "proud", "thankful"],
            """
            How lovely! Let it last: write down three details of it, as small as you like — the light, a sentence, a \
            taste. On a grey day you can read them again, and your mind learns where to look. ✨
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["journal", "journaling", "write", "writing", "diary", "reflect", "reflection"],
            """
            Write for five minutes without lifting the pen, and without judging it. If the page stays empty, begin \
            with one of these:
            - Right now I feel…
            - What I need most is…
            - Today surprised me because…
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["tired", "energy", "exhausted", "fatigue", "drained", "sluggish"],
            """
            Low energy has many doors, so we'll try the nearest first: regular sleep, daylight before noon, a proper \
            lunch, and a pause before you need it. Rate your energy from one to ten, three times a day, for one \
            week.
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["nature", "outside", "outdoors", "park", "garden", "fresh air", "sunlight"],
            """
            Twenty minutes among trees calm most people noticeably. You needn't hike; a bench in a park will do. \
            Leave the headphones at home, and find five things you can see, four you can hear, and three you can \
            touch.
            """),
        WrittenAnswer(
            .wellnessSpecialist, ["angry", "anger", "furious", "frustrated", "irritated", "irritable", "argument"],
            """
            Anger often guards something that matters to you. Give it ninety seconds: cool water on your wrists, a \
            few stairs, no messages. Then finish this sentence: “I was angry because I needed…” What would come \
            next?
            """),
        WrittenAnswer(
            .wellnessSpecialist, [],
            """
            Thank you for bringing that up. Let's look at it without hurry: when did you notice it first, what makes \
            it lighter, and what makes it heavier? Even a rough answer gives us somewhere to begin.
            """),
        WrittenAnswer(
            .wellnessSpecialist, [],
            """
            Wellness is rarely one big decision; it's many small ones, repeated. Choose one moment of the day that \
            is already yours, and tell me how you'd like it to feel. We'll build from there, naïve as that may \
            sound.
            """),
        WrittenAnswer(
            .wellnessSpecialist, [],
            """
            I hear you. Before any advice, one question: what have you already tried, and what did you learn from \
            it? You know your life best, and I'd rather add to what works than start again.
            """),
    ]
}
