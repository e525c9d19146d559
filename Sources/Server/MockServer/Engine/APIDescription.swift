import FitIQAPI
import JSON
import Scenarios
import Texts

/// An API description, which depends on the guide mode.
///
/// The binary embeds the descriptions, so the server reads no files and copies a description only for a request.
public enum APIDescription: CaseIterable, Sendable {
    /// `/openapi.yaml`: the REST endpoints, in OpenAPI 3.1.
    case openAPI
    /// `/asyncapi.yaml`: the WebSocket and its frames, in AsyncAPI 3.0.
    case asyncAPI
    /// `/docs`: both descriptions as one readable HTML file that loads no external resources.
    case documentation

    public var mediaType: String { self == .documentation ? "text/html; charset=utf-8" : "application/yaml" }

    /// A mode's description, as a copy of its UTF-8 bytes.
    public func bytes(for mode: GuideMode) -> [UInt8] { Self.bytes(of: path(for: mode)) }

    /// A mode's description as JSON.
    func json(for mode: GuideMode) -> JSONValue {
        do throws(ScenarioErrors) { return try JSONValue(yaml: bytes(for: mode)) } catch {
            preconditionFailure("It is YAML: \(error)")
        }
    }

    /// `/__admin/openapi.yaml` as a copy of its UTF-8 bytes: the admin API (OpenAPI 3.1), which is the same in every
    /// mode.
    public static var adminOpenAPIBytes: [UInt8] { bytes(of: "openapi/admin.yaml") }

    /// The package file for a page that is the same in every mode; nil for any other path.
    static func page(at segments: [String]) -> String? {
        if segments == ["docs", "deviations"] { return "openapi/deviations.html" }
        let path = segments.joined(separator: "/")
        let isPage = path == "llms.txt" || segments.count == 2 && segments[0] == "docs" && path.hasSuffix(".md")
        return isPage && EmbeddedText(path: path).path.map(String.init(cString:)) == path ? path : nil
    }

    /// A page's media type; the one for Markdown comes from RFC 7763.
    static func mediaType(ofPage path: String) -> String {
        let type = path.hasSuffix(".md") ? "text/markdown" : path.hasSuffix(".html") ? "text/html" : "text/plain"
        return type + "; charset=utf-8"
    }

    /// `/__admin/ui` as a copy of its UTF-8 bytes: the admin API's HTML page, which is the same in every mode.
    public static var adminPageBytes: [UInt8] { bytes(of: "ui/ui.html") }

    /// The admin API's operations with their paths below `/__admin`, in the order of its description.
    ///
    /// The parser relies on the file's indentation: paths have two spaces, methods four, summaries six.
    static var adminOperations: [(method: String, path: String, summary: String)] {
        var operations: [(method: String, path: String, summary: String)] = []
        var (path, method) = ("", "")
        let summary = "summary: "
        // Compare bytes, because comparing characters takes ten times as long.
        let lines = adminOpenAPIBytes.split(separator: UInt8(ascii: "\n"))
        for line in lines.drop(while: { !$0.elementsEqual("paths:".utf8) })
            .prefix(while: { !$0.elementsEqual("components:".utf8) })
        {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            let isKey = text.last == UInt8(ascii: ":")
            switch line.count - text.count {
            case 2 where isKey && text.first == UInt8(ascii: "/"):
                path = String(decoding: text.dropLast(), as: UTF8.self)
            case 4 where isKey: method = String(decoding: text.dropLast(), as: UTF8.self).uppercased()
            case 6 where text.starts(with: summary.utf8):
                let sentence = String(decoding: text.dropFirst(summary.utf8.count), as: UTF8.self)
                operations.append((method, path, sentence))
            default: break
            }
        }
        return operations
    }

    /// The package file that contains a mode's description.
    func path(for mode: GuideMode) -> String {
        let folder = mode == .union ? "openapi" : "openapi/guides/\(mode.rawValue)"
        return switch self {
        case .openAPI: "\(folder)/openapi.yaml"
        case .asyncAPI: "\(folder)/asyncapi.yaml"
        case .documentation: "openapi/guides/\(mode.rawValue)/docs.html"
        }
    }

    /// A file embedded from the package, as a copy of its UTF-8 bytes.
    static func bytes(of path: String) -> [UInt8] {
        let text = EmbeddedText(path: path)
        precondition(text.path != nil, "\(path) is not embedded; it needs a row in texts.c")
        return Array(UnsafeBufferPointer(start: text.start, count: text.count))
    }
}
