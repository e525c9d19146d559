import JSON

/// A condition on a member of JSON: of the payload of a frame, of the body of a response, or of that of a request.
public struct MemberCondition: Sendable {
    /// The names and indices that lead to it.
    private let steps: [Step]
    private let path: String
    private let value: JSONValue
    private let isOfRequest: Bool

    private enum Step: Sendable {
        case name(String)
        case index(Int)
    }

    /// nil if the path is none, or the value is an object or a list.
    ///
    /// - Parameter path: Names with dots between them, and indices from 0 in brackets: `data.items[0].name`.
    public init?(_ path: String, equals value: JSONValue, isOfRequest: Bool) {
        switch value {
        case .object, .array: return nil
        default: break
        }
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            if !pieces[0].isEmpty {
                steps.append(.name(String(pieces[0])))
            } else if pieces.count == 1 || !steps.isEmpty {
                return nil
            }
            for piece in pieces.dropFirst() {
                guard piece.last == "]", let index = Int(piece.dropLast()), index >= 0 else { return nil }
                steps.append(.index(index))
            }
        }
        guard steps.count <= Self.mostSteps else { return nil }
        (self.steps, self.path, self.value, self.isOfRequest) = (steps, path, value, isOfRequest)
    }

    /// As deep as JSON may be.
    private static let mostSteps = JSON.Limits().depth

    /// Its name in sentences on differences.
    var name: String { "\(path)\(isOfRequest ? " of the request" : "")" }
    var wanted: String { Self.shown(value) }

    /// A text as it is, anything else as JSON.
    static func shown(_ value: JSONValue) -> String { value.string ?? String(decoding: value.encoded(), as: UTF8.self) }

    /// What an event has there; nil if it has no such JSON, or no such member.
    func value(in event: JournalEvent) -> JSONValue? {
        let bytes: [UInt8]
        switch event {
        case .exchange(let exchange): bytes = isOfRequest ? exchange.body.bytes : exchange.responseBody.bytes
        case .frame(let frame) where !isOfRequest: bytes = frame.payload.bytes
        default: return nil
        }
        guard let json = try? JSON.parse(bytes) else { return nil }
        return steps.reduce(json) { value, step in
            switch step {
            case .name(let name): value?[name]
            case .index(let index): value?[index]
            }
        }
    }

    /// Numbers are equal if their values are.
    func matches(_ found: JSONValue) -> Bool {
        if let wanted = value.number, let found = found.number {
            return wanted == found || wanted.double != nil && wanted.double == found.double
        }
        return found == value
    }
}
