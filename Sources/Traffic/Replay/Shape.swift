import JSON
import Traffic

/// The common part of strings or requests that differ only in IDs, times and secrets.
struct ShapeKey: Sendable, Hashable {
    var bytes: [UInt8] = []

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// A string or request, split into its fixed part and its IDs, times and secrets; formatting does not affect their
/// order.
struct Shape: Sendable {
    /// The fixed part, with marks in place of removed parts.
    private(set) var key = ShapeKey()
    /// IDs, days and addresses, which must match.
    private(set) var values: [ShapeValue] = []
    /// Times, and values under a secret's name, which always match.
    private(set) var free: [ExactString] = []
    /// The bindings that make words count as values even if they do not look like values.
    private var known: Bindings?
    private var origins: Origins

    struct ShapeValue: Sendable, Equatable {
        var text: ExactString
        var isDate: Bool
    }

    /// Marks for removed parts and separators.
    ///
    /// ``escape`` precedes a byte of the text that equals a mark.
    private enum Mark: UInt8 { case id = 1, time, secret, date, email, origin, part, escape }

    init(origins: Origins = Origins(), known: Bindings? = nil) { (self.origins, self.known) = (origins, known) }

    /// Releases data that is needed only for building, so that the bindings can change in place.
    mutating func finish() { (origins, known) = (Origins(), nil) }

    // MARK: Parts

    /// Adds bytes that must be equal.
    mutating func add(literally text: String) {
        add(raw: text.utf8)
        append(.part)
    }

    /// Adds a string in which values may differ.
    mutating func add(text: String) {
        var text = text
        text.withUTF8 { add(utf8: $0) }
        append(.part)
    }

    mutating func add(id: String) { add(.id, value: id) }

    private mutating func add(_ mark: Mark, value: String) {
        append(mark)
        values.append(ShapeValue(text: ExactString(value), isDate: mark == .date))
    }

    private mutating func add(_ mark: Mark, free text: String) {
        append(mark)
        free.append(ExactString(text))
    }

    private mutating func append(_ mark: Mark) { key.bytes.append(mark.rawValue) }

    /// Adds the items of a query, in any order.
    mutating func add(items: [(name: String, value: String)]) {
        let parts = items.map { item in
            var part = Shape(origins: origins, known: known)
            part.add(text: item.name)
            if SecretName.isSecret(item.name) {
                part.add(.secret, free: item.value)
            } else {
                part.add(text: item.value)
            }
            return part
        }
        add(sorted: parts)
    }

    /// Adds the fields of a form, in any order.
    mutating func add(_ form: FormBody) {
        add(literally: "form")
        let parts = form.fields.map { field in
            var part = Shape(origins: origins, known: known)
            part.add(text: field.name)
            part.add(literally: field.kind)
            if SecretName.isSecret(field.name) {
                part.add(.secret, free: String(decoding: field.content, as: UTF8.self))
            } else {
                part.add(body: field.content)
            }
            part.append(.part)
            return part
        }
        add(sorted: parts)
    }

    private mutating func add(sorted parts: [Shape]) {
        for part in parts.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
            key.bytes += part.key.bytes
            values += part.values
            free += part.free
        }
    }

    /// Adds a body, compared as JSON, as text or as bytes.
    mutating func add(body: [UInt8]) {
        guard !body.isEmpty else { return }
        if let value = JSONValue.container(body) {
            add(value, under: "")
        } else if String(validating: body, as: UTF8.self) != nil {
            body.withUnsafeBufferPointer { add(utf8: $0) }
        } else {
            add(raw: body)
        }
    }

