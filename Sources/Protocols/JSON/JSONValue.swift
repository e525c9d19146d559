/// Any JSON value (RFC 8259, section 3).
///
/// Strings are equal where their bytes are, as names are; objects are equal whatever the order of their members;
/// numbers are equal when they are written alike.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number, kept as it was written.
    case number(JSONNumber)
    /// A string, its escapes decoded.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its members in the order written.
    case object(JSONObject)
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The truth value, or nil if this is no boolean.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, or nil if this is none.
    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The exact integer, or nil if this is no number, has a fraction, or does not fit; `1.0` and `1e2` count.
    public var int: Int? { number?.int }

    /// The number as a double, or nil if this is no number or too large for one.
    public var double: Double? { number?.double }

    /// The string, or nil if this is none.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil if this is no array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or nil if this is none.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name, or nil if this is no object or has no such member.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element at that index, or nil if this is no array or has no such element.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue {
    /// Whether both are the same value.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the kind and the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ExactString(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates a number without a fraction.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

    /// Creates a number in its shortest form: `2.0` becomes `2`.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }

    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; of members with the same name the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}
