import Testing

@testable import FitIQAPI

@Suite("Pages") struct PageTests {
    static let table: [(number: Int, size: Int, total: Int, range: Range<Int>, pages: Int)] = [
        (1, 20, 0, 0..<0, 0), (2, 20, 0, 0..<0, 0), (1, 20, 1, 0..<1, 1), (1, 20, 19, 0..<19, 1),
        (1, 20, 20, 0..<20, 1), (1, 20, 21, 0..<20, 2), (2, 20, 21, 20..<21, 2), (3, 20, 21, 21..<21, 2),
        (1, 1, 3, 0..<1, 3), (3, 1, 3, 2..<3, 3), (4, 1, 3, 3..<3, 3), (5, 10, 45, 40..<45, 5),
        (Int.max, 1, 3, 3..<3, 3), (Int.max, 100, 3, 3..<3, 1), (Int.max / 100 + 2, 100, 3, 3..<3, 1),
        (1, Int.max, 3, 0..<3, 1), (2, Int.max, 3, 3..<3, 1), (Int.max, Int.max, 3, 3..<3, 1),
        (1, Int.max, Int.max, 0..<Int.max, 1), (2, Int.max - 1, Int.max, (Int.max - 1)..<Int.max, 2),
        (Int.max, 1, Int.max, (Int.max - 1)..<Int.max, Int.max),
    ]

    @Test("Each page is a contiguous range of the list", arguments: table)
    func range(number: Int, size: Int, total: Int, range: Range<Int>, pages: Int) {
        let page = Page(number: number, size: size)
        #expect(page.range(of: total) == range && page.count(of: total) == pages)
    }

    @Test("The pages cover a list exactly once and in order", arguments: 1...12)
    func cover(size: Int) {
        for total in 0...50 {
            let pages = Page(number: 1, size: size).count(of: total)
            let positions = (1...(pages + 2)).flatMap { Page(number: $0, size: size).range(of: total) }
            #expect(positions == Array(0..<total))
        }
    }
}
