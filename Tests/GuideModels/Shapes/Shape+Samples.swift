import JSON

extension Shape {
    /// A value of this shape, with all optional members or with none.
    package func sample(isFull: Bool) -> JSONValue {
        switch self {
        case .any, .null: .null
        case .bool: true
        case .integer: 3
        case .number: 0.5
        case .decimal: .number(JSONNumber("198.0")!)  // A valid number by RFC 8259.
        case .string: "text"
        case .timestamp: "2025-01-29T10:30:00Z"
        case .id: "550e8400-e29b-41d4-a716-446655440000"
        case .oneOf(let values): .string(isFull ? values[0] : values[values.count - 1])
        case .array(let element): .array(element.map { [$0.sample(isFull: isFull)] } ?? [])
        case .nullable(let shape): isFull ? shape.sample(isFull: true) : .null
        case .object(let members):
            .object(
                JSONObject(
                    members.filter { isFull || !$0.isOptional }.map { ($0.name, $0.shape.sample(isFull: isFull)) }))
        }
    }

    /// The paths of all required members, each with a sample that is complete except for that member.
    ///
    /// Nullable members are omitted, because decoders treat an absent member as null.
    package func samplesWithoutOneMember() -> [(path: String, value: JSONValue)] {
        switch self {
        case .nullable(let shape): shape.samplesWithoutOneMember()
        case .array(let element?): element.samplesWithoutOneMember().map { ("[].\($0.path)", .array([$0.value])) }
        case .object(let members):
            members.flatMap { member -> [(path: String, value: JSONValue)] in
                let rest = members.filter { $0.name != member.name }.map { ($0.name, $0.shape.sample(isFull: true)) }
                let lacking = member.mayLackAValue ? [] : [(member.name, JSONValue.object(JSONObject(rest)))]
                return lacking
                    + member.shape.samplesWithoutOneMember().map { path, value in
                        (
                            path.hasPrefix("[") ? member.name + path : "\(member.name).\(path)",
                            .object(JSONObject(rest + [(member.name, value)]))
                        )
                    }
            }
        default: []
        }
    }
}

extension Shape.Member {
    /// Whether a decoder accepts a missing value here.
    fileprivate var mayLackAValue: Bool {
        switch shape {
        case .nullable, .any, .null: true
        default: isOptional
        }
    }
}
