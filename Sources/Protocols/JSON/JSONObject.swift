/// The members of a JSON object in the order they were written.
///
/// Names are compared code unit by code unit (RFC 8259, section 8.3). Where a text repeats a name, its last value wins
/// and keeps the first one's place, as in Go's `encoding/json` and JavaScript. Looking a member up takes constant time.
public struct JSONObject: Sendable {
    /// A member: its name and its value.
    public typealias Element = (key: String, value: JSONValue)

    private(set) var members: [Element]
    /// Where each member is; empty while a search through the members is as fast.
    private var index: [ExactString: Int] = [:]

    private static let largestUnindexed = 16

    /// Creates an object without members.
    public init() { members = [] }

    /// Creates an object; of members with the same name the last one wins.
    public init(_ members: some Sequence<Element>) {
        self.init(consuming: Array(members))
    }

    init(consuming members: consuming [Element]) {
        self.members = members
        if hasRepeatedName() { keepLastOfEachName() } else { reindex() }
    }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names in the order written.
    public var keys: [String] { members.map(\.key) }

    /// The value of a member; setting one that is new appends it, setting nil removes it.
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

    private func position(of key: String) -> Int? {
        if index.isEmpty { return members.firstIndex { $0.key.isExactly(key) } }
        return index[ExactString(key)]
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

    /// Small objects are compared pair by pair; a large one by hashing, so that no input takes quadratic time.
    private func hasRepeatedName() -> Bool {
        if members.count > Self.largestUnindexed {
            return Set(members.lazy.map { ExactString($0.key) }).count != members.count
        }
        for later in members.indices.dropFirst() {
            for earlier in 0..<later where members[earlier].key.isExactly(members[later].key) { return true }
        }
        return false
    }

    private mutating func keepLastOfEachName() {
        let repeated = members
        members.removeAll(keepingCapacity: true)
        for member in repeated { self[member.key] = member.value }
    }
}

extension JSONObject: Sequence {
    /// Goes through the members in the order written.
    public func makeIterator() -> IndexingIterator<[Element]> { members.makeIterator() }

    /// How many members there are.
    public var underestimatedCount: Int { members.count }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object; of members with the same name the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
    }
}

extension JSONObject: Hashable {
    /// Equal members, whatever their order: RFC 8259, section 1, calls an object "an unordered collection".
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Adds the members' hashes up, so that their order does not count.
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
