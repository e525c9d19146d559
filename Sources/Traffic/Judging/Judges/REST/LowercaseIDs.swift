import FitIQAPI
import JSON
import Text
import Traffic

/// `ids/lowercase`: IDs in paths are spelled as the backend spelled them.
struct LowercaseIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/lowercase", level: .must, origin: .guides([.consultationWebSocket]), place: "best practice 1",
        clause: "Ids in paths are lower-cased.",
        advice: "Swift's uuidString is upper case, and the backend compares ids as text: use uuidString.lowercased(), "
            + "or keep ids as String; goal-linking's Conversation.id is a UUID and so ends in 404.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let id: ExactString?
        switch fact.kind {
        case .request(let request): id = request.pathID
        case .opened(let opening): id = opening.isOfMeals ? nil : opening.consultation
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
