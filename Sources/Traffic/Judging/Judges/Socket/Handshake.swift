import FitIQAPI
import JSON
import Traffic

/// An attempt to open a WebSocket: accepted, refused, or never answered.
struct Handshake: Sendable {
    /// The consultation in the path, in lower case; an ID in the wrong case names the same consultation.
    let consultation: ExactString
    let credentials: PresentedCredentials
    let user: ExactString?
    let requestedAt: Timestamp
    /// When it was answered or abandoned.
    let answeredAt: Timestamp
    /// The status that the client received: 101 if accepted, nil if no complete response was delivered.
    let status: Int?
    let entry: JournalEntry

    /// Parses a fact, or returns nil if it is not a handshake.
    init?(_ fact: Fact) {
        switch fact.kind {
        case .opened(let opening):
            consultation = opening.consultation.asciiLowercased()
            credentials = opening.credentials
            user = opening.opening.user
            requestedAt = opening.requestedAt
            status = 101
        case .request(let request):
            guard request.isHandshake, let id = request.pathID else { return nil }
            consultation = id.asciiLowercased()
            credentials = request.credentials
            user = request.user
            requestedAt = request.requestedAt
            status = request.isAnswered ? request.status : nil
        case .frame, .closed, .fault, .other: return nil
        }
        answeredAt = fact.time
        entry = fact.entry
    }

    var isAccepted: Bool { status == 101 }
}
