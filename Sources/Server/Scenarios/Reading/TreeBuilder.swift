import JSON

struct TreeError: Error {
    var position: Position?
    var message: String
}

/// Builds the tree of a file or a value within the limits, because aliases can turn a small file into a huge document.
struct TreeBuilder {
    private var remainingNodes = ScenarioLimits.nodes
    /// The bytes that aliases may still repeat.
    private var remainingBytes = ScenarioLimits.repeatedBytes
    private var anchors: [ExactString: Anchored] = [:]

    private enum Anchored {
        case scalar(YAMLParser.Scalar, Position)
        case tree(Node)
    }

    /// The tree of a YAML document in UTF-8; every scalar is a string, because a scalar's meaning depends on its
    /// position.
    static func tree(ofYAML bytes: [UInt8]) throws(TreeError) -> Node {
        try bytes.withUnsafeBufferPointer { bytes throws(TreeError) in
            let parser = try YAMLParser(bytes)
            guard case .documentStart = try parser.next().kind else {
                throw TreeError(position: Position(line: 1, column: 1), message: Messages.emptyFile)
            }
            var builder = TreeBuilder()
            let root = try builder.node(try parser.next(), depth: 1, of: parser)
            _ = try parser.next()  // The document's end.
            let next = try parser.next()
            guard case .streamEnd = next.kind else {
                throw TreeError(position: next.position, message: Messages.severalDocuments)
            }
            return root
        }
    }

    /// The tree of a JSON value; the JSON reader has already checked all limits except depth.
    static func tree(of value: JSONValue) throws(TreeError) -> Node { try node(value, depth: 1) }

    // MARK: - YAML

    private mutating func node(
        _ event: YAMLParser.Event, depth: Int, of parser: borrowing YAMLParser
    ) throws(TreeError) -> Node {
        let position = event.position
        let node: Node
        let anchor: String?
        switch event.kind {
        case .alias(let name): return try repeated(try anchored(name, at: position), depth: depth)
        case .scalar(let scalar):
            try count(depth: depth, at: position)
            register(.scalar(scalar, position), as: scalar.properties.anchor)
            return Node(try Self.content(of: scalar, at: position), at: position)
        case .listStart(let properties):
            try count(depth: depth, at: position)
            try Self.check(properties.tag, at: position)
            anchor = properties.anchor
            var elements: [Node] = []
            while true {
                let next = try parser.next()
                if case .listEnd = next.kind { break }
                elements.append(try self.node(next, depth: depth + 1, of: parser))
            }
            node = Node(.list(elements), at: position)
        case .mappingStart(let properties):
            try count(depth: depth, at: position)
            try Self.check(properties.tag, at: position)
            anchor = properties.anchor
            node = Node(.mapping(try members(depth: depth, of: parser)), at: position)
        case .documentStart, .documentEnd, .listEnd, .mappingEnd, .streamEnd:
            preconditionFailure("libyaml must begin a value with one of the events above.")
        }
        register(.tree(node), as: anchor)
        return node
    }

    private mutating func members(depth: Int, of parser: borrowing YAMLParser) throws(TreeError) -> [Node.Member] {
        var members: [Node.Member] = []
        while true {
            let event = try parser.next()
            if case .mappingEnd = event.kind { break }
            // A key that an alias repeats has its anchor's position, so the value's position is more precise.
            let (key, position) = try key(event)
            let value = try node(try parser.next(), depth: depth + 1, of: parser)
            members.append(Node.Member(key: key, keyPosition: position, value: value))
        }
        try Self.checkKeys(of: members)
        return members
    }

    private mutating func key(_ event: YAMLParser.Event) throws(TreeError) -> (String, Position) {
        switch event.kind {
        case .scalar(let scalar):
            register(.scalar(scalar, event.position), as: scalar.properties.anchor)
            return (scalar.text, event.position)
        case .alias(let name):
            switch try anchored(name, at: event.position) {
            case .scalar(let scalar, let position):
                try countRepeated(scalar.text, at: position)
                return (scalar.text, position)
            case .tree(let node): throw TreeError(position: node.position, message: Messages.keyIsNotText)
            }
        default: throw TreeError(position: event.position, message: Messages.keyIsNotText)
        }
    }

