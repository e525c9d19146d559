import Faults
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON
import Replay
import Scenarios

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

/// A long answer in progress: its unsent head, and the source of its body.
final class BodyStream {
    let source: any BodySource
    /// The answer; nil once its head is sent.
    @exclusivity(unchecked) var unsent: (answer: Answer, head: RequestHead, world: World)?
    @exclusivity(unchecked) var isQueued = false
    /// Whether the source is waiting for ``Engine/wakeStreams()``.
    @exclusivity(unchecked) var isWaiting = false

    init(_ source: any BodySource, _ answer: Answer, to head: RequestHead, in world: World) {
        self.source = source
        unsent = (answer, head, world)
    }
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
