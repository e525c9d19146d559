import FitIQAPI
import JSON

/// Something that goes wrong on purpose, and when.
public struct FaultRule: Sendable, Equatable {
    /// What it is switched by; unique in a world.
    public var name: ExactString
    /// Whether it is in force.
    public var isEnabled: Bool
    /// What goes wrong.
    public var fault: Fault
    /// Which of the things that match are meant, counted by this rule alone and while it is in force.
    ///
    /// Requests for ``Fault/response(_:on:)``, handshakes for the other two: for a rule that was in force from the beginning
    /// the n-th is the n-th WebSocket connection of the world, refused ones included.
    public var selection: Selection

    /// Makes a rule that is in force.
    public init(name: ExactString, isEnabled: Bool = true, fault: Fault, selection: Selection = .all) {
        self.name = name
        self.isEnabled = isEnabled
        self.fault = fault
        self.selection = selection
    }
}

/// What goes wrong, and where.
public enum Fault: Sendable, Equatable {
    /// With the response to a REST request; where no endpoint is named, to any but a WebSocket's handshake.
    case response(ResponseFault, on: Set<Endpoint>)
    /// With a WebSocket's handshake.
    case handshake(HandshakeFault)
    /// With an open WebSocket.
    case `socket`(SocketFault, at: SocketPoint)
}

/// Which of many things are meant; counted from 1.
public struct Selection: Sendable, Equatable {
    /// The first that is meant.
    public var first: Int
    /// The last; nil for no end.
    public var last: Int?
    /// Of these every n-th, beginning with the first.
    public var step: Int
    /// How many in a thousand of these are meant; the seed decides which.
    public var perMille: Int

    /// Makes a selection.
    ///
    /// - Precondition: `first` and `step` are at least 1, `last` is no less than `first`, `perMille` is 0 to 1000.
    public init(first: Int = 1, last: Int? = nil, step: Int = 1, perMille: Int = 1000) {
        precondition(first >= 1 && step >= 1 && (last ?? first) >= first && (0...1000).contains(perMille))
        self.first = first
        self.last = last
        self.step = step
        self.perMille = perMille
    }

    /// All of them.
    public static let all = Selection()
    /// The first n.
    public static func first(_ count: Int) -> Selection { Selection(last: count) }
    /// The n-th alone.
    public static func only(_ number: Int) -> Selection { Selection(first: number, last: number) }
}
