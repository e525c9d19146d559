/// The members of a JSON object in source order.
///
/// Names are compared code unit by code unit (RFC 8259, section 8.3). A repeated name has its last value at its first
/// position, as in Go's `encoding/json` and JavaScript. Lookups take constant time.
public struct JSONObject: Sendable {
    public typealias Element = (key: String, value: JSONValue)
    private(set) var members: [Element]
    /// The positions of the members by name; empty for small objects, where a linear search is as fast.
    private var index: [ExactString: Int] = [:]
    private static let largestUnindexed = 16
    public init() { members = [] }
    /// Creates an object; the last of several members with the same name wins.
    public init(_ members: some Sequence<Element>) { self.init(consuming: Array(members)) }

    init(consuming members: consuming [Element]) {
        self.members = members
        if hasRepeatedName() { keepLastOfEachName() } else { reindex() }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    /// The names in source order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a member; setting a new name appends it, and setting nil removes it.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): members[position].value = value
            case (nil, let value?): append(key, value)
            case (let position?, nil): remove(at: position)
            case (nil, nil): break
            }
        }
    }

    /// Searches for a member starting at a position, wrapping around; moves the position past the member.
    ///
    /// Lookups in member order find each member immediately.
    public func value(of key: String, from position: inout Int) -> JSONValue? {
        guard let found = self.position(of: key, from: position) else { return nil }
        position = found + 1
        return members[found].value
    }

    private func position(of key: String, from start: Int = 0) -> Int? {
        guard index.isEmpty else { return index[ExactString(key)] }
        // A buffer avoids copying members.
        return members.withUnsafeBufferPointer { members in
            let (start, count) = (Swift.min(start, members.count), key.utf8.count)
            for distance in 0..<members.count {
                let position = start + distance < members.count ? start + distance : start + distance - members.count
                let other = members[position].key
                if other.utf8.count == count, other.hasSameBytes(as: key) { return position }
            }
            return nil
        }
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        if index.isEmpty { reindex() } else { index[ExactString(key)] = members.count - 1 }
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        index.removeAll()
        reindex()
    }

    private mutating func reindex() {
        guard members.count > Self.largestUnindexed else { return }
        index.reserveCapacity(members.count)
        for (position, member) in members.enumerated() { index[ExactString(member.key)] = position }
    }

    /// Compares small objects' members pair by pair, and hashes large objects' members, to avoid quadratic time.
    private func hasRepeatedName() -> Bool {
        if members.count > Self.largestUnindexed {
            return Set(members.lazy.map { ExactString($0.key) }).count != members.count
        }
        return members.withUnsafeBufferPointer { members in
            for later in members.indices.dropFirst() {
                for earlier in 0..<later where members[earlier].key.isExactly(members[later].key) { return true }
            }
            return false
        }
    }

    private mutating func keepLastOfEachName() {
        let repeated = members
        members.removeAll(keepingCapacity: true)
        for member in repeated { self[member.key] = member.value }
    }
}

extension JSONObject: Sequence {
    public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }
    public var underestimatedCount: Int { members.count }
}

extension JSONObject: CustomReflectable {
    /// Shows only the members: the order of the index is arbitrary.
    public var customMirror: Mirror { Mirror(self, children: ["members": members], displayStyle: .struct) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONObject: Hashable {
    /// Compares members in any order: RFC 8259, section 1, calls an object "an unordered collection".
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Adds the members' hashes, so that their order does not matter.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in members {
            var member = Hasher()
            ExactString(key).hash(into: &member)
            value.hash(into: &member)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}
