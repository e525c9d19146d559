import MockServer

/// The operations of the admin API without a row.
enum Coverage {
    /// Operations without a row, with the reason: none so far.
    static let reasons: [String: String] = [:]

    /// The operations of `openapi/admin.yaml`, such as `GET /faults/{name}`, without a row and without a reason.
    static var missing: [String] {
        let calls = Filling.all.flatMap(\.rows).compactMap(\.call)
        return operations.filter { operation in
            reasons[operation.name] == nil
                && !calls.contains { operation.method == $0.method && operation.takes($0.target) }
        }.map(\.name)
    }

    private struct Operation {
        let method: String
        let path: String
        var name: String { "\(method) \(path)" }

        /// Whether it answers a target, in the default world or another.
        func takes(_ target: String) -> Bool {
            var segments = target.prefix { $0 != "?" }.split(separator: "/").dropFirst()
            if segments.count > 2, segments.first == "worlds" { segments = segments.dropFirst(2) }
            let own = path.split(separator: "/")
            return own.count == segments.count && zip(own, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
    }

    /// Read by the indentation of the description: paths at two, methods at four.
    private static var operations: [Operation] {
        var found: [Operation] = []
        var path = ""
        let text = String(decoding: APIDescription.adminOpenAPIBytes, as: UTF8.self)
        for line in text.split(separator: "\n").drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line.dropFirst(2).dropLast()) }
            for method in ["get", "put", "post", "patch", "delete"] where line == "    \(method):" {
                found.append(Operation(method: method.uppercased(), path: path))
            }
        }
        precondition(found.count > 20, "The description is written otherwise than this expects.")
        return found
    }
}
