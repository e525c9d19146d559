import FitIQAPI

extension WrittenAnswer {
    /// What the fitness coach knows; the last three fit any question.
    static let fitnessCoach: [WrittenAnswer] = [
        WrittenAnswer(
            .fitnessCoach,
            ["beginner", "begin", "start", "starting", "new to", "first time", "out of shape", "never exercised"],
            """
            Welcome to the start! Three sessions a week of twenty minutes are plenty: squats, push-ups against a \
            table, rows with a bag, and a brisk walk. Finish each one feeling that you could have done a little \
            more.
            """),
        WrittenAnswer(
            .fitnessCoach,
            ["strength", "muscle", "lift", "weight", "dumbbell", "barbell", "stronger", "gym", "chest day"],
            """
            To get stronger, choose five big movements — squat, hinge, push, pull, carry — and do three sets of \
            eight, two or three times a week. When all sets feel smooth, add a little weight. Write it down, so that \
            you see it grow.
            """),
        WrittenAnswer(
            .fitnessCoach,
            ["run", "running", "jog", "cardio", "5k", "10k", "marathon", "endurance", "cycling", "bike", "swim"],
            """
            Run slower than you think you should: you ought to be able to talk in whole sentences. Start with one \
            minute of running and two of walking, ten times over. Add a minute each week, never everything at once.
            """),
        WrittenAnswer(
            .fitnessCoach,
            ["warm up", "stretch", "stretching", "mobility", "flexible", "flexibility", "stiff", "cool down"],
            """
            Five minutes of warming up is enough: march on the spot, circle your arms, ten slow squats, ten hip \
            hinges. Keep the long stretches for afterwards, when the muscles are warm, and hold each for three calm \
            breaths.
            """),
        WrittenAnswer(
            .fitnessCoach, ["rest", "rest day", "recovery", "recover", "sore", "soreness", "tired", "overtraining"],
            """
            Muscles grow while you rest, so a day off is part of the plan. If you're sore, take an easy walk or some \
            gentle stretching, drink enough, and go to bed early. Train that muscle again once stairs feel normal.
            """),
        WrittenAnswer(
            .fitnessCoach,
            [
                "motivation", "motivated", "motivate", "consistent", "consistency", "habit", "lazy", "give up",
                "discipline",
            ],
            """
            Motivation comes and goes; a routine stays. Fix the day and the hour, lay out your shoes the evening \
            before, and promise yourself only ten minutes. On most days you'll go on. On the others, ten minutes \
            still count. 💪
            """),
        WrittenAnswer(
            .fitnessCoach,
            ["busy", "no time", "short on time", "quick workout", "ten minutes", "lunch break", "15 minutes"],
            """
            No time? Set a timer for ten minutes and go round: ten squats, ten push-ups, ten lunges, a thirty-second \
            plank. Rest when you need to. Done three times a week, that's a respectable programme.
            """),
        WrittenAnswer(
            .fitnessCoach, ["home workout", "at home", "no equipment", "living room", "bodyweight", "without a gym"],
            """
            Your living room is gym enough. Squats, push-ups, glute bridges, planks and step-ups on a sturdy chair \
            train the whole body. Do three rounds of ten each, and slow the movement down when it becomes too easy.
            """),
        WrittenAnswer(
            .fitnessCoach, ["form", "technique", "squat", "deadlift", "push up", "posture", "plank", "how do i do"],
            """
            For a good squat, stand a little wider than your hips, push them back as if to a chair, and keep your \
            heels down. Film yourself from the side; three clean repetitions teach more than ten rushed ones.
            """),
        WrittenAnswer(
            .fitnessCoach, ["step", "walk", "walking", "daily movement", "sitting", "desk", "active"],
            """
            Walking is the most underrated exercise there is. Find out what you do on a normal day, then add a \
            thousand steps: one stop earlier off the bus, a call on foot, a turn around the block after dinner.
            """),
        WrittenAnswer(
            .fitnessCoach, ["plateau", "stuck", "no progress", "not improving", "progress", "stall"],
            """
            A plateau usually asks for a change of one thing. Sleep more for two weeks, or take a lighter week, or \
            swap an exercise for its cousin. Change one, keep the rest, and we'll see what moved the needle.
            """),
        WrittenAnswer(
            .fitnessCoach, ["plan", "program", "programme", "schedule", "week", "routine", "split"],
            """
            Here's a week that works for many:
            Monday: whole-body strength
            Wednesday: easy cardio, thirty minutes
            Friday: whole-body strength
            Weekend: something outdoors that you enjoy
            Everything else is rest. Which of those days is hardest for you?
            """),
        WrittenAnswer(
            .fitnessCoach, ["lose weight", "weight loss", "burn fat", "belly", "lose fat", "slim"],
            """
            Exercise helps with weight best when you enjoy it enough to repeat it. Combine two strength sessions \
            with plenty of walking, and leave the plate to the kitchen. No exercise takes fat off one place alone, \
            whatever the advert says.
            """),
        WrittenAnswer(
            .fitnessCoach, ["age", "older", "senior", "balance", "knee friendly", "low impact", "gentle"],
            """
            Gentle does not mean useless: swimming, cycling, tai chi and chair squats build strength and balance at \
            any age. Begin with what feels safe, hold on to something when you balance, and add a little every \
            second week.
            """),
        WrittenAnswer(
            .fitnessCoach, [],
            """
            Good question. Tell me what you did last week — everything counts, even the stairs — and what you'd like \
            your body to be able to do in three months. Then we'll draw a straight line from one to the other.
            """),
        WrittenAnswer(
            .fitnessCoach, [],
            """
            Let's keep it practical. Pick two days this week and twenty minutes on each, and put them into your \
            calendar like an appointment. What you do then matters less than that you turn up. Which days suit you?
            """),
        WrittenAnswer(
            .fitnessCoach, [],
            """
            There is more than one right way, so let's choose the one that you will repeat. Do you prefer training \
            alone or in company, indoors or outside, in the morning or after work?
            """),
    ]
}
