import JSON

extension Shape {
    /// How a value differs from this shape: one sentence for each place, with its path: `data.items[0].quantity`.
    ///
    /// The result is empty if the value has this shape. The whole value is called `body`.
    package func differences(from value: JSONValue) -> [String] {
        var found: [String] = []
        collect(value, at: "", into: &found)
        return found
    }

    /// How JSON text differs from this shape; invalid JSON counts as one difference.
    package func differences(from text: some Sequence<UInt8>) -> [String] {
        do {
            return differences(from: try JSON.parse(Array(text)))
        } catch {
            return ["body: no JSON: \(error)"]
        }
    }

    private func collect(_ value: JSONValue, at path: String, into found: inout [String]) {
        switch (self, value) {
        case (.nullable, .null): break
        case (.nullable(let shape), _): shape.collect(value, at: path, into: &found)
        case (.array(let element?), .array(let elements)):
            for (index, item) in elements.enumerated() { element.collect(item, at: "\(path)[\(index)]", into: &found) }
        case (.object(let members), .object(let object)):
            for member in members {
                let path = Self.path(path, member.name)
                if let value = object[member.name] {
                    member.shape.collect(value, at: path, into: &found)
                } else if !member.isOptional {
                    found.append("\(path): missing")
                }
            }
            let known = Set(members.map(\.name))
            for name in object.keys where !known.contains(name) {
                found.append("\(Self.path(path, name)): not in the guide")
            }
        default:
            if !isMet(by: value) {
                found.append("\(path.isEmpty ? "body" : path): \(Self.name(of: value)), expected \(self)")
            }
        }
    }

    /// Whether a value that is compared as a whole has this shape.
    private func isMet(by value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.null, .null), (.bool, .bool), (.string, .string), (.array(nil), .array), (.number, .number):
            true
        case (.integer, .number(let number)): !number.text.contains { ".eE".contains($0) }
        case (.decimal, .number(let number)): number.text.contains(".")
        case (.timestamp, .string(let text)): Self.isTimestamp(text)
        case (.id, .string(let text)): Self.isLowerCaseUUID(text)
        case (.oneOf(let values), .string(let text)): values.contains(text)
        default: false
        }
    }

    private static func path(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The received value, in the same words as the expectations; short strings are shown.
    private static func name(of value: JSONValue) -> String {
        switch value {
        case .string(let text) where text.count <= 40: "string \"\(text)\""
        case .number(let number): "number \(number.text)"
        default: Shape(of: value).description
        }
    }

    static func isTimestamp(_ text: String) -> Bool {
        text.utf8.count == 20 && zip(text.utf8, "0000-00-00T00:00:00Z".utf8).allSatisfy(Self.fits)
    }

    static func isLowerCaseUUID(_ text: String) -> Bool {
        text.utf8.count == 36 && zip(text.utf8, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".utf8).allSatisfy(Self.fits)
    }

    /// In a pattern, `0` matches a digit, `x` matches a lower-case hexadecimal digit, and any other character matches
    /// itself.
    private static func fits(_ byte: UInt8, _ pattern: UInt8) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return switch pattern {
        case UInt8(ascii: "0"): digits.contains(byte)
        case UInt8(ascii: "x"): digits.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        default: byte == pattern
        }
    }
}
