/// An index of recorded requests by their common parts, which avoids searching all of them.
///
/// A *bucket* holds the requests of one shape, a *variant* those of a bucket with the same values, in order.
struct MatchIndex: Sendable {
    private(set) var variants: [Variant] = []
    /// The variants of each bucket, in the order of their first entries.
    private(set) var buckets: [[Int]] = []
    private var bucketOfKey: [ShapeKey: Int] = [:]
    private var variantOfValues: [VariantKey: Int] = [:]

    struct Variant: Sendable {
        var values: [Int]
        /// Indices of entries.
        var entries: [Int] = []
    }

    struct Place: Sendable {
        var bucket: Int
        var variant: Int
    }

    private struct VariantKey: Hashable, Sendable {
        var bucket: Int
        var values: [Int]
    }

    /// Adds an entry after all others.
    @discardableResult
    mutating func add(entry: Int, shape: Shape, values: [Int]) -> Place {
        let bucket = bucketOfKey[shape.key] ?? buckets.count
        if bucket == buckets.count {
            buckets.append([])
            bucketOfKey[shape.key] = bucket
        }
        let key = VariantKey(bucket: bucket, values: values)
        let variant = variantOfValues[key] ?? variants.count
        if variant == variants.count {
            variants.append(Variant(values: values))
            buckets[bucket].append(variant)
            variantOfValues[key] = variant
        }
        variants[variant].entries.append(entry)
        return Place(bucket: bucket, variant: variant)
    }

    func bucket(of shape: Shape) -> Int? { bucketOfKey[shape.key] }

    func variant(in bucket: Int, values: [Int]) -> Int? { variantOfValues[VariantKey(bucket: bucket, values: values)] }
}

/// The progress through an index: how far each variant was served.
struct MatchState: Sendable {
    /// How many entries of each variant were served.
    private var given: [Int: Int] = [:]
    /// The variants of a bucket with entries left, from ``first`` on; built when they are first searched.
    private var live: [Int: Live] = [:]

    private struct Live {
        var variants: [Int]
        var first = 0
    }

    /// The next entry of a variant, or its last one again if all were served.
    func next(of variant: Int, in index: MatchIndex) -> (entry: Int, isAgain: Bool) {
        let entries = index.variants[variant].entries
        let count = given[variant] ?? 0
        return count < entries.count ? (entries[count], false) : (entries[entries.count - 1], true)
    }

    /// The first variant with an entry left for which the test holds, among ``ReplayLimits/candidates``.
    mutating func firstLive(
        in bucket: Int, of index: MatchIndex, where isIncluded: (MatchIndex.Variant) -> Bool
    ) -> Int? {
        var list = live.removeValue(forKey: bucket) ?? Live(variants: index.buckets[bucket])
        defer { live[bucket] = list }
        func isOver(_ variant: Int) -> Bool { given[variant] ?? 0 >= index.variants[variant].entries.count }
        while list.first < list.variants.count, isOver(list.variants[list.first]) { list.first += 1 }
        var (looked, over) = (0, 0)
        var found: Int?
        for variant in list.variants[list.first...] {
            if isOver(variant) {
                over += 1
            } else if isIncluded(index.variants[variant]) {
                found = variant
                break
            } else {
                looked += 1
                if looked == ReplayLimits.candidates { break }
            }
        }
        // Exhausted variants are removed, each once, so that later calls do not skip them again.
        if over > ReplayLimits.candidates {
            list = Live(variants: list.variants[list.first...].filter { !isOver($0) })
        }
        return found
    }

    /// Records that a variant's next entry was served, or its last one again.
    mutating func give(_ variant: Int) { given[variant, default: 0] += 1 }
}
