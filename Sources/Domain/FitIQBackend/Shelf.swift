/// Records by position, which is the order in which they were added, and by id.
///
/// A position is never used again, so that it tells what came first. A removed record leaves its place behind; such
/// places are dropped once they are the majority, so that memory follows what is there.
package struct Shelf<Record: Identifiable & Sendable>: Sendable where Record.ID: Sendable {
    /// The position of each place, ascending; its complement where the record is removed.
    private var marks: [Int] = []
    /// No optionals: reading a member of one would copy the whole record.
    private var places: [Record] = []
    private var positionOfID: [Record.ID: Int] = [:]
    /// The position of the next record.
    private(set) var end = 0
    package private(set) var count = 0
    /// The records with unsaved changes; nil while changes are not saved.
    private var unsaved: Unsaved?

    private struct Unsaved {
        /// Positions below ``newFrom`` of records that have changed.
        var changed: Set<Int> = []
        /// Every record from this position on is unsaved.
        var newFrom = 0
    }

    package subscript(position: Int) -> Record {
        _read { yield places[existingPlace(of: position)] }
        _modify {
            noteChange(position)
            yield &places[existingPlace(of: position)]
        }
    }

    /// For changes that a saved record does not show, such as the progress of a streaming answer.
    subscript(unnoticed position: Int) -> Record {
        _read { yield places[existingPlace(of: position)] }
        _modify { yield &places[existingPlace(of: position)] }
    }

    package func contains(_ position: Int) -> Bool {
        let place = place(of: position)
        return place < places.count && marks[place] == position
    }

    /// The position of the record with this id.
    package func position(of id: Record.ID) -> Int? { positionOfID[id] }

    /// Adds a record, whose id no other one has and which never changes, and returns its position.
    mutating func append(_ record: Record) -> Int {
        defer { (end, count) = (end + 1, count + 1) }
        positionOfID[record.id] = end
        marks.append(end)
        places.append(record)
        return end
    }

    /// Removes a record; `empty` frees what is large in it until its place is dropped.
    mutating func remove(_ position: Int, empty: (inout Record) -> Void = { _ in }) {
        let place = existingPlace(of: position)
        unsaved?.changed.remove(position)
        marks[place] = ~position
        positionOfID[places[place].id] = nil
        empty(&places[place])
        count -= 1
        guard places.count > 2 * count + Self.spareCount else { return }
        let kept = marks.indices.filter { marks[$0] >= 0 }
        marks = kept.map { marks[$0] }
        places = kept.map { places[$0] }
    }

    /// Gives it storage of its own, which no copy shares.
    mutating func isolate() {
        marks = marks.map(\.self)
        places = places.map(\.self)
        positionOfID = positionOfID.mapValues(\.self)
    }

    // MARK: What is not saved

    /// Counts all records as saved, or none, and notices changes from now on.
    mutating func noticeChanges(allSaved: Bool) { unsaved = Unsaved(newFrom: allSaved ? end : 0) }

    /// Counts a record as changed, because what is saved of it has.
    mutating func noteChange(_ position: Int) {
        guard let newFrom = unsaved?.newFrom, position < newFrom else { return }
        unsaved?.changed.insert(position)
    }

    /// Whether nothing of a record was saved yet.
    func isNew(_ position: Int) -> Bool { unsaved.map { position >= $0.newFrom } ?? false }

    var hasUnsaved: Bool { (unsaved?.newFrom ?? end) < end || unsaved?.changed.isEmpty == false }

    /// Takes the positions of unsaved records: of changed ones, then of new ones in the order of their creation.
    mutating func takeUnsaved(upTo limit: Int) -> [(position: Int, isNew: Bool)] {
        guard var unsaved = unsaved.take() else { return [] }
        var taken = unsaved.changed.prefix(limit).sorted().map { (position: $0, isNew: false) }
        for (position, _) in taken { unsaved.changed.remove(position) }
        var place = place(of: unsaved.newFrom)
        while taken.count < limit, place < places.count {
            if marks[place] >= 0 { taken.append((marks[place], true)) }
            unsaved.newFrom = Swift.max(marks[place], ~marks[place]) + 1
            place += 1
        }
        if place == places.count { unsaved.newFrom = end }
        self.unsaved = unsaved
        return taken
    }

    /// Including those of removed records.
    package var placeCount: Int { places.count }

    /// The positions of the records.
    package var positions: some Sequence<Int> { marks.lazy.filter { $0 >= 0 } }

    private func existingPlace(of position: Int) -> Int {
        let place = place(of: position)
        precondition(marks[place] == position, "The record is removed.")
        return place
    }

    private func place(of position: Int) -> Int {
        // Until the first places are dropped; most worlds remove little.
        if places.count == end { return position }
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isBefore = Swift.max(marks[middle], ~marks[middle]) < position
            range = isBefore ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The places of removed records that are kept in any case.
    package static var spareCount: Int { 64 }
}

extension Shelf: Sequence {
    /// A type of its own, with no more than it needs: the types of lazy sequences, and copies of a whole shelf, cost a
    /// start half a percent for each kind of record.
    package struct Iterator: IteratorProtocol {
        private let marks: [Int]
        private let places: [Record]
        private var place = 0

        fileprivate init(_ marks: [Int], _ places: [Record]) { (self.marks, self.places) = (marks, places) }

        package mutating func next() -> Record? {
            while place < places.count {
                defer { place += 1 }
                if marks[place] >= 0 { return places[place] }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(marks, places) }
}
