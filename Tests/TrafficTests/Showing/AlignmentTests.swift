import Testing

@testable import Traffic

@Suite("Alignment")
struct AlignmentTests {
    @Test(
        "The longest common subsequence is found",
        arguments: [
            ("", "", 0), ("a", "", 0), ("abc", "abc", 3), ("abcd", "acbd", 3), ("abcabba", "cbabac", 4),
            ("xaby", "ab", 2), ("gpg", "pg", 2), ("aaaa", "aa", 2), ("abc", "xyz", 0),
        ])
    func longest(_ first: String, _ second: String, _ length: Int) {
        let (left, right) = (Array(first), Array(second))
        let alignment = Alignment(left, right)
        #expect(alignment.pairs.count == length)
        for pair in alignment.pairs { #expect(left[pair.first] == right[pair.second]) }
        for (pair, next) in zip(alignment.pairs, alignment.pairs.dropFirst()) {
            #expect(pair.first < next.first && pair.second < next.second)
        }
        #expect((alignment.pairs.map(\.first) + alignment.onlyFirst).sorted() == Array(left.indices))
        #expect((alignment.pairs.map(\.second) + alignment.onlySecond).sorted() == Array(right.indices))
    }

    @Test("Of two that are as long, the later in the first list is taken")
    func tie() {
        let alignment = Alignment(Array("ab"), Array("ba"))
        #expect(alignment.pairs.map(\.first) == [1] && alignment.pairs.map(\.second) == [0])
        #expect(alignment.onlyFirst == [0] && alignment.onlySecond == [1])
    }

    @Test("Long lists are paired in turn, in a moment")
    func long() {
        // Every key moved by one place, all between two that are not there on the other side.
        let left = [-1] + (0..<20_000).map { $0 % 300 } + [-2]
        let right = [-3] + (0..<20_000).map { ($0 + 1) % 300 } + [-4]
        let alignment = Alignment(left, right)
        #expect(alignment.pairs.count > 19_000)
        for pair in alignment.pairs { #expect(left[pair.first] == right[pair.second]) }
        #expect(alignment.onlyFirst.count + alignment.pairs.count == left.count)
        #expect(alignment.onlySecond.count + alignment.pairs.count == right.count)
    }

    @Test("Long lists that end alike have their ends paired")
    func longEnds() {
        // Too many for a table, and an odd number.
        let end = Array(0..<2001)
        let alignment = Alignment([-1] + end, [-2, -3] + end)
        #expect(alignment.pairs.map(\.first) == Array(1...2001))
        #expect(alignment.pairs.map(\.second) == Array(2...2002))
        #expect(alignment.onlyFirst == [0] && alignment.onlySecond == [0, 1])
        let suffix = Alignment(end, [-2, -3] + end)
        #expect(suffix.pairs.map(\.second) == Array(2...2002) && suffix.onlyFirst.isEmpty)
        // What is left is few enough for the longest to be found.
        let rest = Alignment([-1, -2, -1] + end, [-2, -1] + end)
        #expect(rest.pairs.map(\.first) == Array(1...2003) && rest.onlyFirst == [0] && rest.onlySecond.isEmpty)
    }

    @Test(
        "What differs between runs is found in any text, and nothing else",
        arguments: [
            ("7c9e6679-7425-40de-944b-e07fc1f90ae7", "{id}"), ("7C9E6679-7425-40DE-944B-E07FC1F90AE7", "{id}"),
            ("/x/7c9e6679-7425-40de-944b-e07fc1f90ae7/ws", "/x/{id}/ws"),
            ("a7c9e6679-7425-40de-944b-e07fc1f90ae7", "a7c9e6679-7425-40de-944b-e07fc1f90ae7"),
            ("7c9e6679-7425-40de-944b-e07fc1f90ae70", "{id}"),
            ("7c9e6679742540de944be07f", "{id}"), ("goal 123456", "goal {id}"), ("12345", "12345"),
            ("a@b.example", "{email}"),
            ("2025-01-29T10:30:00Z", "{time}"), ("at 2025-01-29T10:30:00.123456+01:00.", "at {time}."),
            ("2025-13-29T10:30:00Z", "2025-13-29T10:30:00Z"), ("2025-01-29", "{date}"), ("2025-02-30", "2025-02-30"),
            ("2025-01-29T10:30:00", "{time}"),
            ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.Nk-_9", "Bearer {id}"), ("eyJa.b", "eyJa.b"),
            ("redacted-token-12 x", "{id} x"), ("http://h:1/a", "{origin}/a"), ("wss://h:1", "{origin}"),
            ("http://other/a", "http://other/a"), ("", ""), ("é1", "é1"), ("beef", "beef"),
        ])
    func volatile(_ text: String, _ expected: String) {
        #expect(VolatileText.normalised(text, origins: Origins([RequestURL("http://h:1")])).text == expected)
    }
}