    /// Canonically equivalent keys count as one, because they look the same.
    private static func checkKeys(of members: [Node.Member]) throws(TreeError) {
        guard members.count > 1 else { return }
        var first: [String: Int] = [:]  // Natural text: equivalent keys are refused, and no key is looked up.
        var repeated: Set<Int> = []
        for (index, member) in members.enumerated() {
            if let other = first.updateValue(index, forKey: member.key) {
                first[member.key] = other
                repeated.insert(other)
            }
        }
        guard !repeated.isEmpty else { return }
        let keys = repeated.map { members[$0] }.sorted { $0.key < $1.key }
        throw TreeError(position: keys.first?.keyPosition, message: Messages.duplicateKeys(keys.map(\.key)))
    }

    private static func content(of scalar: YAMLParser.Scalar, at position: Position) throws(TreeError) -> Node.Content {
        try check(scalar.properties.tag, at: position)
        guard scalar.isPlain, scalar.properties.tag == nil else { return .text(scalar.text) }
        switch scalar.text {
        case "", "~", "null": return .null
        default: return .plain(scalar.text)
        }
    }

    /// Accepts `!!str` and similar tags, which have no effect; refuses other tags.
    private static func check(_ tag: String?, at position: Position) throws(TreeError) {
        switch tag {
        case nil, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map": return
        case let tag?: throw TreeError(position: position, message: Messages.unknownTag(tag))
        }
    }

    private mutating func count(depth: Int, at position: Position?) throws(TreeError) {
        guard depth <= ScenarioLimits.depth else { throw TreeError(position: position, message: Messages.tooDeep) }
        guard remainingNodes > 0 else { throw TreeError(position: position, message: Messages.tooManyNodes) }
        remainingNodes -= 1
    }

    // MARK: - Anchors and aliases

    private mutating func register(_ value: Anchored, as anchor: String?) {
        if let anchor { anchors[ExactString(anchor)] = value }
    }

    // An anchor may be redefined; an alias refers to the latest definition. A value cannot contain its own alias.
    private func anchored(_ name: String, at position: Position) throws(TreeError) -> Anchored {
        guard let value = anchors[ExactString(name)] else {
            throw TreeError(position: position, message: Messages.undefinedAlias(name))
        }
        return value
    }

    private mutating func repeated(_ value: Anchored, depth: Int) throws(TreeError) -> Node {
        switch value {
        case .scalar(let scalar, let position):
            let node = Node(try Self.content(of: scalar, at: position), at: position)
            try countRepeated(node, depth: depth)
            return node
        case .tree(let node):
            try countRepeated(node, depth: depth)
            return node
        }
    }

    /// Counts a repeated value as if the file contained another copy.
    private mutating func countRepeated(_ node: Node, depth: Int) throws(TreeError) {
        try count(depth: depth, at: node.position)
        switch node.content {
        case .null: break
        case .plain(let text), .text(let text): try countRepeated(text, at: node.position)
        case .list(let elements): for element in elements { try countRepeated(element, depth: depth + 1) }
        case .mapping(let members):
            for member in members {
                try countRepeated(member.key, at: member.keyPosition)
                try countRepeated(member.value, depth: depth + 1)
            }
        }
    }

    private mutating func countRepeated(_ text: String, at position: Position?) throws(TreeError) {
        remainingBytes -= text.utf8.count
        guard remainingBytes >= 0 else { throw TreeError(position: position, message: Messages.tooMuchRepeated) }
    }

    // MARK: - JSON

    private static func node(_ value: JSONValue, depth: Int) throws(TreeError) -> Node {
        guard depth <= ScenarioLimits.depth else { throw TreeError(message: Messages.tooDeep) }
        switch value {
        case .null: return Node(.null)
        case .bool(let bool): return Node(.plain(bool ? "true" : "false"))
        case .number(let number): return Node(.plain(number.text))
        case .string(let text): return Node(.text(text))
        case .array(let elements):
            var nodes: [Node] = []
            nodes.reserveCapacity(elements.count)
            for element in elements { nodes.append(try node(element, depth: depth + 1)) }
            return Node(.list(nodes))
        case .object(let object):
            var members: [Node.Member] = []
            members.reserveCapacity(object.count)
            for (key, value) in object {
                members.append(Node.Member(key: key, keyPosition: nil, value: try node(value, depth: depth + 1)))
            }
            return Node(.mapping(members))
        }
    }
}
