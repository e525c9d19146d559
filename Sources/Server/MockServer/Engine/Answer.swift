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

    static func ok(_ body: [UInt8]) -> Answer { Answer(json: body) }
    static func created(_ body: [UInt8]) -> Answer { Answer(status: .created, body: body) }
    static var noContent: Answer { Answer(status: .noContent, body: []) }
    static func object(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Answer {
        Answer(status: status, body: JSONWriter.object(write))
    }

    /// An answer of JSON with the usual fields, as most are.
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

/// An answer whose body an overlay may change, as a value for a job.
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

/// The field lines that most responses share, encoded once a second.
struct ResponseFields {
    private var second = Int64.min
    /// `Content-Type` of JSON and `Date`.
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

    /// The description in a mode as JSON.
    func json(for mode: GuideMode) -> JSONValue {
        do throws(ScenarioErrors) { return try JSONValue(yaml: bytes(for: mode)) } catch {
            preconditionFailure("It is YAML: \(error)")
        }
    }

    /// `/__admin/openapi.yaml`: the admin API, OpenAPI 3.1, the same in every mode, as a copy of its UTF-8.
    public static var adminOpenAPIBytes: [UInt8] { bytes(of: "openapi/admin.yaml") }

    /// The file, from the root of the package, that the server shows at a path in every mode; nil if it is no page.
    static func page(at segments: [String]) -> String? {
        if segments == ["docs", "deviations"] { return "openapi/deviations.html" }
        let path = segments.joined(separator: "/")
        let isPage = path == "llms.txt" || segments.count == 2 && segments[0] == "docs" && path.hasSuffix(".md")
        return isPage && EmbeddedText(path: path).path.map(String.init(cString:)) == path ? path : nil
    }

    /// The media type of a page; that of Markdown is RFC 7763's.
    static func mediaType(ofPage path: String) -> String {
        let type = path.hasSuffix(".md") ? "text/markdown" : path.hasSuffix(".html") ? "text/html" : "text/plain"
        return type + "; charset=utf-8"
    }

    /// `/__admin/ui`: the page of the admin API, HTML, the same in every mode, as a copy of its UTF-8.
    public static var adminPageBytes: [UInt8] { bytes(of: "ui/ui.html") }

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

    /// The file of the package at a path, as a copy of its UTF-8.
    static func bytes(of path: String) -> [UInt8] {
        let text = EmbeddedText(path: path)
        precondition(text.path != nil, "\(path) is not embedded; it needs a row in texts.c")
        return Array(UnsafeBufferPointer(start: text.start, count: text.count))
    }
}

/// A body that is made while it is sent, a slice at a time, so that no answer holds the loop or much memory.
///
/// The engine asks for the next slice while the reader has room for it, at most once in a turn of the loop.
protocol BodySource: AnyObject {
    /// The length of the body if it is known in advance; otherwise the body is chunked.
    var length: Int? { get }
    var heldByteCount: Int { get }
    /// Whether ``heldByteCount`` grows between calls, as the journal drops what the source keeps.
    var keepsJournal: Bool { get }
    /// When it looks again by itself while it waits, by the system's clock; nil if only others wake it.
    var wakesAt: Timestamp? { get }

    /// Appends the next part until the slice is full; a slice may also be all work, and have no bytes.
    ///
    /// - Returns: Whether the body ends here.
    /// - Throws: A refusal. Before the first byte it is the answer; later it breaks off the connection.
    func fill(_ slice: inout BodySlice) throws(APIError) -> BodyProgress
}

extension BodySource {
    var length: Int? { nil }
    var heldByteCount: Int { 0 }
    var keepsJournal: Bool { false }
    var wakesAt: Timestamp? { nil }
}

enum BodyProgress {
    /// More follows at once.
    case more
    /// More follows after ``Engine/wakeStreams(of:)``: the source waits for others to finish with its input.
    case waiting
    case end
}

/// A part of a body, and what making it may cost.
struct BodySlice {
    var bytes: [UInt8] = []
    /// The system's time.
    let now: Timestamp
    /// The remaining cost: a byte costs one, as does other work of about a hundredth of a microsecond.
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

/// Bytes that exist already; they are released piece by piece.
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

/// A body that is made a part at a time, such as an element of a list.
final class PartSource: BodySource {
    var heldByteCount: Int { kept?.byteCount ?? 0 }
    var keepsJournal: Bool { kept != nil }
    private let kept: KeptJournal?
    private let writePart: (inout BodySlice) throws(APIError) -> BodyProgress

    /// - Parameter kept: The entries of a journal that the parts are made of.
    init(keeping kept: KeptJournal? = nil, _ writePart: @escaping (inout BodySlice) throws(APIError) -> BodyProgress) {
        self.kept = kept
        self.writePart = writePart
    }

    /// - Parameter writePart: Writes a part and returns its cost in addition to its bytes; nil after the last one.
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

    /// A JSON object with a list after some members; `write` writes an element and returns its extra cost.
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
