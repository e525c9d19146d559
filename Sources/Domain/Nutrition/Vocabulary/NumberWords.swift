/// The words for numbers.
enum NumberWords {
    /// Below one hundred; `twenty five` is the sum of its words.
    static let cardinals: [String: Double] = [
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
        "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
        "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
        "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    ]

    /// Parts of one; in the plural they multiply: `three quarters`.
    static let parts: [String: Double] = [
        "half": 0.5, "halves": 0.5, "quarter": 0.25, "quarters": 0.25, "third": 1.0 / 3, "thirds": 1.0 / 3,
    ]

    /// Numbers that are nouns: `a dozen eggs`, `two dozen`, `a couple of eggs`.
    static let collectives: [String: Double] = [
        "dozen": 12, "dozens": 12, "couple": 2, "pair": 2, "pairs": 2, "hundred": 100, "thousand": 1000,
    ]

    /// Vague words, and the number each is read as.
    static let vague: [String: Double] = ["few": 3, "several": 4]

    static let articles: Set<String> = ["a", "an"]
}
