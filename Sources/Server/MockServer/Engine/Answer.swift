import FitIQAPI
import HTTPTypes

/// What a request is answered with.
struct Answer {
    var status: HTTPResponse.Status
    var body: [UInt8]
    /// What makes the body while it is sent, in place of ``body``; nil for most answers.
    var source: (any BodySource)?
    /// Fields beside `Content-Type`, `Content-Length`, `Date` and `Connection`; nil where there are none, for most answers.
    var fields: HTTPFields?
    /// The media type; nil for JSON, and a 204 has none.
    var contentType: String?
    /// Whether its fields are all there are to be, as they were recorded.
    var isRecorded = false
    /// What `Content-Length` says to a HEAD where it is not the body's length.
    var declaredLength: Int?

    static let json = "application/json; charset=utf-8"

    static func ok(_ body: [UInt8]) -> Answer { Answer(status: .ok, body: body) }
    static func created(_ body: [UInt8]) -> Answer { Answer(status: .created, body: body) }

    /// A long answer.
    init(_ source: any BodySource, contentType: String? = nil) {
        self.init(status: .ok, body: [], contentType: contentType)
        self.source = source
    }

    init(status: HTTPResponse.Status, body: [UInt8], fields: HTTPFields? = nil, contentType: String? = nil) {
        self.status = status
        self.body = body
        self.fields = fields
        self.contentType = contentType
    }

    /// Whether its fields are those that most responses share, which are encoded ahead of time.
    var hasUsualFields: Bool { fields == nil && contentType == nil && status != .noContent }

    /// All fields but those of framing.
    func allFields(at time: Timestamp) -> HTTPFields {
        var all = fields ?? HTTPFields()
        if isRecorded {
            if all[.date] == nil { all[.date] = time.httpDateText }
            return all
        }
        if status != .noContent { all[.contentType] = contentType ?? Answer.json }
        all[.date] = time.httpDateText
        return all
    }

    init(_ error: APIError, in form: GuideMode) {
        self.init(status: error.status, body: error.body(in: form), fields: error.fields.isEmpty ? nil : error.fields)
    }
}
