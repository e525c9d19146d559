/// The words in meals that are neither foods nor amounts.
enum Words {
    /// Words between foods.
    static let separators: Set<String> = [
        "and", "with", "plus", "then", "on", "in", "alongside", "followed", "over", "or", "into", "inside", "onto",
        "atop", "accompanied", "along", "to", "by", "n", "also", "but",
    ]

    /// Words before foods that were not eaten.
    static let negations: Set<String> = ["no", "without", "not", "minus", "skip", "skipped", "hold", "except", "w/o"]

    /// Words that say nothing about the food.
    static let fillers: Set<String> = set(
        """
        meals days can could would will did do does oclock st nd rd th between i ive im we my our the this that these
        those me us it its there is was were are be been am pm had have has having ate eat eaten eating drank drink
        drinking drunk got get grabbed made make cooked consumed enjoyed took log logged add added for breakfast lunch
        dinner supper brunch snack snacks dessert starter meal today yesterday tonight morning afternoon evening night
        noon midnight now just only about around approximately approx roughly circa ca almost nearly maybe perhaps
        some any more another other additional of from at as per each fresh freshly organic homemade healthy delicious
        tasty yummy nice good great lovely usual favorite favourite leftover leftovers bit lot lots plenty little side
        sides topped topping served which ones please hi hello hey so very really bunch amount size sized style a an
        calories calorie kcal cal cals day first second finally later after before during while home work gym
        restaurant cafe store bought serve mine his her their approximate pinch dash sprinkle
        """)

    /// Fillers that follow an article and are not amounts: `a bit of`.
    static let vagueNouns = set("side bit lot little bunch amount pinch dash sprinkle")

    /// Adjectives that stay in the name and do not change the facts.
    static let neutral: Set<String> = set(
        """
        hot cold iced warm chilled plain natural ripe red green yellow white black brown orange purple dark whole
        chopped sliced diced grated shredded minced peeled crushed melted mixed crispy crunchy soft hard salted
        unsalted decaf decaffeinated italian mexican spicy seedless boneless thick thin medium frozen regular normal
        rare wholegrain wholemeal mashed mild strong clear canned tinned bottled instant brewed filtered english
        french greek asian thai indian chinese japanese grainy streaky toasted baby pure real smooth extra
        """)

    /// Cooking methods that do not change the facts of a cooked food.
    static let cooked: Set<String> = set(
        "cooked boiled steamed grilled baked roasted roast broiled poached barbecued bbq seared braised stewed microwaved"
    )

    /// Adjectives that change the facts in an unknown way unless they are in the food's name.
    static let uncounted: Set<String> = set(
        """
        fried sauteed battered breaded smoked pickled stuffed glazed candied creamy creamed buttered sweetened
        unsweetened raw uncooked lean skinless light lite diet zero vegan vegetarian protein double triple mini dried
        skim skimmed scrambled salty sugary sugared honeyed caramelized caramelised loaded crusted curried marinated
        """)

    /// Words for sizes; the table has weights for some foods.
    static let sizes: [String: PieceSize] = ["small": .small, "medium": .medium, "large": .large, "big": .large]

    /// Two-word adjectives; the lexer drops a dash between letters, so `low-fat` is `low fat`.
    static let phrases: [[String]: Standing] = [
        ["low", "fat"]: .uncounted, ["fat", "free"]: .uncounted, ["non", "fat"]: .uncounted,
        ["reduced", "fat"]: .uncounted, ["full", "fat"]: .uncounted, ["half", "fat"]: .uncounted,
        ["sugar", "free"]: .uncounted, ["low", "carb"]: .uncounted, ["low", "calorie"]: .uncounted,
        ["high", "protein"]: .uncounted, ["deep", "fried"]: .uncounted, ["stir", "fried"]: .uncounted,
        ["pan", "fried"]: .uncounted, ["air", "fried"]: .cooked, ["hard", "boiled"]: .cooked,
        ["soft", "boiled"]: .cooked, ["oven", "baked"]: .cooked, ["gluten", "free"]: .neutral,
        ["dairy", "free"]: .neutral, ["lactose", "free"]: .neutral, ["caffeine", "free"]: .neutral,
        ["extra", "virgin"]: .neutral, ["extra", "large"]: .uncounted, ["extra", "lean"]: .uncounted,
        ["medium", "rare"]: .neutral, ["well", "done"]: .neutral, ["free", "range"]: .filler,
        ["grass", "fed"]: .filler, ["side", "of"]: .filler, ["o", "clock"]: .filler,
    ]

    /// The effect of an adjective on an item.
    enum Standing: Sendable {
        case neutral, cooked, uncounted, size, filler
        /// A size in inches or centimeters, which means one piece.
        case dimension
    }

    /// The role of a word, or nil if it is not in these lists.
    static func standing(of word: String) -> Standing? {
        if sizes[word] != nil { return .size }
        if cooked.contains(word) { return .cooked }
        if uncounted.contains(word) { return .uncounted }
        if word.hasSuffix("%") { return word == "100%" ? .neutral : .uncounted }
        if neutral.contains(word) { return .neutral }
        return fillers.contains(word) ? .filler : nil
    }

    static let acronyms: Set<String> = ["bbq", "oj", "blt", "pbj"]

    static func set(_ words: String) -> Set<String> {
        Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}

enum NumberWords {
    /// Numbers below one hundred; `twenty five` is the sum of its words.
    static let cardinals: [String: Double] = [
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
        "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
        "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
        "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    ]

    /// Fractions; plurals multiply: `three quarters`.
    static let parts: [String: Double] = [
        "half": 0.5, "halves": 0.5, "quarter": 0.25, "quarters": 0.25, "third": 1.0 / 3, "thirds": 1.0 / 3,
        "fourth": 0.25, "fourths": 0.25, "fifth": 0.2, "fifths": 0.2, "sixth": 1.0 / 6, "sixths": 1.0 / 6,
        "eighth": 0.125, "eighths": 0.125, "tenth": 0.1, "tenths": 0.1,
    ]

    /// The endings of fractions in digits: `1/3rd`.
    static let ordinalEndings = Words.set("nd nds rd rds th ths")

    /// Numbers that are nouns: `a dozen eggs`, `two dozen`, `a couple of eggs`.
    static let collectives: [String: Double] = [
        "dozen": 12, "dozens": 12, "doz": 12, "couple": 2, "pair": 2, "pairs": 2, "hundred": 100, "thousand": 1000,
    ]

    /// Vague words and their numbers.
    static let vague: [String: Double] = ["few": 3, "several": 4]
    static let articles: Set<String> = ["a", "an"]
}
