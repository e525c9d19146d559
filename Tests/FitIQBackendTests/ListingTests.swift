import FitIQAPI
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Listings with several kinds of records") struct ListingTests {
    /// Records ordered by their names.
    private struct Shelf {
        var names: [Int] = []
        var listing = Listing<Int>()

        mutating func insert(_ name: Int) {
            names.append(name)
            let names = names
            listing.list(names.count - 1, name % 3, isListed: true) { (names[$0], $0) < (names[$1], $1) }
        }

        mutating func rename(_ position: Int, _ name: Int) {
            let names = names
            listing.list(position, names[position] % 3, isListed: false) { (names[$0], $0) < (names[$1], $1) }
            self.names[position] = name
            let renamed = self.names
            listing.list(position, name % 3, isListed: true) { (renamed[$0], $0) < (renamed[$1], $1) }
        }
    }

    @Test("A listing equals a sorted scan of all records", arguments: 0..<20 as Range<UInt64>)
    func pages(seed: UInt64) {
        var draw = Draw(seed: seed)
        var shelf = Shelf()
        for _ in 0..<draw.below(60) { shelf.insert(draw.below(40)) }
        for _ in 0..<(shelf.names.isEmpty ? 0 : 30) { shelf.rename(draw.below(shelf.names.count), draw.below(40)) }
        let names = shelf.names
        func order(_ left: Int, _ right: Int) -> Bool { (names[left], left) < (names[right], right) }
        #expect(shelf.listing.elementsEqual(names.indices.sorted(by: order)))
        #expect(shelf.listing.isConsistent { names[$0] % 3 })
        for kinds in [[], [0], [1, 2], [0, 1, 2]] {
            let expected = Array(names.indices.filter { kinds.contains(names[$0] % 3) }.sorted(by: order).reversed())
            for page in [Page(number: 1, size: 7), Page(number: 3, size: 5), Page(offset: 3, size: 100)] {
                let (found, total) = page.positions(in: shelf.listing.runs { kinds.contains($0) }, order)
                #expect(found == Array(expected[page.range(of: expected.count)]) && total == expected.count)
            }
        }
    }

    @Test("The cost of a page does not depend on the number of records")
    func work() {
        func looks(among count: Int) -> Int {
            var shelf = Shelf()
            var looks = 0
            for name in 0..<count { shelf.listing.list(name, name % 3, isListed: true) { $0 < $1 } }
            let runs = shelf.listing.runs { kind in
                looks += 1
                return kind > 0
            }
            let (page, total) = Page(number: 1, size: 20).positions(in: runs) { left, right in
                looks += 1
                return left < right
            }
            #expect(page.count == 20 && total == count - (count + 2) / 3)
            return looks
        }
        #expect(looks(among: 100) == looks(among: 100_000))
    }
}

extension Listing {
    /// Whether the listing of each kind equals the whole list's records of that kind, in the same order.
    func isConsistent(_ kind: (Int) -> Kind) -> Bool {
        Set(map(kind)).allSatisfy { one in runs { $0 == one }.joined().elementsEqual(filter { kind($0) == one }) }
            && runs { _ in true }.joined().elementsEqual(self)
    }
}
