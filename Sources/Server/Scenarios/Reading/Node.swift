import Text

/// A value of a scenario as it was written, before anybody knows what it means; YAML and JSON both become this.
struct Node: Equatable {
    var content: Content
    /// Where it begins in the file; nil where there is none.
    var position: Position?

    init(_ content: Content, at position: Position? = nil) {
        self.content = content
        self.position = position
    }

    enum Content: Equatable {
        /// `null`, `~`, or nothing at all.
        case null
        /// A word without quotation marks: a number, a truth value, or in YAML any text.
        ///
        /// YAML 1.1 takes `no` for a boolean and `1:30` for ninety; here the place decides what a word is. So it does for
        /// JSON's numbers and booleans, since every document of JSON is one of YAML.
        case plain(String)
        /// A text that was marked as one.
        case text(String)
        case list([Node])
        case mapping([Member])
    }

    /// A key with its value, in the order of the file.
    struct Member: Equatable {
        var key: String
        var keyPosition: Position?
        var value: Node
    }

    /// What was written, for messages.
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

/// A place in a file, as editors count: from 1, columns in Unicode scalars.
struct Position: Equatable, Sendable {
    var line: Int
    var column: Int
}

/// The way from the document to one of its values, a step at a time; texts are made of it only for messages.
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

    /// A key as it stands in a path: quoted where it would read as something else.
    private static func name(_ key: String) -> String {
        let isWord =
            !key.isEmpty && key.utf8.count <= 60
            && key.utf8.allSatisfy(\.isWordCharacter)
        return isWord ? key : Messages.quoted(key)
    }
}
