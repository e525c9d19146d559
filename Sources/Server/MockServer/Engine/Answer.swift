import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Replay
import Texts

struct Answer {
    var status: HTTPResponse.Status
    var body: [UInt8]
    /// What makes the body while it is sent, in place of ``body``; nil for most answers.
    var source: (any BodySource)?
    /// Fields in addition to `Content-Type`, `Content-Length`, `Date` and `Connection`; nil for most answers, never empty.
    var fields: HTTPFields?
    /// The media type; nil for JSON, and a 204 has none.
    var contentType: String?
    /// Whether its fields are complete, as they were recorded.
    var isRecorded = false
    /// The `Content-Length` of an answer to HEAD if it is not the body's length.
    var declaredLength: Int?

    static let json = "application/json; charset=utf-8"

    static func ok(_ body: [UInt8]) -> Answer { Answer(body: body) }
    static func created(_ body: [UInt8]) -> Answer { Answer(status: .created, body: body) }
    static var noContent: Answer { Answer(status: .noContent, body: []) }
    static func object(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Answer {
        Answer(status: status, body: JSONWriter.object(write))
    }

    init(_ source: any BodySource, contentType: String? = nil) {
        self.init(body: [], contentType: contentType)
        self.source = source
    }

    init(
        status: HTTPResponse.Status = .ok, body: [UInt8], fields: HTTPFields? = nil, contentType: String? = nil
    ) {
        self.status = status
        self.body = body
        self.fields = fields.flatMap { $0.isEmpty ? nil : $0 }
        self.contentType = contentType
    }

    init(_ error: APIError, in form: GuideMode) {
        self.init(status: error.status, body: error.body(in: form), fields: error.fields)
    }

    init(_ replacement: ReplacementAnswer) {
        self.init(
            status: replacement.status, body: replacement.body, fields: replacement.fields,
            contentType: replacement.contentType)
    }

    init(_ response: ReplayResponse) {
        self.init(
            status: HTTPResponse.Status(code: min(max(response.status, 200), 999)), body: response.body,
            fields: HTTPFields(response.fields))
        isRecorded = true
        declaredLength = response.declaredLength
    }

    /// Whether its fields are those that most responses share, which are encoded ahead of time.
    var hasUsualFields: Bool { fields == nil && contentType == nil && status != .noContent && !isRecorded }

    /// All fields except those of framing.
    func allFields(at time: Timestamp) -> HTTPFields {
        var all = fields ?? HTTPFields()
        if status != .noContent, !isRecorded { all[.contentType] = contentType ?? Answer.json }
        if !isRecorded || all[.date] == nil { all[.date] = time.httpDateText }
        return all
    }
}

/// The field lines that most responses share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// `Content-Type` of JSON and `Date`.
    private(set) var json: [UInt8] = []

    mutating func update(to now: Timestamp) {
        guard now.secondsSinceEpoch != second else { return }
        second = now.secondsSinceEpoch
        json = Array("Content-Type: \(Answer.json)\r\nDate: \(now.httpDateText)\r\n".utf8)
    }
}

/// A description of the API that the server serves, in the form of each guide mode.
///
/// The texts are part of the binary: nothing is read from disk, and nothing is copied before a client asks.
public enum APIDescription: CaseIterable, Sendable {
    /// `/openapi.yaml`: the REST endpoints, OpenAPI 3.1.
    case openAPI
    /// `/asyncapi.yaml`: the WebSocket and its frames, AsyncAPI 3.0.
    case asyncAPI
    /// `/docs`: both for people, as one HTML file that fetches nothing.
    case documentation

    public var mediaType: String { self == .documentation ? "text/html; charset=utf-8" : "application/yaml" }

    /// The description in a mode, as a copy of its UTF-8.
    public func bytes(for mode: GuideMode) -> [UInt8] { Self.bytes(of: path(for: mode)) }

    /// `/__admin/openapi.yaml`: the admin API, OpenAPI 3.1, the same in every mode, as a copy of its UTF-8.
    public static var adminOpenAPIBytes: [UInt8] { bytes(of: "openapi/admin.yaml") }

    /// `/docs/deviations`: the guides' contradictions, HTML, the same in every mode, as a copy of its UTF-8.
    public static var deviationsBytes: [UInt8] { bytes(of: "openapi/deviations.html") }

    /// The operations of the admin API with their paths below `/__admin`, in the order of its description.
    ///
    /// They are found by its indentation: paths at two, methods at four, summaries at six.
    static var adminOperations: [(method: String, path: String, summary: String)] {
        var operations: [(method: String, path: String, summary: String)] = []
        var (path, method) = ("", "")
        let lines = String(decoding: adminOpenAPIBytes, as: UTF8.self).split(separator: "\n")
        for line in lines.drop(while: { $0 != "paths:" }).prefix(while: { $0 != "components:" }) {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if line.hasPrefix("    "), line.hasSuffix(":"), line.dropFirst(4).first != " " {
                method = line.dropFirst(4).dropLast().uppercased()
            } else if line.hasPrefix("      summary: ") {
                operations.append((method, path, String(line.dropFirst(15))))
            }
        }
        return operations
    }

    /// The file of a description, from the root of the package.
    func path(for mode: GuideMode) -> String {
        let folder = mode == .union ? "openapi" : "openapi/guides/\(mode.rawValue)"
        return switch self {
        case .openAPI: "\(folder)/openapi.yaml"
        case .asyncAPI: "\(folder)/asyncapi.yaml"
        case .documentation: "openapi/guides/\(mode.rawValue)/docs.html"
        }
    }

    private static func bytes(of path: String) -> [UInt8] {
        let text = EmbeddedText(path: path)
        precondition(text.path != nil, "\(path) is not embedded; it needs a row in texts.c")
        return Array(UnsafeBufferPointer(start: text.start, count: text.count))
    }
}
