import Text

/// The name of a server in a fleet; its worlds' ids start with it, so that a proxy can find their server.
public struct NodeName: Hashable, Sendable {
    public let text: String

    /// The maximum length of a host name's label (RFC 1035 §2.3.4), because orchestrators use host names as server
    /// names.
    public static let longest = 63

    /// Reads a lower-case host name label; nil for any other string.
    ///
    /// A label consists of letters, digits and hyphens, starts with a letter and does not end with a hyphen.
    public init?(_ text: some StringProtocol) {
        let isLabel = text.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
        guard isLabel, (1...Self.longest).contains(text.utf8.count), text.utf8.first?.isLowercaseLetter == true,
            !text.hasSuffix("-")
        else { return nil }
        self.text = String(text)
    }
}

/// The id of a world other than the default world: `w17`, or `n2-w17` if a node created it.
struct WorldID: Equatable {
    /// The server that created the world; nil for a server that has no name.
    let node: NodeName?
    let number: Int

    init(_ number: Int, of node: NodeName?) { (self.number, self.node) = (number, node) }

    /// The maximum number that a client may choose; greater numbers are reserved for the server.
    static let largestChosen = 999_999_999_999_999_999

    /// Reads an id; nil for any other string, including a different spelling of an id.
    init?(_ text: String) {
        guard let place = text.utf8.lastIndex(of: UInt8(ascii: "w")),
            let number = Int(text[text.index(after: place)...]), number > 0
        else { return nil }
        let prefix = text[..<place]
        let node = prefix.hasSuffix("-") ? NodeName(prefix.dropLast()) : nil
        guard prefix.isEmpty || node != nil else { return nil }
        self.init(number, of: node)
        guard text.utf8.elementsEqual(self.text.utf8) else { return nil }
    }

    var text: String { (node.map { $0.text + "-" } ?? "") + "w\(number)" }
}
