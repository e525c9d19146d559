import CYAML
import Text

/// The events of a YAML stream in UTF-8, as libyaml parses them, with their positions.
///
/// This class owns the parser on the heap, because libyaml keeps pointers into the parser. Parsing takes time linear in
/// the size of the text.
struct YAMLParser: ~Copyable {
    struct Event {
        var kind: Kind
        var position: Position
    }

    enum Kind {
        case documentStart
        case alias(of: String)
        case scalar(Scalar)
        /// The start of a node that contains other nodes.
        case listStart(Properties)
        case mappingStart(Properties)
        case listEnd
        case mappingEnd
        case documentEnd
        case streamEnd
    }

    struct Properties {
        var anchor: String?
        var tag: String?
    }

    struct Scalar {
        var text: String
        /// Whether the scalar is neither quoted nor a block.
        var isPlain: Bool
        var properties: Properties
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter bytes: The bytes, which must outlive the parser.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        self.bytes = bytes
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        // Initialisation fails only if memory is exhausted; the parser is then empty and can be deleted as usual.
        guard yaml_parser_initialize(parser) == 1 else { throw TreeError(message: Messages.noMemoryForYAML) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        // Limit the number of these directives, including occurrences in strings, because libyaml compares each
        // directive with all earlier ones.
        var directives = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard bytes[index...].starts(with: "%TAG".utf8) else { continue }
            directives += 1
            guard directives <= ScenarioLimits.directives else {
                throw TreeError(position: Position(ofByte: index, in: bytes), message: Messages.tooManyDirectives)
            }
        }
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Returns the next event; must not be called after an error or the end of the stream.
    func next() throws(TreeError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        let kind: Kind
        switch event.type {
        case YAML_STREAM_START_EVENT: return try next()
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_ALIAS_EVENT: kind = .alias(of: Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            // Strings may contain NUL.
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            kind = .scalar(
                Scalar(
                    text: text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
                    properties: Properties(anchor: Self.text(scalar.anchor), tag: Self.text(scalar.tag))))
        case YAML_SEQUENCE_START_EVENT:
            let list = event.data.sequence_start
            kind = .listStart(Properties(anchor: Self.text(list.anchor), tag: Self.text(list.tag)))
        case YAML_MAPPING_START_EVENT:
            let mapping = event.data.mapping_start
            kind = .mappingStart(Properties(anchor: Self.text(mapping.anchor), tag: Self.text(mapping.tag)))
        case YAML_SEQUENCE_END_EVENT: kind = .listEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        // libyaml returns the empty event after the end of the stream.
        default: kind = .streamEnd
        }
        return Event(kind: kind, position: Position(event.start_mark))
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(decodingCString: UnsafePointer($0), as: UTF8.self) }
    }

    // MARK: - Errors

    private func failure() -> TreeError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be parsed"
        switch parser.pointee.error {
        case YAML_READER_ERROR:
            if let error = TreeError(notUTF8: bytes) { return error }
            return TreeError(
                position: Position(ofByte: parser.pointee.problem_offset, in: bytes), message: Messages.notYAML(problem)
            )
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
            let context = parser.pointee.context.map { String(cString: $0) }
            return TreeError(
                position: Position(parser.pointee.problem_mark),
                message: Messages.notYAML(
                    problem, context: context, contextLine: Position(parser.pointee.context_mark).line, hint: hint))
        default: return TreeError(message: Messages.noMemoryForYAML)
        }
    }

    /// The usual cause of an error, from the parser's state and the character at which it stopped.
    private var hint: Messages.YAMLHint? {
        let problem = parser.pointee.problem_mark.index
        guard parser.pointee.error == YAML_SCANNER_ERROR else {
            // The enclosing list or mapping must start before the error.
            guard parser.pointee.context_mark.index < problem else { return nil }
            switch parser.pointee.state {
            case YAML_PARSE_BLOCK_SEQUENCE_FIRST_ENTRY_STATE, YAML_PARSE_BLOCK_SEQUENCE_ENTRY_STATE,
                YAML_PARSE_BLOCK_MAPPING_FIRST_KEY_STATE, YAML_PARSE_BLOCK_MAPPING_KEY_STATE:
                return .columns
            default: return nil
            }
        }
        // The mark counts characters; in UTF-8, each character has one byte that is not a continuation byte.
        var remaining = problem
        for byte in bytes where byte & 0xC0 != 0x80 {
            if remaining == 0 {
                switch byte {
                case UInt8(ascii: ":"): return .colon
                case UInt8(ascii: "\t"), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"), UInt8(ascii: "|"),
                    UInt8(ascii: ">"):
                    return .specialCharacter
                default: return nil
                }
            }
            remaining -= 1
        }
        return nil
    }
}

extension Position {
    fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }

    /// The position of a byte, using libyaml's line numbers.
    fileprivate init(ofByte offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        self.init(line: 1, column: 1)
        var previous: Unicode.Scalar?
        for scalar in String(decoding: bytes.prefix(offset), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n" where previous == "\r": break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                line += 1
                column = 1
            default: column += 1
            }
            previous = scalar
        }
    }
}

extension TreeError {
    /// The position of the first byte that is not valid UTF-8, if any.
    fileprivate init?(notUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        var offset = 0
        var decoder = UTF8()
        var input = bytes.makeIterator()
        while true {
            switch decoder.decode(&input) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error:
                self.init(position: Position(ofByte: offset, in: bytes), message: Messages.notUTF8(byte: offset))
                return
            }
        }
    }
}

/// A scenario's value as written, before interpretation; both YAML and JSON are converted to this type.
struct Node: Equatable {
    var content: Content
    var position: Position?

    init(_ content: Content, at position: Position? = nil) {
        self.content = content
        self.position = position
    }

    enum Content: Equatable {
        /// `null`, `~`, or an empty value.
        case null
        /// A word without quotation marks: a number, a boolean, or in YAML any string.
        ///
        /// YAML 1.1 reads `no` as a boolean and `1:30` as ninety; here the position determines a word's meaning. The
        /// position also determines the meaning of JSON's numbers and booleans, because every JSON document is a YAML
        /// document.
        case plain(String)
        /// A quoted string or a block.
        case text(String)
        case list([Node])
        case mapping([Member])
    }

    struct Member: Equatable {
        var key: String
        var keyPosition: Position?
        var value: Node
    }

    var excerpt: String {
        switch content {
        case .null: "nothing"
        case .plain(let text): text.isEmpty ? "nothing" : Messages.shortened(text)
        case .text(let text): Messages.quoted(text)
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// A position in a file, counted from 1 as in editors; columns are Unicode scalars.
struct Position: Equatable, Sendable {
    var line: Int
    var column: Int
}

/// The path from the document to one of its values; converted to text only for messages.
indirect enum Path {
    case document
    case key(String, of: Path)
    case index(Int, of: Path)

    /// `faults[2].status`; empty for the document.
    var text: String {
        switch self {
        case .document: ""
        case .key(let name, .document): Path.name(name)
        case .key(let name, let parent): parent.text + "." + Path.name(name)
        case .index(let index, let parent): parent.text + "[\(index)]"
        }
    }

    /// A key in a path, quoted if it is ambiguous.
    private static func name(_ key: String) -> String {
        let isWord = !key.isEmpty && key.utf8.count <= 60 && key.utf8.allSatisfy(\.isWordCharacter)
        return isWord ? key : Messages.quoted(key)
    }
}
