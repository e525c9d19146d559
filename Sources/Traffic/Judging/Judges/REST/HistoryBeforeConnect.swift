import FitIQAPI
import Traffic

struct HistoryBeforeConnect: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/history-before-connect", level: .should, origin: .guides([.consultationWebSocket]),
        place: "startConsultation", clause: "A consultation's messages are fetched before its first socket opens.",
        tolerance: "A fetch that failed is enough, and a socket without chat messages needs none. Where the journal "
            + "does not go back to the beginning, the consultation must have been shown since.",
        advice: "Await GET /api/v1/consultations/{id}/messages and show the result, then open the socket, as the "
            + "guide's startConsultation does in three steps.")

    /// When each client's first fetch of each history ended.
    private var fetched = Recent<Owned, Timestamp>()
    private var opened = Recent<Owned, Bool>()
    /// The number of the first entry; if it is not 1, the history may have been fetched before it.
    private var firstNumber: Int?
    /// What was shown since, where that matters.
    private var shown = Recent<Owned, Bool>()
    /// First sockets without a fetched history, until a message is sent on them.
    private var hasty = Recent<UInt64, JournalEntry>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        firstNumber = firstNumber ?? fact.entry.number
        switch fact.kind {
        case .request(let request):
            note(request)
            guard request.restEndpoint == .listMessages, let client = request.client, let id = request.pathID else {
                return
            }
            let key = Owned(client: client, id: id)
            if fetched[key] == nil { fetched[key] = request.answeredAt }
        case .opened(let opening):
            // The owner of the history must be known.
            guard let user = opening.opening.user, !opening.isOfMeals else { return }
            let key = Owned(client: user, id: opening.consultation)
            guard opened[key] == nil else { return }
            opened[key] = true
            if let time = fetched[key], time <= opening.requestedAt {
                findings.exercised()
            } else if firstNumber == 1 || shown[key] != nil {
                hasty[fact.connection] = fact.entry
            }
        case .frame(let frame):
            guard frame.isChatMessage, let entry = hasty[fact.connection] else { return }
            hasty[fact.connection] = nil
            findings.exercised()
            let id = scene.sockets[fact.connection]?.consultation ?? ""
            findings.found(RESTMessages.noHistory(of: id.text, openedAt: entry.time), [entry, fact.entry])
        case .closed: hasty[fact.connection] = nil
        case .fault, .other: return
        }
    }

    private mutating func note(_ request: RequestFact) {
        guard firstNumber != 1, let client = request.client else { return }
        for id in request.shownConsultations.map(\.id) + [request.shownLink?.conversation].compactMap(\.self) {
            shown[Owned(client: client, id: id)] = true
        }
    }
}
