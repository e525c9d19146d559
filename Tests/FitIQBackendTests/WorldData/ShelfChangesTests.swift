import Testing

@testable import FitIQBackend

@Suite("Unsaved shelf records") struct ShelfChangesTests {
    typealias Numbered = ShelfTests.Numbered

    /// A shelf with some saved records.
    private func saved(_ count: Int) -> Shelf<Numbered> {
        var shelf = Shelf<Numbered>()
        for id in 0..<count { _ = shelf.append(Numbered(id: id, number: 0)) }
        shelf.noticeChanges(allSaved: true)
        return shelf
    }

    @Test("The unsaved records are the changed records followed by the new records")
    func order() {
        var shelf = saved(3)
        #expect(!shelf.hasUnsaved)
        for _ in 0..<2 { shelf[1].number += 1 }
        #expect(shelf.hasUnsaved)
        for id in 3...4 {
            let position = shelf.append(Numbered(id: id, number: 0))
            shelf[position].number += 1
        }
        #expect(shelf.taken(9) == ["1", "new 3", "new 4"] && !shelf.hasUnsaved && shelf.taken(9).isEmpty)
        _ = shelf.append(Numbered(id: 5, number: 0))
        #expect(shelf.hasUnsaved)
    }

    @Test("Unsaved records can be taken in small batches")
    func few() {
        var shelf = saved(1)
        for id in 1...3 { _ = shelf.append(Numbered(id: id, number: 0)) }
        #expect(shelf.taken(0).isEmpty && shelf.taken(2) == ["new 1", "new 2"])
        #expect((0...4).map(shelf.isNew) == [false, false, false, true, true])
        #expect(shelf.hasUnsaved)
        shelf[2].number += 1
        #expect(shelf.taken(1) == ["2"] && shelf.taken(1) == ["new 3"] && !shelf.hasUnsaved)
    }

    @Test("All records are unsaved before the first save")
    func all() {
        var shelf = saved(4)
        shelf.noticeChanges(allSaved: false)
        shelf.remove(2)
        #expect(shelf.taken(9) == ["new 0", "new 1", "new 3"])
        shelf[1].number += 1
        shelf.remove(1)
        #expect(!shelf.hasUnsaved && shelf.taken(9).isEmpty)
    }
}

extension Shelf {
    /// Takes unsaved records, written as words: `2` for a changed record, `new 3` for a new record.
    fileprivate mutating func taken(_ limit: Int) -> [String] {
        takeUnsaved(upTo: limit).map { $0.isNew ? "new \($0.position)" : "\($0.position)" }
    }
}
