import FitIQAPI
import JSON
import Recording

/// A try to open a WebSocket: accepted, refused, or never answered.
struct Handshake: Sendable {
    /// The consultation in the path, in lower case: a try with a miscast id is one for the same consultation.
    let consultation: ExactString
    let credentials: PresentedCredentials
    /// The user whose credentials were accepted.
    let user: ExactString?
    let requestedAt: Timestamp
    /// When it was answered, or given up.
    let answeredAt: Timestamp
    /// The status that the client got: 101 where it was accepted, nil where no whole answer was delivered.
    let status: Int?
    let entry: JournalEntry

    /// Reads a fact; nil for what is no handshake.
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
