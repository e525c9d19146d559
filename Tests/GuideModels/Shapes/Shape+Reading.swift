import JSON

extension Shape {
    /// The shape of exactly this value: every member is required, and numbers are distinguished by their notation.
    ///
    /// A number with a fraction becomes `number`: where a guide prints 0.45, 0 is also valid. Ids are strings, because
    /// the guides print placeholders.
    package init(of value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool: .bool
            case .number(let number): number.text.contains { ".eE".contains($0) } ? .number : .integer
            case .string(let text): Self.isTimestamp(text) ? .timestamp : .string
            case .array(let elements): .array(Self.common(to: elements.map(Shape.init(of:))))
            case .object(let object): .object(object.map { Member($0.key, Shape(of: $0.value)) })
            }
    }

    /// The shape of an example that a guide prints.
    package init(_ fixture: GuideFixture) throws { self.init(of: try fixture.value) }

    /// A shape that all of these shapes fit, or nil if there are none.
    static func common(to shapes: [Shape]) -> Shape? {
        shapes.dropFirst().reduce(shapes.first) { $0?.joined(with: $1) }
    }

    /// A shape that both shapes fit: a member that only one of them has is optional, and a value that is null in one of
    /// them is nullable.
    func joined(with other: Shape) -> Shape {
        switch (self, other) {
        case _ where self == other: self
        case (.null, let shape), (let shape, .null):
            if case .nullable = shape { shape } else { .nullable(shape) }
        case (.nullable(let left), .nullable(let right)): .nullable(left.joined(with: right))
        case (.nullable(let inner), let shape), (let shape, .nullable(let inner)):
            .nullable(inner.joined(with: shape))
        case (.integer, .number), (.number, .integer): .number
        case (.timestamp, .string), (.string, .timestamp): .string
        case (.array(let left), .array(let right)): .array(Self.common(to: [left, right].compactMap { $0 }))
        case (.object(let left), .object(let right)):
            .object(
                left.map { member in
                    guard let twin = right.first(where: { $0.name == member.name })
                    else { return Member(member.name, member.shape, isOptional: true) }
                    return Member(
                        member.name, member.shape.joined(with: twin.shape),
                        isOptional: member.isOptional || twin.isOptional)
                }
                    + right.filter { twin in !left.contains { $0.name == twin.name } }
                    .map { Member($0.name, $0.shape, isOptional: true) })
        default: .any
        }
    }
}
