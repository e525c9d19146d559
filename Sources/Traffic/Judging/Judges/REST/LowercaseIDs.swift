import FitIQAPI
import JSON
import Text
import Traffic

struct LowercaseIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/lowercase", level: .must, origin: .guides([.consultationWebSocket]), place: "best practice 1",
        clause: "Ids in paths are lower-cased.",
        advice: "The backend compares ids as text: send each as the backend spelled it, in lower case. goal-linking's "
            + "Conversation.id is a UUID, is sent in upper case and so ends in 404.",
        swiftAdvice: "uuidString is upper case: use uuidString.lowercased(), or keep ids as String.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let id: ExactString?
        switch fact.kind {
        case .request(let request): id = request.sentID
        case .opened(let opening): id = opening.sentID
        default: return
        }
        // IDs without letters say nothing about a client.
        guard let id, id.utf8.contains(where: \.isLetter) else { return }
        findings.exercised()
        if id.utf8.contains(where: \.isUppercaseLetter) {
            findings.found(RESTMessages.upperCase(id.text), [fact.entry])
        }
    }
}
