import Faults
import FitIQAPI
import JSON
import MockServer

/// A world from its users' point of view.
final class SimulatedWorld {
    /// The world's id; nil for the default world.
    let id: String?
    let prefix: [UInt8]
    let mode: GuideMode
    let isManual: Bool
    /// The checks that remain valid under the world's fault rules.
    let checks: Checks
    private(set) var users: [SimulatedUser] = []
    /// The number of the world's resets; answers from before a reset are no longer stored.
    var resetCount = 0
    /// The entities that clients have deleted since the last reset.
    var deleted: [ResourceID] = []
    /// The access tokens of registered accounts, including deleted accounts.
    var accounts: [SimulatedAccount] = []
    /// The refresh tokens that clients received, oldest first.
    var tickets: [SimulatedTicket] = []
    var deadAccounts: Set<ExactString> = []
    /// The owners of the ids that clients have received since the last reset, in the order in which they were received.
    var owners: [ResourceID: ExactString] = [:]
    var ownedIDs: [ResourceID] = []
    /// The marks that an operator can return to, oldest first.
    var marks: [SimulatedMark] = []
    let apiKey: String
    let secret: [UInt8]

    var name: String { id ?? "default" }

    init(
        id: String?, mode: GuideMode, isManual: Bool = false, apiKey: String, secret: String, faults: [FaultRule],
        userCount: Int
    ) {
        self.id = id
        prefix = id.map { Array("/w/\($0)".utf8) } ?? []
        self.mode = mode
        self.isManual = isManual
        checks = Checks(leftBy: faults)
        self.apiKey = apiKey
        self.secret = Array(secret.utf8)
        users = (0..<userCount).map { SimulatedUser("user-\($0)", of: self, apiKey: apiKey, secret: secret) }
    }
}

extension SimulatedWorld {
    func noteReset() {
        resetCount += 1
        (deleted, owners, ownedIDs, marks) = ([], [:], [], [])
    }
}

/// A user, with the credentials that the user's clients send.
final class SimulatedUser {
    let subject: String
    unowned let world: SimulatedWorld
    let token: String
    private let good, withoutKey, wrongKey, expired: [UInt8]
    private let apiKeyLine: String

    init(_ subject: String, of world: SimulatedWorld, apiKey: String, secret: String) {
        self.subject = subject
        self.world = world
        let key = Array(secret.utf8)
        token = AccessToken(subject: ExactString(subject), expiresAt: 4_102_444_799).signed(with: key)
        let old = AccessToken(subject: ExactString(subject), expiresAt: 1_500_000_000).signed(with: key)
        apiKeyLine = "X-API-Key: \(apiKey)\r\n"
        good = Array("Authorization: Bearer \(token)\r\n\(apiKeyLine)".utf8)
        withoutKey = Array("Authorization: Bearer \(token)\r\n".utf8)
        wrongKey = withoutKey + Array("X-API-Key: guessed\r\n".utf8)
        expired = Array("Authorization: Bearer \(old)\r\n\(apiKeyLine)".utf8)
    }

    /// The field lines for a kind of credentials; credentials of another world belong to the foreigner.
    func fields(_ credentials: Credentials, foreigner: SimulatedUser?) -> [UInt8] {
        switch credentials {
        case .good: good
        case .none: []
        case .noKey: withoutKey
        case .wrongKey: wrongKey
        case .expired: expired
        case .foreignWorld:
            // Use this world's key, so that the token is the only possible reason for a rejection.
            Array("Authorization: Bearer \(foreigner?.token ?? "")\r\n\(apiKeyLine)".utf8)
        }
    }
}
