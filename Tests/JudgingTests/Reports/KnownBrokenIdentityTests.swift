import Testing

@testable import Judging

@Suite("What is known to be broken is named by bytes")
struct KnownBrokenIdentityTests {
    @Test("A scenario is not excused by another's line", arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")])
    func scenarios(_ first: String, _ second: String) throws {
        let list = try KnownBroken(reading: Array("\(first) ids/lowercase".utf8))
        #expect(list.lists("ids/lowercase", in: first) && !list.lists("ids/lowercase", in: second))
        let both = Array("\(first) ids/lowercase\n\(second) ids/lowercase".utf8)
        #expect(try KnownBroken(reading: both).lines.count == 2)
    }
}
