import JSON

/// The shape of a JSON value: the tree of its members' names and types.
///
/// The guides define an answer's names, types and nesting; other tests compare the values.
package indirect enum Shape: Sendable, Equatable {
    /// Any value, where a guide leaves it open.
    case any
    case null
    case bool
    /// A number written without a fraction or an exponent, as Swift's `Int` decodes it.
    case integer
    case number
    /// A number written with a fraction: `198.0`, not `198`.
    case decimal
    case string
    /// A time in UTC with whole seconds: `2025-01-29T10:30:00Z`.
    case timestamp
    /// An id as the backend issues it: a UUID in lower case.
    case id
    case oneOf([String])
    /// An array whose elements all have this shape; nil if no element is known.
    case array(Shape?)
    /// An object with these members and no others.
    case object([Member])
    case nullable(Shape)

    /// A member of an object.
    package struct Member: Sendable, Equatable {
        package let name: String
        package var shape: Shape
        package var isOptional: Bool

        /// Creates a member, which is required by default.
        package init(_ name: String, _ shape: Shape, isOptional: Bool = false) {
            self.name = name
            self.shape = shape
            self.isOptional = isOptional
        }
    }

    /// An object with its members in the guide's order; a member whose name ends with `?` may be absent.
    package static func members(_ members: KeyValuePairs<String, Shape>) -> Shape {
        .object(
            members.map { name, shape in
                name.hasSuffix("?") ? Member(String(name.dropLast()), shape, isOptional: true) : Member(name, shape)
            })
    }

    /// The envelope that most guides use: `{"success": true, "data": …}`.
    package static func enveloped(_ data: Shape) -> Shape { .members(["success": .bool, "data": data]) }
}

extension Shape: CustomStringConvertible {
    package var description: String {
        switch self {
        case .any: "anything"
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .decimal: "number with a fraction"
        case .string: "string"
        case .timestamp: "time like 2025-01-29T10:30:00Z"
        case .id: "UUID in lower case"
        case .oneOf(let values): "one of \(values.joined(separator: ", "))"
        case .array: "array"
        case .object: "object"
        case .nullable(let shape): "\(shape) or null"
        }
    }
}
