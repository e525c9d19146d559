import HTTPTypes
import Text

extension FieldBlock {
    /// Whether the sender accepts gzip: it lists `gzip` or `*` with a weight above zero (RFC 9110 §12.5.3).
    public var acceptsGzip: Bool {
        var takesAny = false
        // Compares bytes, because most requests have this field.
        for element in values(.acceptEncoding).flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }) {
            let parts = element.filter { $0 != .space && $0 != .tab }.map(\.lowercased).split(
                separator: UInt8(ascii: ";"))
            guard let coding = parts.first else { continue }
            let isRefused = parts.dropFirst().contains {
                $0.starts(with: "q=0".utf8) && $0.dropFirst(3).allSatisfy(".0".utf8.contains)
            }
            if coding.elementsEqual("gzip".utf8) || coding.elementsEqual("x-gzip".utf8) { return !isRefused }
            if coding.elementsEqual("*".utf8) { takesAny = !isRefused }
        }
        return takesAny
    }
}
