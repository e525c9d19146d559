import HTTPTypes
import Text

extension FieldBlock {
    /// Whether the sender accepts gzip: it lists `gzip` or `*` with a weight above zero (RFC 9110 §12.5.3).
    public var acceptsGzip: Bool {
        var takesAny = false
        for element in values(.acceptEncoding).flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = element.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            let isRefused = parts.dropFirst().contains {
                $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { ".0".contains($0) }
            }
            switch parts.first {
            case "gzip", "x-gzip": return !isRefused
            case "*": takesAny = !isRefused
            default: continue
            }
        }
        return takesAny
    }
}
