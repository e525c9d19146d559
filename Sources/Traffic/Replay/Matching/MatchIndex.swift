/// Recorded requests by what they have in common, so that none is searched for among all others.
///
/// A *bucket* holds the requests of one shape, a *variant* those of a bucket with the same values, in their order.
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

    /// Adds an entry after all others; returns its bucket and variant.
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
