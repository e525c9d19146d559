import FitIQAPI

extension WrittenAnswer {
    /// What the nutritionist knows; the last three fit any question.
    static let nutritionist: [WrittenAnswer] = [
        WrittenAnswer(
            .nutritionist, ["breakfast", "morning meal", "start the day", "porridge", "oats"],
            """
            For breakfast, I recommend something with protein and fibre: plain yogurt with berries and a handful of \
            oats, or two eggs on whole-grain toast. Either keeps most people full until lunch. What do you usually \
            have in the morning?
            """),
        WrittenAnswer(
            .nutritionist, ["lunch", "sandwich", "lunch box", "midday", "canteen"],
            """
            A lunch that holds you through the afternoon has three parts: a palm of protein, a fist of whole grains, \
            and two fists of vegetables. Leftover chicken, rice and a crunchy salad does it — no recipe needed.
            """),
        WrittenAnswer(
            .nutritionist, ["dinner", "supper", "evening meal", "tonight", "cook tonight"],
            """
            Keep dinner simple: half the plate vegetables, a quarter protein, a quarter potatoes, rice or pasta. \
            Baked salmon with green beans and new potatoes takes half an hour and leaves you lunch for tomorrow. \
            Which vegetables do you like best?
            """),
        WrittenAnswer(
            .nutritionist,
            ["snack", "craving", "hungry", "hunger", "sweet tooth", "sugar", "chocolate", "between meals"],
            """
            Cravings often mean the last meal was too small or too long ago. Try an apple with peanut butter, or a \
            handful of nuts, and wait fifteen minutes. If you still want the chocolate, have two squares and enjoy \
            them. 🍫
            """),
        WrittenAnswer(
            .nutritionist, ["protein", "tofu", "lentil", "chickpea", "bean", "muscle food"],
            """
            Spread protein over the day instead of saving it for dinner: twenty to thirty grams at each meal suits \
            most active people. Eggs, yogurt, fish, lentils and tofu all count. Which meal of yours has the least?
            """),
        WrittenAnswer(
            .nutritionist, ["water", "hydration", "hydrate", "drink", "thirsty", "coffee", "tea", "soda"],
            """
            Keep a glass of water where you work and drink one with every meal; that alone brings most people to a \
            good amount. Tea and coffee count too. Pale yellow is a fair sign that you've had enough. 💧
            """),
        WrittenAnswer(
            .nutritionist,
            [
                "lose weight", "weight loss", "losing weight", "lose fat", "calorie", "calorie deficit", "overeat",
                "portion",
            ],
            """
            Slow change lasts. Rather than counting everything, fill half of each plate with vegetables, keep \
            protein at every meal, and leave out one sugary drink a day. Small steps like these add up over months. \
            Which feels easiest?
            """),
        WrittenAnswer(
            .nutritionist, ["vegetable", "salad", "green", "fruit", "fibre", "fiber", "five a day"],
            """
            Add vegetables to what you already cook: spinach into pasta sauce, grated carrot into porridge or \
            pancakes, a handful of frozen peas into rice. Aim for three colours a day, and let fruit be the easy \
            dessert.
            """),
        WrittenAnswer(
            .nutritionist,
            [
                "meal prep", "meal plan", "plan my meals", "prepare", "batch cook", "shopping list", "groceries",
                "grocery", "plan",
            ],
            """
            Here is a plan for a quiet Sunday:
            1. Cook one grain and one pot of beans or chicken.
            2. Roast a tray of vegetables.
            3. Mix a jar of dressing.
            Now four weekday lunches need nothing but a bowl and five minutes.
            """),
        WrittenAnswer(
            .nutritionist,
            [
                "before a workout", "after a workout", "before training", "after training", "pre workout",
                "post workout", "workout", "before a run", "recovery meal",
            ],
            """
            Before training, eat something easy one to two hours ahead: a banana, or toast with honey. Afterwards, a \
            normal meal with protein and carbohydrates within a couple of hours is enough — shakes are a \
            convenience, not a duty.
            """),
        WrittenAnswer(
            .nutritionist,
            ["restaurant", "eating out", "eat out", "takeaway", "takeout", "café", "holiday food", "menu"],
            """
            At a restaurant or café, look at the menu before you're hungry. Choose grilled over fried, ask for the \
            dressing on the side, and start with a soup or a salad. Then enjoy the evening; one meal never decides \
            anything.
            """),
        WrittenAnswer(
            .nutritionist, ["vegan", "vegetarian", "plant based", "meat free", "dairy free"],
            """
            A plant-based week works well with a little planning. Combine beans or lentils with whole grains, keep \
            nuts and seeds at hand, and pick a plant milk with added calcium. With no animal foods at all, ask about \
            vitamin B12.
            """),
        WrittenAnswer(
            .nutritionist, ["label", "ingredient", "packaged", "processed", "supermarket", "additive"],
            """
            On a label, read the ingredients first: they stand in order of weight. If sugar, under any of its names, \
            is among the first three, look for a plainer version. Fewer and familiar ingredients are usually the \
            better choice.
            """),
        WrittenAnswer(
            .nutritionist, ["food diary", "log my meals", "track my food", "meal log", "log"],
            """
            Logging works best when it's quick: write what you ate and roughly how much, right after the meal. Look \
            at it once a week for a pattern, not every evening for mistakes. What would you like to find out?
            """),
        WrittenAnswer(
            .nutritionist, [],
            """
            Let's begin with how you eat now rather than how you should. Describe an ordinary weekday to me, from \
            the first coffee to the last snack, and we'll choose one change that is small enough to keep.
            """),
        WrittenAnswer(
            .nutritionist, [],
            """
            While we sort this out, one habit helps almost everyone: sit down for meals, eat slowly, and pause halfway \
            to ask whether you're still hungry. What gets in the way most often for you — time, appetite, money, or \
            company?
            """),
        WrittenAnswer(
            .nutritionist, [],
            """
            That is a good thing to look into. I'd like to know a little more first: what did you eat yesterday, and \
            how did you feel two hours after each meal? Patterns tell us more than single days.
            """),
    ]
}
