import FitIQAPI
import JSON

/// Whose requests those of a session are.
///
/// A JSON Web Token names its user. Of other tokens, and of the placeholders that stand for them, each is a user, save
/// that two are one user's where both were let at the same consultation, goal or meal log: those belong to one user, and
/// a token that was refreshed is still that user's.
struct SessionUsers {
    /// The one user of a recording without credentials.
    static let untold: ExactString = "user"

    private let areTold: Bool
    /// For each token that was accepted, the one that stands for its user; a subject stands for all of its tokens.
    private var owners: [Owner: Owner] = [:]

    private enum Owner: Hashable {
        case subject(ExactString)
        case token(ExactString)

        init(_ token: ExactString) {
            self = AccessToken.claimedSubject(of: token.text).map(Owner.subject) ?? .token(token)
        }

        var name: ExactString {
            switch self {
            case .subject(let name), .token(let name): name
            }
        }
    }

    private struct Resource: Hashable {
        let world: ExactString?
        let id: ExactString
    }

    init(_ calls: [SessionCall], areTold: Bool) {
        self.areTold = areTold
        let accepted = calls.filter { call in call.status.map { $0 == 101 || 200..<300 ~= $0 } ?? false }
        let tokens = Set(accepted.compactMap(\.token))
        // One alone needs no telling apart.
        guard areTold, tokens.count > 1 else { return }
        var holders: [Resource: Owner] = [:]
        for call in accepted {
            guard let token = call.token else { continue }
            let owner = Owner(token)
            for id in Self.ids(of: call) {
                let resource = Resource(world: call.world, id: id)
                if let holder = holders[resource] { join(owner, holder) } else { holders[resource] = owner }
            }
        }
    }

    /// The user whose credentials were accepted; nil for a 401, and where there are none.
    func user(of call: SessionCall) -> ExactString? {
        guard call.status != 401 else { return nil }
        guard areTold else { return Self.untold }
        return call.token.map { root(of: Owner($0)).name }
    }

    private func root(of owner: Owner) -> Owner {
        var owner = owner
        while let next = owners[owner] { owner = next }
        return owner
    }

    /// The same, and the way there is shorter the next time.
    private mutating func shortenedRoot(of owner: Owner) -> Owner {
        var owner = owner
        while let next = owners[owner] {
            if let second = owners[next] { owners[owner] = second }
            owner = next
        }
        return owner
    }

    private mutating func join(_ one: Owner, _ two: Owner) {
        let (one, two) = (shortenedRoot(of: one), shortenedRoot(of: two))
        guard one != two else { return }
        switch (one, two) {
        // The server may share it between users, but they stay two.
        case (.subject, .subject): return
        case (.subject, .token): owners[two] = one
        case (.token, _): owners[one] = two
        }
    }

    /// The ids of what belongs to the user: the path's, and those in the answer.
    private static func ids(of call: SessionCall) -> [ExactString] {
        var ids = [call.route?.id].compactMap { $0 }.map { ExactString($0).asciiLowercased() }
        // Quick actions are everybody's.
        guard case .exchange(let exchange) = call.entry, let endpoint = call.endpoint, endpoint != .listQuickActions,
            let answer = exchange.response.flatMap({ try? JSON.parse($0.body.bytes) })
        else { return ids }
        var rest = [answer]
        while let value = rest.popLast() {
            switch value {
            case .object(let members): rest += members.map(\.value)
            case .array(let elements): rest += elements
            case .string(let text):
                if ResourceID.read(text) != .malformed { ids.append(ExactString(text).asciiLowercased()) }
            case .null, .bool, .number: break
            }
        }
        return ids
    }
}
