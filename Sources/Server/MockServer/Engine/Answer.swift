import Faults
import FitIQAPI
import HTTPTypes
import JSON
import Replay
import Scenarios
import Texts

struct Answer {
    var status: HTTPResponse.Status
    var body: [UInt8]
    /// Produces the body while the engine sends it, in place of ``body``; nil for most answers.
    var source: (any BodySource)?
    /// Fields besides `Content-Type`, `Content-Length`, `Date` and `Connection`; nil for most answers, and never empty.
    var fields: HTTPFields?
    /// The media type; nil for JSON and for a 204.
    var contentType: String?
    /// Whether the fields are from a recording or a real server, in which case the engine adds at most `Date`.
    var isRecorded = false
    /// The `Content-Length` of an answer to HEAD if it differs from the body's length.
    var declaredLength: Int?
    static let json = "application/json; charset=utf-8"

    static func ok(_ body: [UInt8]) -> Answer { Answer(json: body) }
    static func created(_ body: [UInt8]) -> Answer { Answer(status: .created, body: body) }
    static var noContent: Answer { Answer(status: .noContent, body: []) }
    static func object(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Answer {
        Answer(status: status, body: JSONWriter.object(write))
    }

    /// Creates an answer that has a JSON body and the usual fields.
    private init(json body: [UInt8]) { (status, self.body) = (.ok, body) }

    init(_ source: any BodySource, contentType: String? = nil) {
        self.init(body: [], contentType: contentType)
        self.source = source
    }

    init(status: HTTPResponse.Status = .ok, body: [UInt8], fields: HTTPFields? = nil, contentType: String? = nil) {
        self.status = status
        self.body = body
        self.fields = fields.flatMap { $0.isEmpty ? nil : $0 }
        self.contentType = contentType
    }

    init(_ error: APIError, in form: GuideMode, forApps: Bool = false) {
        self.init(status: error.status, body: error.body(in: form, forApps: forApps), fields: error.fields)
    }

    init(_ changed: ChangedAnswer) {
        self.init(
            status: changed.status, body: changed.body, fields: changed.fields, contentType: changed.contentType)
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

    /// Whether the answer has no fields except the pre-encoded ones in ``ResponseFields/json``.
    var hasUsualFields: Bool { fields == nil && contentType == nil && status != .noContent && !isRecorded }

    /// All fields except the framing fields.
    func allFields(at time: Timestamp) -> HTTPFields {
        var all = fields ?? HTTPFields()
        if status != .noContent, !isRecorded { all[.contentType] = contentType ?? Answer.json }
        if !isRecorded || all[.date] == nil { all[.date] = time.httpDateText }
        return all
    }
}

/// An answer as a `Sendable` value, so that a job can apply an overlay to it.
struct ChangedAnswer: Sendable {
    fileprivate var status: HTTPResponse.Status
    fileprivate(set) var body: [UInt8]
    fileprivate var fields: HTTPFields?
    fileprivate var contentType: String?

    init(_ answer: Answer) {
        (status, body, fields, contentType) = (answer.status, answer.body, answer.fields, answer.contentType)
    }

    func changed(by overlay: Overlay, of endpoint: Endpoint) -> ChangedAnswer {
        let change = overlay.change(status.code, body, of: endpoint)
        var changed = self
        if let status = change.status { changed.status = StatusNames.status(status) }
        changed.body = change.body ?? body
        changed.contentType = change.contentType ?? contentType
        return changed
    }
}

/// The fields that most answers share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// The fields `Content-Type` (for JSON) and `Date`.
    private(set) var json: [UInt8] = []
    /// The value of `Date`.
    private(set) var date = ""

    mutating func update(to now: Timestamp) {
        guard now.secondsSinceEpoch != second else { return }
        second = now.secondsSinceEpoch
        date = now.httpDateText
        json = Array("Content-Type: \(Answer.json)\r\nDate: \(date)\r\n".utf8)
    }
}

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

/// Produces a body in slices while the engine sends it, so that a long answer does not block the loop or need much
/// memory.
///
/// The engine requests the next slice when the reader has room for it, at most once per loop turn.
protocol BodySource: AnyObject {
    /// The length of the body; nil if the length is unknown, in which case the body is chunked.
    var length: Int? { get }
    var heldByteCount: Int { get }
    /// Whether ``heldByteCount`` can grow between calls because the journal drops entries that the source keeps.
    var keepsJournal: Bool { get }
    /// When to call a waiting source again, by the system's clock; nil if only ``Engine/wakeStreams()`` calls it.
    var wakesAt: Timestamp? { get }

