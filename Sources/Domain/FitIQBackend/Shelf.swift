/// Records by position: the order in which they were added.
///
/// A position is never used again, so that it tells what came first. A removed record leaves an empty place; empty
/// places are dropped once they are the majority, so that memory follows what is there.
package struct Shelf<Record: Sendable>: Sendable {
    /// The position of each place, ascending.
    private var positionsOfPlaces: [Int] = []
    private var places: [Record?] = []
    /// The position of the next record.
    private(set) var end = 0
    package private(set) var count = 0

    package subscript(position: Int) -> Record {
        _read { yield places[place(of: position)]! }  // A position of a removed record is a broken invariant.
        _modify { yield &places[place(of: position)]! }  // As above.
    }

    package func contains(_ position: Int) -> Bool {
        let place = place(of: position)
        return place < places.count && positionsOfPlaces[place] == position && places[place] != nil
    }

    /// Adds a record and returns its position.
    mutating func append(_ record: Record) -> Int {
        defer { (end, count) = (end + 1, count + 1) }
        positionsOfPlaces.append(end)
        places.append(record)
        return end
    }

    mutating func remove(_ position: Int) {
        precondition(contains(position), "A record is removed once.")
        places[place(of: position)] = nil
        count -= 1
        guard places.count > 2 * count + Self.spareCount else { return }
        let kept = places.indices.filter { places[$0] != nil }
        positionsOfPlaces = kept.map { positionsOfPlaces[$0] }
        places = kept.map { places[$0] }
    }

    /// Including empty ones.
    package var placeCount: Int { places.count }

    /// The positions of the records.
    package var positions: some Sequence<Int> {
        places.indices.lazy.filter { places[$0] != nil }.map { positionsOfPlaces[$0] }
    }

    private func place(of position: Int) -> Int {
        // Until the first places are dropped; most worlds remove little.
        if places.count == end { return position }
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isBefore = positionsOfPlaces[middle] < position
            range = isBefore ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The empty places that are kept in any case.
    package static var spareCount: Int { 64 }
}

extension Shelf: Sequence {
    package func makeIterator() -> some IteratorProtocol<Record> { places.lazy.compactMap(\.self).makeIterator() }
}
