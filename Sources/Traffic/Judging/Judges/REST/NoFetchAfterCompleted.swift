import FitIQAPI
import Traffic

struct NoFetchAfterCompleted: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/no-fetch-after-completed", level: .should, origin: .guides([.mealLogWebSocket]),
        place: "handleMealLogCompleted",
        clause: "A meal log whose meal_log.completed event was delivered is not fetched.",
        tolerance: "Once the socket that brought the event has ended, a fetch is allowed.",
        advice: "Decode the event's data, items and totals included, and put it into the view model; keep "
            + "fetchMealLogDetails for when the socket failed.",
        scenarios: ["meal-completes"])
    static let needs: Evidence = .socketEnds

    private struct Event: Sendable {
        let connection: UInt64
        let entry: JournalEntry
    }

    private var completed = Recent<Owned, Event>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .frame(let frame):
            guard let log = frame.settledMealLog, log.status == "completed",
                let user = scene.sockets[fact.connection]?.user
            else { return }
            let key = Owned(client: user, id: log.id)
            // Each socket of the user receives one, and a fault may repeat it.
            guard completed[key] == nil else { return }
            findings.exercised()
            completed[key] = Event(connection: fact.connection, entry: fact.entry)
        case .request(let request):
            // A changed text makes the event out of date.
            for log in request.acceptedMealLogs {
                if let client = request.client { completed[Owned(client: client, id: log.id)] = nil }
            }
            guard request.restEndpoint == .showMealLog, let client = request.client, let id = request.pathID,
                let event = completed[Owned(client: client, id: id)], request.requestedAt >= event.entry.time,
                let socket = scene.sockets[event.connection], !socket.isSilenced
            else { return }
            findings.found(
                RESTMessages.fetchedCompleted(id.text, after: request.requestedAt.lag(behind: event.entry.time)),
                [event.entry, fact.entry])
        case .opened, .closed, .fault, .other: return
        }
    }
}
