import Foundation

extension MockWorld {
    /// A JSON value for faults, scenarios and conditions, which you can write as a literal.
    public enum JSON: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case array([JSON])
        case object([String: JSON])

        /// Parses the text of a JSON value.
        public init(text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

        /// The value of a member, or nil if it is absent or this is not an object.
        public subscript(_ name: String) -> JSON? {
            if case .object(let members) = self { members[name] } else { nil }
        }

        /// The text of a string, or nil for other values.
        public var string: String? { if case .string(let text) = self { text } else { nil } }
        /// The value of a whole number, or nil for other values.
        public var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
        /// The elements of an array, or empty for other values.
        public var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

        var text: String { String(decoding: data, as: UTF8.self) }

        /// The encoded bytes; a number that JSON cannot represent becomes null.
        var data: Data {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(self)) ?? Data("null".utf8)
        }
    }
}

extension MockWorld.JSON: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([MockWorld.JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: MockWorld.JSON].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension MockWorld.JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: MockWorld.JSON...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, MockWorld.JSON)...) {
        self = .object(Dictionary(members) { $1 })
    }
    public init(nilLiteral: ()) { self = .null }
}

extension Duration {
    /// The duration in the format that the admin API expects.
    var json: MockWorld.JSON {
        let (seconds, attoseconds) = components
        return .string("\(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))ns")
    }

    var seconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18 }
}

extension JSONDecoder {
    /// Decodes the admin API's responses, with underscores in names and up to nine fractional digits in times.
    static var admin: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            if let date = Date(admin: text) { return date }
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is not a time."))
        }
        return decoder
    }
}

extension Date {
    init?(admin text: String) {
        let parts = text.dropLast().split(separator: ".", maxSplits: 1)
        guard text.hasSuffix("Z"), let whole = parts.first,
            let date = try? Date("\(whole)Z", strategy: .iso8601)
        else { return nil }
        self = date.addingTimeInterval(parts.count == 2 ? Double("0.\(parts[1])") ?? 0 : 0)
    }

    var admin: String { formatted(.iso8601) }
}
