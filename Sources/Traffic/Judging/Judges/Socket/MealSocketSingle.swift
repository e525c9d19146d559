import FitIQAPI
import JSON
import Traffic

struct MealSocketSingle: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/meal-socket-single", level: .should, origin: .ours,
        clause: "While a user's /ws/meal-logs is open, the client opens no second one.",
        tolerance: "Only a client that answers the close frame of the older one, with another code than 1000 and 1001, "
            + "still used it. Two devices of one user cannot be told from a client that opens two.",
        advice: "Keep one socket for the events of all meals in the whole app, and do not open another when a screen "
            + "appears: the server closes the older one with 1008, and a client that then reconnects closes its own "
            + "newer one.")
    static let needs: Evidence = .socketEnds

    private var users = Recent<ExactString, Bool>()
    /// The opening of a newer socket, and the older one, by the connection of that.
    private var newer = Recent<UInt64, (entry: JournalEntry, old: Scene.Socket)>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening) where opening.isOfMeals && opening.opening.user != nil:
            if users[opening.user] ?? false { findings.exercised() }
            users[opening.user] = true
            let old = scene.openSockets(of: opening.user).last {
                $0.isOfMeals && $0.connection != fact.connection && !$0.isEnding
            }
            if let old { newer[old.connection] = (fact.entry, old) }
        case .closed(let closing):
            guard let (entry, old) = newer[fact.connection] else { return }
            newer[fact.connection] = nil
            guard let answer = closing.summary.received, !answer.isLeaving else { return }
            findings.found(
                SocketMessages.secondMealSocket(openedAt: entry.time, oldAt: old.openedAt), [old.opening, entry])
        case .opened, .request, .frame, .fault, .other: return
        }
    }
}
