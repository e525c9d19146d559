import FitIQAPI

extension WrittenAnswer {
    /// What the wellness coach knows; the last three fit any question.
    static let generalWellness: [WrittenAnswer] = [
        WrittenAnswer(
            .generalWellness, ["goal", "target", "resolution", "objective", "achieve", "ambition"],
            """
            Let's make your goal so small that it's hard to fail. What could you do in ten minutes, today, that \
            points in its direction? Choose a day to look back, and judge the doing rather than the result. 🎯
            """),
        WrittenAnswer(
            .generalWellness, ["habit", "routine", "consistent", "stick with", "keep going", "discipline"],
            """
            New habits hold on to old ones. Put yours right after something you never forget: coffee, brushing your \
            teeth, locking the door. Keep it under two minutes for the first week — you can always do more.
            """),
        WrittenAnswer(
            .generalWellness, ["energy", "tired", "exhausted", "fatigue", "drained"],
            """
            When energy is low, I look at four things in order: sleep, daylight, food, movement. Which of them was \
            worst this week? Improve that one a little for seven days, leave the others alone, and tell me what \
            changes.
            """),
        WrittenAnswer(
            .generalWellness, ["sleep", "asleep", "bed", "insomnia", "night", "bedtime"],
            """
            Sleep is the quiet partner of every other goal. Keep one wake-up time all week, have your last coffee \
            before two, and let the final half hour be boring. Small, dull steps — and they work surprisingly often.
            """),
        WrittenAnswer(
            .generalWellness, ["stress", "stressed", "anxious", "overwhelmed", "pressure", "calm", "relax"],
            """
            Let's take some weight off first. Put everything that's on your mind on a list, cross out what can wait \
            a month, and pick one item for today. Then take three slow breaths before you begin.
            """),
        WrittenAnswer(
            .generalWellness,
            ["eat", "food", "meal", "nutrition", "diet", "healthy eating", "breakfast", "lunch", "dinner"],
            """
            Eating well needs no perfect plan. Put vegetables on half the plate, have protein at each meal, and cook \
            once for two days. If that happens five days out of seven, you're doing very well.
            """),
        WrittenAnswer(
            .generalWellness, ["exercise", "workout", "fitness", "train", "training", "move", "active", "walk", "gym"],
            """
            The best exercise is the one you'll repeat. Start with a walk of fifteen minutes after a meal, and two \
            short strength sessions at home each week. After a month we'll see what you enjoyed and add to that.
            """),
        WrittenAnswer(
            .generalWellness,
            ["motivation", "motivated", "motivate", "give up", "lazy", "procrastinate", "unmotivated"],
            """
            Waiting for motivation is like waiting for a bus that may not come. Start walking: two minutes of the \
            thing, that's all. Action tends to bring the mood along, rather than the other way round. What's your \
            two-minute version?
            """),
        WrittenAnswer(
            .generalWellness,
            ["progress", "track", "tracking", "measure", "result", "improve", "insight", "trend", "number"],
            """
            One number rarely tells the story. Choose something you do, like walks per week, and something you feel, \
            like energy at noon. Note both for three weeks, and then we'll read the trend together instead of single \
            days.
            """),
        WrittenAnswer(
            .generalWellness, ["balance", "busy", "work", "time", "life", "priority", "priorities"],
            """
            A balanced life isn't balanced every day. Look at the whole week: is there something for your body, \
            something for your mind, and someone you like? If one is missing, give it thirty minutes on Saturday.
            """),
        WrittenAnswer(
            .generalWellness, ["mood", "feel", "feeling", "sad", "happy", "emotion", "emotional"],
            """
            Thanks for telling me. Moods are like weather: worth noticing, and always moving. Give today's a name \
            and a number from one to ten, and note what happened just before. After a week we may well see a \
            pattern.
            """),
        WrittenAnswer(
            .generalWellness, ["start", "begin", "where do i", "first step", "help me", "new here", "overview"],
            """
            Here is how we could begin:
            1. Pick one area: food, movement, sleep or calm.
            2. Choose one step that takes ten minutes.
            3. Tell me on Friday how it went.
            Which area would make the biggest difference for you?
            """),
        WrittenAnswer(
            .generalWellness, ["journal", "reflect", "reflection", "write", "diary", "gratitude", "lesson"],
            """
            Looking back is half the work. Ask yourself three questions on Sunday evening: what went well, what was \
            hard, and what will I try differently? Two lines for each are enough, and they're worth keeping.
            """),
        WrittenAnswer(
            .generalWellness, ["weekend", "holiday", "vacation", "travel", "party", "birthday"],
            """
            Enjoy it, truly! Keep just one anchor while your routine is away: a morning walk, or a vegetable at \
            every meal, or your usual bedtime. One anchor makes Monday much easier — and the cake tastes better \
            without guilt. 🎂
            """),
        WrittenAnswer(
            .generalWellness, ["weight", "lose weight", "weight loss", "body", "scale"],
            """
            Your weight is one signal among many, and it wobbles from day to day. Look at the average of a week, and \
            put your effort into what you control: meals, steps, sleep. What has helped you in the past?
            """),
        WrittenAnswer(
            .generalWellness, [],
            """
            I'm glad you asked. To give you something that fits, I'd like a little background: what does a normal \
            day look like for you, and which part of it would you most like to change?
            """),
        WrittenAnswer(
            .generalWellness, [],
            """
            Let's look at the whole picture: sleep, food, movement, people, rest. Give each a score from one to ten, \
            quickly and without thinking too long. We'll start with the lowest that you also feel like changing.
            """),
        WrittenAnswer(
            .generalWellness, [],
            """
            Small and steady beats big and brief. Choose one thing that you could do even on your worst day of the \
            week, and do only that until Sunday. Déjà vu? Good advice is often the same advice.
            """),
    ]
}
