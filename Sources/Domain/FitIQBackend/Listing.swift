import FitIQAPI

/// A user's records in list order, by position and grouped by kind.
///
/// Listing some kinds uses their counts and visits only the records on the page. The caller must provide the same order
/// in every call.
package struct Listing<Kind: Hashable & Sendable>: Sendable {
    private struct Group: Sendable {
        let kind: Kind
        var positions: [Int]
    }

    typealias Order = (Int, Int) -> Bool
    private var all: [Int] = []
    /// The groups in order of first use.
    ///
    /// Some may be empty. There are few groups, because kinds consist of the API's words.
    private var groups: [Group] = []

    /// Adds or removes a record; a record can be removed only if its kind and place have not changed.
    mutating func list(_ position: Int, _ kind: Kind, isListed: Bool, in order: Order) {
        let change = isListed ? Self.insert : Self.remove
        change(position, &all, order)
        let group = groups.firstIndex { $0.kind == kind } ?? groups.endIndex
        if group == groups.endIndex { groups.append(Group(kind: kind, positions: [])) }
        change(position, &groups[group].positions, order)
    }

    /// The records of some kinds, in the fewest possible ordered runs.
    func runs(of isAsked: (Kind) -> Bool) -> [ArraySlice<Int>] {
        let asked = groups.filter { isAsked($0.kind) }
        return asked.count == groups.count ? [all[...]] : asked.map { $0.positions[...] }
    }

    private static func insert(_ position: Int, _ positions: inout [Int], in order: Order) {
        positions.insert(position, at: positions[...].partition { order($0, position) })
    }

    private static func remove(_ position: Int, _ positions: inout [Int], in order: Order) {
        let isLast = positions.last == position
        let place = isLast ? positions.count - 1 : positions[...].partition { order($0, position) }
        precondition(positions[place] == position, "A record must not change while it is in a list.")
        positions.remove(at: place)
    }
}

extension Listing: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { all.count }
    package subscript(place: Int) -> Int { all[place] }
}

extension Page {
    /// Merges ordered runs, last record first; returns a page and the total number of records.
    ///
    /// Elements after the page are not read.
    func positions(in runs: [ArraySlice<Int>], _ order: (Int, Int) -> Bool) -> (page: [Int], total: Int) {
        let total = runs.reduce(0) { $0 + $1.count }
        let range = range(of: total)
        if runs.count == 1 { return (runs[0].dropLast(range.lowerBound).suffix(range.count).reversed(), total) }
        var (rest, page) = (runs, [Int]())
        for number in 0..<(range.isEmpty ? 0 : range.upperBound) {
            var latest: (run: Int, position: Int)?
            for run in rest.indices {
                guard let last = rest[run].last else { continue }
                if latest.map({ order($0.position, last) }) ?? true { latest = (run, last) }
            }
            guard let latest else { preconditionFailure("A page must not end after its list.") }
            rest[latest.run].removeLast()
            if number >= range.lowerBound { page.append(latest.position) }
        }
        return (page, total)
    }
}

extension ArraySlice<Int> {
    /// The index of the first element at or after the boundary of a partitioned collection.
    func partition(_ isBefore: (Int) -> Bool) -> Int {
        var range = indices
        // New and changed elements are usually at the end.
        if let last, isBefore(last) { return endIndex }
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBefore(self[middle]) ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
