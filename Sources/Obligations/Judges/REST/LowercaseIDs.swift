import FitIQAPI
import Recording

/// `ids/lowercase`: ids in paths are written as the backend wrote them.
struct LowercaseIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/lowercase", level: .must, origin: .guides([.consultationWebSocket]), place: "best practice 1",
        clause: "Ids in paths are lower-cased.",
        advice: "Swift's uuidString is upper case, and the backend compares ids as text: use uuidString.lowercased().")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let id: String?
        switch fact.kind {
        case .request(let request): id = request.pathID
        case .opened(let opening): id = opening.consultation
        default: return
        }
        guard let id else { return }
        findings.exercised()
        if id != id.lowercased() {
            findings.found("The path has \(id); the backend's id is \(id.lowercased()).", [fact.entry])
        }
    }
}
