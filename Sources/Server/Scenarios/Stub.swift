import Faults
import FitIQAPI
import HTTPTypes
import JSON

/// An answer to requests for a path that is not part of the product.
public struct Stub: Sendable, Equatable {
    public var method: HTTPRequest.Method
    /// The path as written; a segment such as `{id}` matches any segment.
    public var path: String
    public var status = HTTPResponse.Status.ok
    public var fields = HTTPFields()
    public var body: [UInt8] = []
    /// Whether the stub also answers the product's paths.
    public var overrides = false

    public func answers(_ method: HTTPRequest.Method, _ segments: some BidirectionalCollection<String>) -> Bool {
        let wanted = Self.segments(of: path)
        return method == self.method && wanted.count == segments.count
            && zip(wanted, segments).allSatisfy { wanted, given in
                wanted.hasPrefix("{") && wanted.hasSuffix("}") || ExactString(wanted) == ExactString(given)
            }
    }

    fileprivate static func segments(of path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a path is part of the product in any mode.
    fileprivate static func isOfProduct(_ path: String) -> Bool {
        GuideMode.allCases.contains { Route(segments: segments(of: path), in: $0) != nil }
    }

    /// The first segments of the server's own paths.
    fileprivate static let reserved = ["__admin", "w", "health", "ready", "docs", "llms.txt", "ui", "metrics"]
}

extension Stub {
    static func read(_ cursor: Cursor) -> Stub? {
        guard let fields = Fields(cursor, as: .stub) else { return nil }
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        let method = fields["method"].map { $0.name(among: methods) } ?? "GET"
        let path = fields.required("path", Messages.stubPath)
        let overrides = fields["override"]?.flag() ?? false
        guard let path, let text = path.text(1...1000) else { return nil }
        guard text.hasPrefix("/"), !text.contains("?"), !text.contains("#"),
            !reserved.contains(segments(of: text)[0])
        else { return path.refuse(expected: Messages.stubPath) }
        if isOfProduct(text), !overrides { return path.refuse(Messages.stubOverProduct) }
        guard let method, let method = HTTPRequest.Method(rawValue: method) else { return nil }
        var stub = Stub(method: method, path: text)
        stub.overrides = overrides
        stub.status = StatusNames.status(fields["status"]?.integer(200...599) ?? 200)
        stub.body = Array((fields["body"]?.string(expected: "a string", bytes: FaultLimits.replacementBody) ?? "").utf8)
        if let headers = fields["headers"] { stub.readFields(headers) }
        return stub
    }

    private mutating func readFields(_ cursor: Cursor) {
        guard case .mapping(let members) = cursor.node.content else {
            return cursor.refuse(expected: Messages.stubFields)
        }
        for member in members.prefix(100) {
            let value = Cursor(
                node: member.value, path: .key(member.key, of: cursor.path), diagnosis: cursor.diagnosis)
            guard let name = HTTPField.Name(member.key), let text = value.text(0...4000),
                HTTPField.isValidValue(text), !Self.ofFraming.contains(name.canonicalName)
            else {
                value.refuse(expected: Messages.stubFields)
                continue
            }
            fields.append(HTTPField(name: name, value: text))
        }
    }

    private static let ofFraming = ["connection", "content-length", "date", "transfer-encoding", "upgrade"]
}
