import JSON
import Yams

/// Why a text has no tree.
struct TreeError: Error {
    var position: Position?
    var message: String
}

/// Makes the tree of a text or a value, within the limits: aliases can make a small file a huge document.
struct TreeBuilder {
    private var remainingNodes = ScenarioLimits.nodes

    /// The tree of a YAML document.
    static func tree(ofYAML text: String) throws(TreeError) -> Node {
        let root: Yams.Node?
        do {
            // Without rules every word stays a text: what it means depends on where it stands.
            root = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            throw TreeError(error, in: text)
        } catch {
            throw TreeError(message: Messages.notYAML("\(error)"))
        }
        guard let root else { throw TreeError(position: Position(line: 1, column: 1), message: Messages.emptyFile) }
        var builder = TreeBuilder()
        return try builder.node(root, depth: 1)
    }

    /// The tree of a JSON value, which the limits of the JSON reader have bounded already, save for depth.
    static func tree(of value: JSONValue) throws(TreeError) -> Node {
        try node(value, depth: 1)
    }

    private mutating func node(_ node: Yams.Node, depth: Int) throws(TreeError) -> Node {
        let position = Position(node.mark)
        guard depth <= ScenarioLimits.depth else {
            throw TreeError(position: position, message: Messages.tooDeep)
        }
        guard remainingNodes > 0 else { throw TreeError(position: position, message: Messages.tooManyNodes) }
        remainingNodes -= 1
        switch node {
        case .scalar(let scalar): return Node(try Self.content(of: scalar, at: position), at: position)
        case .alias: preconditionFailure("Yams puts what an alias names in its place.")
        case .sequence(let sequence):
            try Self.check(sequence.tag, at: position)
            var elements: [Node] = []
            for element in sequence { elements.append(try self.node(element, depth: depth + 1)) }
            return Node(.list(elements), at: position)
        case .mapping(let mapping):
            try Self.check(mapping.tag, at: position)
            var members: [Node.Member] = []
            for (key, value) in mapping {
                guard case .scalar(let name) = key else {
                    throw TreeError(position: Position(key.mark) ?? position, message: Messages.keyIsNotText)
                }
                // A key that an alias repeats stands where its anchor does; its value is nearer.
                let member = Node.Member(
                    key: name.string, keyPosition: Position(key.mark),
                    value: try self.node(value, depth: depth + 1))
                members.append(member)
            }
            return Node(.mapping(members), at: position)
        }
    }

    private static func content(
        of scalar: Yams.Node.Scalar, at position: Position?
    ) throws(TreeError) -> Node.Content {
        try check(scalar.tag, at: position)
        guard scalar.style == .plain, scalar.tag.rawValue.isEmpty else { return .text(scalar.string) }
        switch scalar.string {
        case "", "~", "null": return .null
        default: return .plain(scalar.string)
        }
    }

    /// `!!str` and its like only say what is so anyway; other tags ask for meanings that there are none of.
    private static func check(_ tag: Tag, at position: Position?) throws(TreeError) {
        switch tag.rawValue {
        case "", "!", Tag.Name.str.rawValue, Tag.Name.seq.rawValue, Tag.Name.map.rawValue: return
        default: throw TreeError(position: position, message: Messages.unknownTag(tag.rawValue))
        }
    }

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

extension Position {
    fileprivate init?(_ mark: Mark?) {
        guard let mark else { return nil }
        self.init(line: mark.line, column: mark.column)
    }

    /// The place of the n-th character of a text.
    fileprivate init(ofCharacter offset: Int, in text: String) {
        self.init(line: 1, column: 1)
        for character in text.prefix(offset) {
            if character.isNewline {
                line += 1
                column = 1
            } else {
                column += character.unicodeScalars.count
            }
        }
    }
}

extension TreeError {
    fileprivate init(_ error: YamlError, in text: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            self.init(
                position: Position(mark),
                message: Messages.notYAML(problem, context: context?.text, contextLine: context?.mark.line))
        case .reader(let problem, let offset, _, _):
            self.init(
                position: offset.map { Position(ofCharacter: $0, in: text) } ?? Position(line: 1, column: 1),
                message: Messages.notYAML(problem))
        case .duplicatedKeysInMapping(let keys, let context):
            self.init(
                position: Position(context.mark),
                message: Messages.duplicateKeys(keys))
        default:
            self.init(position: Position(line: 1, column: 1), message: Messages.notYAML("\(error)"))
        }
    }
}
