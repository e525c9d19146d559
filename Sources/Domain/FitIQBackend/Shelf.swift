/// Records by id and by position, which is the order of addition.
///
/// Positions are never reused, so they show which record came first. Records are in pages of 1,024 positions. A removed
/// record leaves an empty place; a page drops empty places once they are the majority. Memory is therefore proportional
/// to the number of records, and a removal moves at most one page.
package struct Shelf<Record: Identifiable & Sendable>: Sendable where Record.ID: Sendable {
    fileprivate struct Page {
        /// The position of each place, ascending; complemented if the record is removed.
        var marks: [Int] = []
        /// Not optional, because reading a member of an optional would copy the whole record.
        var places: [Record] = []
        /// The number of records.
        var count = 0

        mutating func dropEmptyPlaces() {
            let kept = marks.indices.filter { marks[$0] >= 0 }
            marks = kept.map { marks[$0] }
            places = kept.map { places[$0] }
        }
    }

    /// The pages of 1,024 positions each; a page without records takes 24 bytes.
    private var pages: [Page] = []
    private var positionOfID: [Record.ID: Int] = [:]
    /// The position of the next record.
    private(set) var end = 0
    package private(set) var count = 0
    /// The records with unsaved changes; nil if changes are not saved.
    private var unsaved: Unsaved?

    private struct Unsaved {
        /// The positions of changed records below ``newFrom``.
        var changed: Set<Int> = []
        /// Every record from this position on is unsaved.
        var newFrom = 0
    }

    package subscript(position: Int) -> Record {
        _read { yield pages[position >> Self.pageBits].places[existingPlace(of: position)] }
        _modify {
            noteChange(position)
            yield &pages[position >> Self.pageBits].places[existingPlace(of: position)]
        }
    }

    /// Accesses a record for changes that do not alter the saved data, such as the progress of a streaming answer.
    subscript(unnoticed position: Int) -> Record {
        _read { yield pages[position >> Self.pageBits].places[existingPlace(of: position)] }
        _modify { yield &pages[position >> Self.pageBits].places[existingPlace(of: position)] }
    }

    package func contains(_ position: Int) -> Bool {
        guard position < end else { return false }
        let (page, place) = (pages[position >> Self.pageBits], place(of: position))
        return place < page.marks.count && page.marks[place] == position
    }

    /// The position of the record with this id.
    package func position(of id: Record.ID) -> Int? { positionOfID[id] }

    /// Adds a record and returns its position; its id must be unique and never change.
    mutating func append(_ record: Record) -> Int {
        defer { (end, count) = (end + 1, count + 1) }
        positionOfID[record.id] = end
        let page = end >> Self.pageBits
        if page == pages.count { pages.append(Page()) }
        pages[page].marks.append(end)
        pages[page].places.append(record)
        pages[page].count += 1
        return end
    }

    /// Removes a record; `empty` frees its large parts immediately.
    mutating func remove(_ position: Int, empty: (inout Record) -> Void = { _ in }) {
        let (page, place) = (position >> Self.pageBits, existingPlace(of: position))
        unsaved?.changed.remove(position)
        pages[page].marks[place] = ~position
        positionOfID[pages[page].places[place].id] = nil
        empty(&pages[page].places[place])
        pages[page].count -= 1
        count -= 1
        let (places, kept) = (pages[page].places.count, pages[page].count)
        if kept == 0 || places > 2 * kept + Self.spareCount { pages[page].dropEmptyPlaces() }
    }

    /// Makes the shelf's storage unique.
    mutating func isolate() {
        pages = pages.map { Page(marks: $0.marks.map(\.self), places: $0.places.map(\.self), count: $0.count) }
        positionOfID = positionOfID.mapValues(\.self)
    }

    // MARK: Unsaved records

    /// Treats all records, or none, as saved, and tracks changes from now on.
    mutating func noticeChanges(allSaved: Bool) { unsaved = Unsaved(newFrom: allSaved ? end : 0) }

    /// Marks a record as changed after its saved data has changed.
    mutating func noteChange(_ position: Int) {
        guard let newFrom = unsaved?.newFrom, position < newFrom else { return }
        unsaved?.changed.insert(position)
    }

    /// Whether a record has never been saved.
    func isNew(_ position: Int) -> Bool { unsaved.map { position >= $0.newFrom } ?? false }

    var hasUnsaved: Bool { (unsaved?.newFrom ?? end) < end || unsaved?.changed.isEmpty == false }

    /// Takes the positions of unsaved records: first changed records, then new ones in order of creation.
    mutating func takeUnsaved(upTo limit: Int) -> [(position: Int, isNew: Bool)] {
        guard var unsaved = unsaved.take() else { return [] }
        var taken = unsaved.changed.prefix(limit).sorted().map { (position: $0, isNew: false) }
        for (position, _) in taken { unsaved.changed.remove(position) }
        while taken.count < limit, unsaved.newFrom < end {
            let page = unsaved.newFrom >> Self.pageBits
            let new = pages[page].marks[place(of: unsaved.newFrom)...].filter { $0 >= 0 }.prefix(limit - taken.count)
            taken += new.map { (position: $0, isNew: true) }
            let next = Swift.min((page + 1) << Self.pageBits, end)
            unsaved.newFrom = taken.count < limit ? next : (new.last ?? next - 1) + 1
        }
        self.unsaved = unsaved
        return taken
    }

    /// The number of places, including those of removed records.
    package var placeCount: Int { pages.reduce(0) { $0 + $1.places.count } }

    /// The positions of the records.
    package var positions: some Sequence<Int> { pages.lazy.flatMap { $0.marks }.filter { $0 >= 0 } }

    private func existingPlace(of position: Int) -> Int {
        let place = place(of: position)
        precondition(pages[position >> Self.pageBits].marks[place] == position, "The record has been removed.")
        return place
    }

    /// The index, within its page, of a position below ``end``, even if the position's record was removed.
    private func place(of position: Int) -> Int {
        let page = position >> Self.pageBits
        let first = page << Self.pageBits
        // Until the page drops places, the index follows from the position; most worlds remove few records.
        if pages[page].marks.count == Swift.min(end - first, 1 << Self.pageBits) { return position - first }
        let marks = pages[page].marks
        var range = 0..<marks.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isBefore = Swift.max(marks[middle], ~marks[middle]) < position
            range = isBefore ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private static var pageBits: Int { 10 }
    /// The number of empty places that a page may always keep.
    package static var spareCount: Int { 64 }
}

extension Shelf: Sequence {
    /// A minimal iterator: lazy sequences or copies of a shelf would make startup half a percent slower per record
    /// type.
    package struct Iterator: IteratorProtocol {
        private let pages: [Page]
        private var page = 0
        private var place = 0

        fileprivate init(_ pages: [Page]) { self.pages = pages }

        package mutating func next() -> Record? {
            while page < pages.count {
                while place < pages[page].places.count {
                    defer { place += 1 }
                    if pages[page].marks[place] >= 0 { return pages[page].places[place] }
                }
                (page, place) = (page + 1, 0)
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(pages) }
}
