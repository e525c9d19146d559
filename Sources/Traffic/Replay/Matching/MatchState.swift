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

    /// An entry, and whether it is its turn or it is repeated.
    struct Found: Equatable {
        var entry: Int
        var variant: Int
        var isAgain: Bool
    }

    /// The next entry of a variant, or its last one again if all were served.
    func next(of variant: Int, in index: MatchIndex) -> Found {
        let entries = index.variants[variant].entries
        let count = given[variant] ?? 0
        let isAgain = count >= entries.count
        return Found(entry: entries[isAgain ? entries.count - 1 : count], variant: variant, isAgain: isAgain)
    }

    /// The first variant with an entry left for which the test holds, among ``ReplayLimits/candidates``.
    mutating func firstLive(
        in bucket: Int, of index: MatchIndex, where isIncluded: (MatchIndex.Variant) -> Bool
    ) -> Int? {
        var list = live.removeValue(forKey: bucket) ?? Live(variants: index.buckets[bucket].variants)
        defer { live[bucket] = list }
        func isOver(_ variant: Int) -> Bool {
            (given[variant] ?? 0) >= index.variants[variant].entries.count
        }
        while list.first < list.variants.count, isOver(list.variants[list.first]) { list.first += 1 }
        var (looked, over) = (0, 0)
        var found: Int?
        for variant in list.variants[list.first...] {
            if isOver(variant) {
                over += 1
                continue
            }
            if isIncluded(index.variants[variant]) {
                found = variant
                break
            }
            looked += 1
            if looked == ReplayLimits.candidates { break }
        }
        // Exhausted variants are removed, each once, so that later calls do not skip them again.
        if over > ReplayLimits.candidates {
            list = Live(variants: list.variants[list.first...].filter { !isOver($0) })
        }
        return found
    }

    /// Records that a variant's next entry was served, or its last one again.
    mutating func give(_ found: Found) { given[found.variant, default: 0] += 1 }
}

/// An index of recorded requests by their common parts, which avoids searching all of them.
///
/// A *bucket* holds the requests of one shape, a *variant* those of a bucket with the same values, in order.
struct MatchIndex: Sendable {
    private(set) var variants: [Variant] = []
    private(set) var buckets: [Bucket] = []
    private var bucketOfKey: [ShapeKey: Int] = [:]
    private var variantOfValues: [VariantKey: Int] = [:]

    struct Variant: Sendable {
        var values: [Int]
        /// Indices of entries.
        var entries: [Int]
    }

    struct Bucket: Sendable {
        /// In the order of their first entries.
        var variants: [Int]
    }

    private struct VariantKey: Hashable, Sendable {
        var bucket: Int
        var values: [Int]
    }

    /// Adds an entry after all others and returns its bucket and variant.
    mutating func add(entry: Int, shape: Shape, values: [Int]) -> (bucket: Int, variant: Int) {
        let bucket: Int
        if let known = bucketOfKey[shape.key] {
            bucket = known
        } else {
            bucket = buckets.count
            buckets.append(Bucket(variants: []))
            bucketOfKey[shape.key] = bucket
        }
        let key = VariantKey(bucket: bucket, values: values)
        if let variant = variantOfValues[key] {
            variants[variant].entries.append(entry)
            return (bucket, variant)
        }
        let variant = variants.count
        variants.append(Variant(values: values, entries: [entry]))
        buckets[bucket].variants.append(variant)
        variantOfValues[key] = variant
        return (bucket, variant)
    }

    func bucket(of shape: Shape) -> Int? { bucketOfKey[shape.key] }

    func variant(in bucket: Int, values: [Int]) -> Int? {
        variantOfValues[VariantKey(bucket: bucket, values: values)]
    }
}
