/// Aligns two lists by a longest common subsequence, if that is cheap enough to find.
struct Alignment {
    /// Positions in both, ascending in both.
    private(set) var pairs: [(first: Int, second: Int)] = []
    /// Positions in the first without a partner.
    private(set) var onlyFirst: [Int] = []
    /// Positions in the second without a partner.
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
        let isLarge =
            (first.count - start).multipliedReportingOverflow(by: second.count - start).partialValue
            > Self.largestTable
        while isLarge, tail < min(first.count, second.count) - start,
            first[first.count - 1 - tail] == second[second.count - 1 - tail]
        {
            tail += 1
        }
        pairs = (0..<start).map { ($0, $0) }
        let left = start..<(first.count - tail)
        let right = start..<(second.count - tail)
        if left.count.multipliedReportingOverflow(by: right.count).partialValue <= Self.largestTable {
            alignByTable(first, left, second, right)
        } else {
            alignInTurn(first, left, second, right)
        }
        for offset in 0..<tail { pairs.append((left.upperBound + offset, right.upperBound + offset)) }
        var (next, other) = (0, 0)
        for pair in pairs + [(first.count, second.count)] {
            onlyFirst += next..<pair.first
            onlySecond += other..<pair.second
            (next, other) = (pair.first + 1, pair.second + 1)
        }
    }

    /// Dynamic programming: `length[i][j]` is the length for the ends from i and j.
    private mutating func alignByTable<Key: Hashable>(
        _ first: [Key], _ left: Range<Int>, _ second: [Key], _ right: Range<Int>
    ) {
        guard !left.isEmpty, !right.isEmpty else { return }
        let width = right.count + 1
        // No subsequence is longer than the root of the largest table.
        var length = [UInt16](repeating: 0, count: (left.count + 1) * width)
        for i in (0..<left.count).reversed() {
            for j in (0..<right.count).reversed() {
                let isSame = first[left.lowerBound + i] == second[right.lowerBound + j]
                length[i * width + j] =
                    isSame
                    ? length[(i + 1) * width + j + 1] + 1
                    : max(length[(i + 1) * width + j], length[i * width + j + 1])
            }
        }
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            if first[left.lowerBound + i] == second[right.lowerBound + j] {
                pairs.append((left.lowerBound + i, right.lowerBound + j))
                (i, j) = (i + 1, j + 1)
            } else if length[(i + 1) * width + j] >= length[i * width + j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
    }

    /// Pairs the n-th occurrence of a key in one with the n-th in the other, and keeps the longest run that ascends in
    /// both.
    private mutating func alignInTurn<Key: Hashable>(
        _ first: [Key], _ left: Range<Int>, _ second: [Key], _ right: Range<Int>
    ) {
        var places: [Key: ArraySlice<Int>] = [:]
        for index in right { places[second[index], default: []].append(index) }
        var candidates: [(first: Int, second: Int)] = []
        for index in left {
            if let place = places[first[index]]?.popFirst() { candidates.append((index, place)) }
        }
        // Patience: `ends[n]` is the candidate with the smallest second position that ends a run of n + 1.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: candidates.count)
        for index in candidates.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if candidates[ends[middle]].second < candidates[index].second {
                    low = middle + 1
                } else {
                    high = middle
                }
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
