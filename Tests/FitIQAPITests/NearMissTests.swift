import Testing

@testable import FitIQAPI

@Suite("Near misses") struct NearMissTests {
    static let personas = Persona.allCases.map(\.rawValue)

    static let table: [(String, String?)] = [
        ("nutritionist", "nutritionist"), ("nutritonist", "nutritionist"), ("Nutritionist", "nutritionist"),
        ("NUTRITIONIST", "nutritionist"), ("fitnessCoach", "fitness_coach"), ("fitness-coach", "fitness_coach"),
        ("wellness", nil), ("wellness_coach", "fitness_coach"), ("general", nil),
        ("generalWellness", "general_wellness"), ("", nil), ("x", nil), ("doctor", nil), ("😀😀😀", nil),
        (String(repeating: "n", count: 101), nil), (String(repeating: "n", count: 1_000_000), nil),
    ]

    @Test("are found where at most half of the text differs", arguments: table)
    func nearest(text: String, expected: String?) {
        #expect(NearMiss.nearest(to: text, among: Self.personas) == expected)
    }

    @Test("take the first of equally near candidates, and none of no candidates")
    func ties() {
        #expect(NearMiss.nearest(to: "abcx", among: ["abcd", "abce"]) == "abcd")
        #expect(NearMiss.nearest(to: "abcx", among: ["abce", "abcd"]) == "abce")
        #expect(NearMiss.nearest(to: "abcx", among: []) == nil)
    }

    static let distances: [(String, String, Int)] = [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("flaw", "lawn", 2),
        ("saturday", "sunday", 3), ("ab", "ba", 2), ("aaaa", "a", 3), ("gumbo", "gambol", 2), ("abc", "xabc", 1),
    ]

    @Test("count edits as Levenshtein does, both ways", arguments: distances)
    func distance(left: String, right: String, expected: Int) {
        #expect(NearMiss.editDistance(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(NearMiss.editDistance(Array(right.utf8), Array(left.utf8)) == expected)
    }
}