    private mutating func add(raw bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte <= Mark.escape.rawValue { append(.escape) }
            key.bytes.append(byte)
        }
    }

    private mutating func add(utf8: UnsafeBufferPointer<UInt8>) {
        var scanner = ValueScanner(utf8, origins: origins)
        var end = 0
        while let found = scanner.next() {
            add(words: UnsafeBufferPointer(rebasing: utf8[end..<found.range.lowerBound]))
            end = found.range.upperBound
            let text = String(decoding: utf8[found.range], as: UTF8.self)
            switch found.kind {
            case .time: add(.time, free: text)
            case .id: add(.id, value: text)
            case .date: add(.date, value: text)
            case .email: add(.email, value: text)
            case .origin: append(.origin)
            }
        }
        add(words: UnsafeBufferPointer(rebasing: utf8[end...]))
    }

    /// Adds a string that contains no values, except for words that are bound to one.
    private mutating func add(words: UnsafeBufferPointer<UInt8>) {
        guard let known else { return add(raw: words) }
        var index = 0
        while index < words.count {
            var end = index
            while end < words.count, ValueScanner.isRunByte(words[end]) { end += 1 }
            if end == index { end += 1 }
            let word = words[index..<end]
            // A shorter word may be bound by coincidence and mean something else here.
            if (3...ReplayLimits.tokenLength).contains(word.count),
                let text = String(validating: word, as: UTF8.self), known.recorded[ExactString(text)] != nil
            {
                add(id: text)
            } else {
                add(raw: word)
            }
            index = end
        }
    }

    /// Adds a JSON value, ignoring member order, white space and number notation.
    mutating func add(_ value: JSONValue, under name: String) {
        switch value {
        case .null: add(literally: "null")
        case .bool(let bool): add(literally: bool ? "true" : "false")
        case .number(let number):
            if ValueScanner.isTime(number, under: name) { return add(.time, free: number.text) }
            add(literally: number.canonicalText)
        case .string(let text):
            if SecretName.isSecret(name) { return add(.secret, free: text) }
            add(literally: "\"")
            add(text: text)
        case .array(let elements):
            add(literally: "[")
            for element in elements { add(element, under: name) }
            add(literally: "]")
        case .object(let object):
            add(literally: "{")
            // Sort the members by the fixed part of their names, so that names that are IDs keep their order.
            let members = object.map { (form: VolatileText.normalised($0.key, origins: origins), member: $0) }
            for (_, member) in members.sorted(by: { $0.form < $1.form }) {
                add(text: member.key)
                // Redaction replaced everything below a secret's name.
                add(member.value, under: SecretName.isSecret(name) ? name : member.key)
            }
            add(literally: "}")
        }
    }
}

/// Creates the shapes of a request: for the whole request or only its route.
struct RequestShapes: Sendable {
    /// The method, or `HANDSHAKE` (which is not an HTTP method) for a WebSocket handshake.
    let method: String
    let url: RequestURL
    let body: [UInt8]
    let form: FormBody?
    /// The recorded origins and, for a client's request, the origin of its server.
    let origins: Origins

    static let handshake = "HANDSHAKE"

    init(
        method: String, isHandshake: Bool, url: RequestURL, fields: [SessionField], body: [UInt8], _ origins: Origins
    ) {
        self.method = isHandshake ? Self.handshake : method.uppercased()
        (self.url, self.body, self.origins) = (url, body, origins)
        form = FormBody(body, of: fields)
    }

    /// The shape of the method, path, query and body.
    func full(_ empty: Shape? = nil, as method: String? = nil, ignoringBody: Bool = false) -> Shape {
        var shape = empty ?? Shape(origins: origins)
        shape.add(literally: method ?? self.method)
        for segment in url.segments { shape.add(text: segment) }
        shape.add(literally: "?")
        shape.add(items: url.items)
        shape.add(literally: ignoringBody ? "no body is compared" : "")
        if let form, !ignoringBody { shape.add(form) } else if !ignoringBody { shape.add(body: body) }
        shape.finish()
        return shape
    }

    /// The shape of the method and the path, in which any ID may replace the IDs in ``RequestURL/route`` and ID-like
    /// segments.
    func route(as method: String? = nil) -> Shape {
        var shape = Shape(origins: origins)
        shape.add(literally: method ?? self.method)
        for (segment, part) in zip(url.segments, url.route) {
            if part == nil { shape.add(id: segment) }
            shape.add(text: part ?? "")
        }
        shape.finish()
        return shape
    }
}

/// An index that finds recorded requests by their shape without searching all of them.
///
/// A *bucket* contains the requests of one shape. A *variant* contains a bucket's requests with the same values, in
/// order.
struct MatchIndex: Sendable {
    private(set) var variants: [Variant] = []
    /// The variants of each bucket, in the order of their first entries.
    private(set) var buckets: [[Int]] = []
    private var bucketOfKey: [ShapeKey: Int] = [:]
    private var variantOfValues: [VariantKey: Int] = [:]

    struct Variant: Sendable {
        var values: [Int]
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

/// Which entries of an index's variants have been served.
struct MatchState: Sendable {
    /// The number of served entries of each variant.
    private var given: [Int: Int] = [:]
    /// A bucket's variants that have entries left, starting at ``first``; the list is built by the first search.
    private var live: [Int: Live] = [:]

    private struct Live {
        var variants: [Int]
        var first = 0
    }

    /// A variant's next entry, or the last one again if all of them have been served.
    func next(of variant: Int, in index: MatchIndex) -> (entry: Int, isAgain: Bool) {
        let entries = index.variants[variant].entries
        let count = given[variant] ?? 0
        return count < entries.count ? (entries[count], false) : (entries[entries.count - 1], true)
    }

    /// Among the first ``ReplayLimits/candidates`` variants with an entry left, the first one that passes the test.
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
        // Remove exhausted variants, so that later calls do not have to skip them again.
        if over > ReplayLimits.candidates { list = Live(variants: list.variants[list.first...].filter { !isOver($0) }) }
        return found
    }

    /// Records that a variant's next entry, or its last entry again, was served.
    mutating func give(_ variant: Int) { given[variant, default: 0] += 1 }
}
