import FitIQAPI
import JSON

/// A world's settings besides its contents; nil means the default.
public struct WorldRules: Sendable, Equatable {
    public var accounts: AccountRules?
    /// The limit on active consultations per topic; nil means one.
    public var perTopic: ConsultationsPerTopic?
    /// The allowed spelling of ids; nil means lower case.
    public var ids: IDCase?
    /// Strings accepted as bearer tokens that never expire, with their users.
    public var tokens: [ExactString: ExactString] = [:]
    /// How WebSockets end when the world is rewound to a mark; nil means ``SocketEnding/close``.
    public var onRewind: SocketEnding?
    /// Compression for WebSocket messages; nil means ``Compression/off``.
    public var compression: Compression?
    /// The nanoseconds between the server's pings; nil sends none.
    public var pings: Int64?

    public init(
        accounts: AccountRules? = nil, perTopic: ConsultationsPerTopic? = nil, ids: IDCase? = nil,
        onRewind: SocketEnding? = nil, compression: Compression? = nil, pings: Int64? = nil
    ) {
        (self.accounts, self.perTopic, self.ids) = (accounts, perTopic, ids)
        (self.onRewind, self.compression, self.pings) = (onRewind, compression, pings)
    }

    /// Returns these rules with nil values replaced by other rules.
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

/// How a WebSocket ends when its world is rewound to a mark from before the WebSocket opened.
public enum SocketEnding: String, CaseIterable, Sendable {
    /// The server sends a close frame with code 1001.
    case close
    /// The server ends or resets the transport without a close frame.
    case finish, reset
}

/// Whether messages on WebSockets are compressed (RFC 7692).
public enum Compression: String, CaseIterable, Sendable {
    /// The server declines the client's offer.
    case off
    /// The server accepts the client's offer.
    case on
    /// The server rejects a handshake that contains no offer.
    case required
}

/// The lifetime of account tokens, and the cost of hashing a password.
public struct AccountRules: Sendable, Equatable {
    /// The lifetime of an access token, in nanoseconds.
    public var accessLifetime: Int64 = 3_600_000_000_000
    /// The lifetime of a refresh token, in nanoseconds.
    public var refreshLifetime: Int64 = 30 * 86_400_000_000_000
    /// The number of iterations for a new password: ten thousand take two to three milliseconds.
    public var passwordCost = 10_000

    public init() {}
}

/// How many of a user's active consultations may have the same persona and context.
public enum ConsultationsPerTopic: String, CaseIterable, Sendable {
    /// The server rejects additional ones with 409 (consultation-websocket).
    case one
    /// Any number up to the limit on active consultations, which is what newer servers allow the apps.
    case many
}
