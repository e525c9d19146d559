/// Aligns two lists by a longest common subsequence, if that is cheap enough to find.
struct Alignment {
    /// Positions in both, ascending in both.
    private(set) var pairs: [(first: Int, second: Int)] = []
    /// Positions without a partner.
    private(set) var onlyFirst: [Int] = []
    private(set) var onlySecond: [Int] = []

    /// The maximum table size, counted without equal beginnings and ends.
    ///
    /// Above it, equal keys are paired in turn, which is not always the longest: two sessions of 100,000 entries would
    /// take 10 billion steps.
    static let largestTable = 4_000_000

    init<Key: Hashable>(_ first: [Key], _ second: [Key]) {
        var start = 0
        while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
        // From the front, so that repeated keys have their partners early and the rest at the end; the back is trimmed
        // only if the table would be too large.
        var tail = 0
        let isLarge = (first.count - start) * (second.count - start) > Self.largestTable
        while isLarge, tail < min(first.count, second.count) - start,
            first[first.count - 1 - tail] == second[second.count - 1 - tail]
        {
            tail += 1
        }
        pairs = (0..<start).map { ($0, $0) }
        let (left, right) = (first[start..<(first.count - tail)], second[start..<(second.count - tail)])
        if left.count * right.count <= Self.largestTable { alignByTable(left, right) } else { alignInTurn(left, right) }
        for offset in 0..<tail { pairs.append((left.endIndex + offset, right.endIndex + offset)) }
        var (next, other) = (0, 0)
        for pair in pairs + [(first.count, second.count)] {
            onlyFirst += next..<pair.first
            onlySecond += other..<pair.second
            (next, other) = (pair.first + 1, pair.second + 1)
        }
    }

    /// Dynamic programming: `length[place(i, j)]` is the length for the ends from i and j.
    private mutating func alignByTable<Key: Hashable>(_ first: ArraySlice<Key>, _ second: ArraySlice<Key>) {
        let width = second.count + 1
        func place(_ i: Int, _ j: Int) -> Int { (i - first.startIndex) * width + j - second.startIndex }
        // No subsequence is longer than the root of the largest table.
        var length = [UInt16](repeating: 0, count: (first.count + 1) * width)
        for i in first.indices.reversed() {
            for j in second.indices.reversed() {
                length[place(i, j)] =
                    first[i] == second[j]
                    ? length[place(i + 1, j + 1)] + 1 : max(length[place(i + 1, j)], length[place(i, j + 1)])
            }
        }
        var (i, j) = (first.startIndex, second.startIndex)
        while i < first.endIndex, j < second.endIndex {
            if first[i] == second[j] {
                pairs.append((i, j))
                (i, j) = (i + 1, j + 1)
            } else if length[place(i + 1, j)] >= length[place(i, j + 1)] {
                i += 1
            } else {
                j += 1
            }
        }
    }

    /// Pairs the n-th occurrence of a key in one with the n-th in the other, and keeps the longest run that ascends in
    /// both.
    private mutating func alignInTurn<Key: Hashable>(_ first: ArraySlice<Key>, _ second: ArraySlice<Key>) {
        var places: [Key: ArraySlice<Int>] = [:]
        for index in second.indices { places[second[index], default: []].append(index) }
        var candidates: [(first: Int, second: Int)] = []
        for index in first.indices {
            if let place = places[first[index]]?.popFirst() { candidates.append((index, place)) }
        }
        // Patience: `ends[n]` is the candidate with the smallest second position that ends a run of n + 1.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: candidates.count)
        for index in candidates.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                let isBefore = candidates[ends[middle]].second < candidates[index].second
                if isBefore { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [(first: Int, second: Int)] = []
        var next = ends.last
        while let index = next {
            run.append(candidates[index])
            next = previous[index]
        }
        pairs += run.reversed()
    }
}
