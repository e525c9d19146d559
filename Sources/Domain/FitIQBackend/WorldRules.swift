import FitIQAPI
import JSON

/// A world's settings other than its contents; nil means the default.
public struct WorldRules: Sendable, Equatable {
    public var accounts: AccountRules?
    /// One, if nil.
    public var perTopic: ConsultationsPerTopic?
    /// Lower case, if nil.
    public var ids: IDCase?
    /// Texts that pass for bearer tokens and never expire, with the users that they name.
    public var tokens: [ExactString: ExactString] = [:]
    /// How WebSockets end when the world goes back to a mark; ``SocketEnding/close``, if nil.
    public var onRewind: SocketEnding?
    /// ``Compression/off``, if nil.
    public var compression: Compression?
    /// The nanoseconds between the server's pings; none are sent, if nil.
    public var pings: Int64?

    public init(
        accounts: AccountRules? = nil, perTopic: ConsultationsPerTopic? = nil, ids: IDCase? = nil,
        onRewind: SocketEnding? = nil, compression: Compression? = nil, pings: Int64? = nil
    ) {
        (self.accounts, self.perTopic, self.ids) = (accounts, perTopic, ids)
        (self.onRewind, self.compression, self.pings) = (onRewind, compression, pings)
    }

    /// These rules, and others where these say nothing.
    public func completed(by others: Self) -> Self {
        var rules = Self(
            accounts: accounts ?? others.accounts, perTopic: perTopic ?? others.perTopic, ids: ids ?? others.ids,
            onRewind: onRewind ?? others.onRewind, compression: compression ?? others.compression,
            pings: pings ?? others.pings)
        rules.tokens = tokens.merging(others.tokens) { own, _ in own }
        return rules
    }

    var accountRules: AccountRules { accounts ?? AccountRules() }
}

/// How a WebSocket ends that its world leaves behind.
public enum SocketEnding: String, CaseIterable, Sendable {
    /// With a close frame of code 1001.
    case close
    /// Without one, at the end of the transport or with its reset.
    case finish, reset
}

/// Whether messages on WebSockets are compressed (RFC 7692).
public enum Compression: String, CaseIterable, Sendable {
    /// An offer is declined.
    case off
    /// An offer is taken.
    case on
    /// A handshake without one is refused.
    case required
}

/// The lifetime of accounts' tokens, and the cost of a password.
public struct AccountRules: Sendable, Equatable {
    /// Of an access token, in nanoseconds.
    public var accessLifetime: Int64 = 3_600_000_000_000
    /// Of a refresh token, in nanoseconds.
    public var refreshLifetime: Int64 = 30 * 86_400_000_000_000
    /// The iterations for a new password: ten thousand take two to three milliseconds.
    public var passwordCost = 10_000

    public init() {}
}

/// How many active consultations of a user may have the same persona and context.
public enum ConsultationsPerTopic: String, CaseIterable, Sendable {
    /// Another one is refused with 409 (consultation-websocket).
    case one
    /// As many as may be active at all: what newer servers allow the apps.
    case many
}
