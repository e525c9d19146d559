import FitIQAPI
import JSON
import Traffic

struct NoPollWhileConnected: ObligationJudge {
    static let obligation = Obligation(
        id: "meal/no-poll-while-connected", level: .should, origin: .guides([.webSocketArchitecture]),
        place: "testing plan", clause: "There is no polling for a meal log while a socket is open.",
        tolerance: "One load within 5 s of creating, and one within 5 s of the socket's opening, do not count as "
            + "polls; neither do loads after an event that a fault lost, or on a socket that a fault silenced.",
        advice:
            "Start polling only if the socket is not connected, and cancel the polling task when connected arrives.",
        scenarios: ["meal-completes"])
    static let needs: Evidence = .socketEnds

    private var watch = MealWatch()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let load = watch.observe(fact, in: scene)
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return }
            if !request.acceptedMealLogs.isEmpty {
                if Self.connectedSocket(of: client, at: request.answeredAt, in: scene) != nil { findings.exercised() }
                return
            }
            guard case .poll(let logs) = load,
                let socket = Self.connectedSocket(of: client, at: request.requestedAt, in: scene),
                let log = logs.first(where: { !$0.isEventLost })
            else { return }
            findings.found(
                RESTMessages.polledWhileConnected(request.title, openedAt: socket.openedAt),
                [socket.opening, log.entry, fact.entry].sorted { $0.number < $1.number })
        case .frame(let frame):
            guard frame.isConnected, let user = scene.sockets[fact.connection]?.user else { return }
            if !watch.logs(of: user).isEmpty { findings.exercised() }
        case .opened, .closed, .fault, .other: return
        }
    }

    private static func connectedSocket(of client: ExactString, at time: Timestamp, in scene: Scene) -> Scene.Socket? {
        scene.openSockets(of: client).first { $0.connectedAt.map { $0 <= time } ?? false }
    }
}
