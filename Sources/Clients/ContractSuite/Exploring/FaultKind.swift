import Faults
import FitIQAPI
import JSON

/// A kind of fault: what it does at a place, as rules of a scenario.
public struct FaultKind: Sendable {
    /// The unique id: `status-503`.
    public let id: String
    public let family: Family
    /// The rules at a place, by the name that they have; nil if it has no meaning there.
    let rules: @Sendable (FaultPoint.Place, ExactString) -> [FaultRule]?

    public enum Family: String, Sendable, CaseIterable {
        case refused, failed, lost, late, cut, silence, broken, disorder, expiry, behaviour, hostile
    }

    /// All kinds, in the order of the catalogue.
    public static let all: [FaultKind] = [
        FaultKind(id: "status-503", family: .failed) { place, name in
            guard case .request(let endpoint, let number) = place else { return nil }
            let fault = ResponseFault.replace(Replacement(status: 503, retryAfter: 1))
            return [FaultRule(name: name, fault: .response(fault, on: [endpoint]), selection: .only(number))]
        },
        FaultKind(id: "lost-answer", family: .lost) { place, name in
            guard case .request(let endpoint, let number) = place else { return nil }
            return [
                FaultRule(name: name, fault: .response(.reset(after: 0), on: [endpoint]), selection: .only(number))
            ]
        },
        FaultKind(id: "reset", family: .cut) { place, name in
            let (endpoint, connection, point): (Endpoint, Int, SocketPoint)
            switch place {
            case .frame(let kind, let number, let type, let count):
                (endpoint, connection, point) = (kind, number, .type(type, .only(count)))
            case .chunk(let kind, let number, let answer, let count):
                (endpoint, connection, point) = (kind, number, .chunks(.only(count), ofAnswer: answer))
            default: return nil
            }
            return [
                FaultRule(
                    name: name, fault: .socket(.reset, at: point), of: endpoint, selection: .only(connection))
            ]
        },
    ]
}

extension FaultKind: Hashable {
    public static func == (one: FaultKind, other: FaultKind) -> Bool { one.id == other.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
