import FitIQAPI
import JSON

/// Assigns the requests of a session to users.
///
/// A JSON Web Token names its user. Every other token, or its placeholder, is a user of its own, except that two tokens
/// belong to one user if both were accepted for the same consultation, goal or meal log: those belong to one user, and
/// a refreshed token still belongs to that user.
struct SessionUsers {
    /// The single user of a recording without credentials.
    static let untold: ExactString = "user"

    private let areTold: Bool
    /// The representative of each accepted token's user; a subject represents all of its tokens.
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
        let accepted = calls.filter(\.isAccepted)
        let tokens = Set(accepted.compactMap(\.token))
        // A single token needs no distinction.
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

    /// The user whose credentials were accepted, or nil for a 401 and without credentials.
    mutating func user(of call: SessionCall) -> ExactString? {
        guard call.status != 401 else { return nil }
        guard areTold else { return Self.untold }
        return call.token.map { root(of: Owner($0)).name }
    }

    /// Shortens the path for the next lookup.
    private mutating func root(of owner: Owner) -> Owner {
        var owner = owner
        while let next = owners[owner] {
            if let second = owners[next] { owners[owner] = second }
            owner = next
        }
        return owner
    }

    private mutating func join(_ one: Owner, _ two: Owner) {
        let (one, two) = (root(of: one), root(of: two))
        guard one != two else { return }
        switch (one, two) {
        // The server may share it between users, but they stay two.
        case (.subject, .subject): return
        case (.subject, .token): owners[two] = one
        case (.token, _): owners[one] = two
        }
    }

    /// The IDs of what belongs to the user: those in the path and in the response.
    private static func ids(of call: SessionCall) -> [ExactString] {
        var ids = [call.route?.id].compactMap { $0 }.map { ExactString($0).asciiLowercased() }
        // Quick actions belong to everyone.
        guard !call.exchange.isSocket, let endpoint = call.endpoint, endpoint != .listQuickActions,
            let answer = call.exchange.response.flatMap({ try? JSON.parse($0.body.bytes) })
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