    /// Appends parts until the slice is full; other work also uses up the slice, so the slice may be empty.
    ///
    /// - Returns: Whether the body continues, waits or ends here.
    /// - Throws: A refusal, which becomes the answer if no byte has been sent yet, and resets the connection otherwise.
    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress
}

extension BodySource {
    var length: Int? { nil }
    var heldByteCount: Int { 0 }
    var keepsJournal: Bool { false }
    var wakesAt: Timestamp? { nil }
}

enum BodyProgress {
    /// More follows in the next slice.
    case more
    /// More follows after ``Engine/wakeStreams()``, because the source waits for a world or a clock.
    case waiting
    case end
}

/// A part of a body, with a budget for the work of creating it.
struct BodySlice {
    var bytes: [UInt8] = []
    /// The system's time.
    let now: Timestamp
    /// The budget: each byte costs 1, and so does every 10 ns or so of other work.
    private var room: Int

    init(size: Int, at now: Timestamp, reusing bytes: [UInt8] = []) {
        room = size
        self.now = now
        self.bytes = bytes
    }

    var isFull: Bool { bytes.count >= room }
    var bytesLeft: Int { max(0, room - bytes.count) }

    mutating func spend(_ cost: Int) { room -= cost }
}

/// Sends existing bytes, and frees them in pieces.
final class BytesSource: BodySource {
    let length: Int?
    private(set) var heldByteCount: Int
    private var pieces: [[UInt8]]
    private var piece = 0
    private var offset = 0

    init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
        heldByteCount = pieces.reduce(0) { $0 + $1.count }
        length = heldByteCount
    }

    func fill(_ slice: inout BodySlice) -> BodyProgress {
        while piece < pieces.count {
            guard !slice.isFull else { return .more }
            let end = min(pieces[piece].count, offset + slice.bytesLeft)
            slice.bytes += pieces[piece][offset..<end]
            offset = end
            guard end == pieces[piece].count else { continue }
            heldByteCount -= end
            pieces[piece] = []
            piece += 1
            offset = 0
        }
        return .end
    }

    func takeRest() -> [[UInt8]] {
        defer { (pieces, heldByteCount) = ([], 0) }
        return pieces
    }
}

/// Produces a body in parts, such as the elements of a list.
final class PartSource: BodySource {
    var heldByteCount: Int { kept?.byteCount ?? 0 }
    var keepsJournal: Bool { kept != nil }
    private let kept: KeptJournal?
    private let writePart: (inout BodySlice) throws(APIError) -> BodyProgress

    /// - Parameter kept: The entries of a journal that the parts need.
    init(keeping kept: KeptJournal? = nil, _ writePart: @escaping (inout BodySlice) throws(APIError) -> BodyProgress) {
        self.kept = kept
        self.writePart = writePart
    }

    /// - Parameter writePart: Writes a part, and returns its cost in addition to its bytes; returns nil after the last
    ///   part.
    convenience init(
        keeping kept: KeptJournal? = nil, json writePart: @escaping (inout JSONWriter) throws(APIError) -> Int?
    ) {
        var writer = JSONWriter()
        self.init(keeping: kept) { slice throws(APIError) in
            let cost = try writePart(&writer)
            writer.drain(into: &slice.bytes)
            guard let cost else { return .end }
            slice.spend(cost)
            return .more
        }
    }

    /// Creates a source for a JSON object that has some members and a list; `write` writes an element and returns its
    /// extra cost.
    convenience init<Elements: Sequence>(
        _ name: StaticString, of elements: Elements, keeping kept: KeptJournal? = nil,
        after members: @escaping (inout JSONWriter) -> Void = { _ in },
        _ write: @escaping (Elements.Element, inout JSONWriter) -> Int
    ) {
        var iterator: Elements.Iterator?
        self.init(
            keeping: kept,
            json: { writer in
                if iterator == nil {
                    writer.beginObject()
                    members(&writer)
                    writer.key(name)
                    writer.beginArray()
                    iterator = elements.makeIterator()
                }
                if let next = iterator?.next() { return write(next, &writer) }
                writer.endArray()
                writer.endObject()
                return nil
            })
    }

    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress {
        while !slice.isFull {
            let progress = try writePart(&slice)
            guard progress == .more else { return progress }
        }
        return .more
    }
}
