import JSON
import Sessions

/// The names that say that a value is a secret: of members, of items of a query, of fields.
enum SecretNames {
    /// Whether a member or an item of that name holds a secret, as a recorder knows it.
    static func contains(_ name: String) -> Bool { SecretName.isSecret(name) }

    /// The credentials of a request, each with what names it: an item of the query, a scheme, a field, a cookie.
    static func credentials(in fields: [SessionField], _ url: RequestURL) -> [Credential] {
        var credentials = url.items.filter { contains($0.name) }.map {
            Credential(name: "query \($0.name)", value: ExactString($0.value))
        }
        for field in fields {
            let value = field.value
            switch field.name.lowercased() {
            case "authorization":
                let parts = value.split(separator: " ", maxSplits: 1)
                if let scheme = parts.first, let last = parts.last, parts.count == 2 {
                    let text = ExactString(last)
                    credentials.append(Credential(name: "authorization \(scheme.lowercased())", value: text))
                }
            case "x-api-key": credentials.append(Credential(name: "x-api-key", value: ExactString(value)))
            case "cookie":
                for pair in value.split(separator: ";").prefix(100) {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { continue }
                    let name = parts[0].drop { $0 == " " }
                    credentials.append(Credential(name: "cookie \(name)", value: ExactString(parts[1])))
                }
            default: break
            }
        }
        return credentials
    }
}

/// A secret with what names it.
struct Credential: Sendable, Equatable {
    var name: ExactString
    var value: ExactString
}
