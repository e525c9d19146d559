import Faults
import FitIQAPI
import TestSupport

extension Draw {
    /// Up to four random fault rules, as a scenario could have them.
    mutating func faultRules() -> [FaultRule] {
        (0..<(1 + below(4))).map { number in
            FaultRule(name: "fault-\(number + 1)", isEnabled: !once(in: 8), fault: fault(), selection: selection())
        }
    }

    private mutating func fault() -> Fault {
        switch below(3) {
        case 0: .response(responseFault(), on: endpoints())
        case 1: .handshake(handshakeFault())
        default: .socket(socketFault(), at: socketPoint())
        }
    }

    /// Random endpoints; an empty set means any endpoint.
    private mutating func endpoints() -> Set<Endpoint> {
        once(in: 2) ? [] : Set((0...below(3)).map { _ in element(of: Endpoint.allCases) })
    }

    private mutating func selection() -> Selection {
        switch below(4) {
        case 0: return .only(1 + below(9))
        case 1: return .first(1 + below(5))
        case 2: return Selection(first: 1 + below(4), step: 1 + below(4))
        default: return Selection(perMille: below(1001))
        }
    }

    private mutating func responseFault() -> ResponseFault {
        switch below(13) {
        case 0: .replace(replacement())
        case 1: .quota(requests: 1 + below(6), window: nanoseconds(), replacement())
        case 2: .delay(nanoseconds())
        case 3: .dribble(bytes: 1 + below(300), every: nanoseconds() / 50)
        case 4: .truncate(after: below(400))
        case 5: .contentLength(off: below(2) == 0 ? 1 + below(100) : -1 - below(10))
        case 6: .malformedJSON
        case 7: .malformedChunking
        case 8: .emptyReply
        case 9: .reset(after: below(300))
        case 10: .hang
        case 11: .contentType(once(in: 2) ? nil : "application/json")
        default: .nanosecondTimestamps
        }
    }

    private mutating func handshakeFault() -> ResponseFault {
        switch below(6) {
        case 0: .replace(replacement())
        case 1: .delay(nanoseconds())
        case 2: .wrongAccept
        case 3: .emptyReply
        case 4: .reset(after: 0)
        default: .hang
        }
    }

    private mutating func socketFault() -> SocketFault {
        switch below(22) {
        case 0:
            .close(code: once(in: 4) ? nil : element(of: [1000, 1001, 1006, 1011, 4000]), reason: "by a scenario")
        case 1: .finish
        case 2: .reset
        case 3: .silence
        case 4: .cut(after: below(40), reset: once(in: 2))
        case 5: .masked
        case 6: .reservedBits(UInt8(1 + below(7)))
        case 7: .invalidUTF8
        case 8: .fragments(at: [3 + below(5), 9 + below(40)])
        case 9: .coalesce(count: 2 + below(3))
        case 10: .binary
        case 11: .lose
        case 12: .double
        case 13: .swap
        case 14: .delay(nanoseconds())
        case 15: .dribble(bytes: 1 + below(20), every: nanoseconds() / 50)
        case 16: .replace(text: #"{"type":"surprise"}"#)
        case 17: .nanosecondTimestamps
        case 18: .withholdPong
        case 19: .end(element(of: SocketFault.Ending.allCases), after: nanoseconds())
        case 20: .escape
        default: .stallReading
        }
    }

    private mutating func socketPoint() -> SocketPoint {
        switch below(4) {
        case 0: .frames(selection())
        case 1: .type(element(of: ["connected", "pong", "error", "stream_chunk", "meal_log.completed"]), selection())
        case 2: .chunks(selection(), ofAnswer: once(in: 2) ? nil : 1 + below(3))
        default: .byte(1 + below(600))
        }
    }

    private mutating func replacement() -> Replacement {
        Replacement(
            status: element(of: [200, 400, 404, 429, 500, 502, 503]), body: once(in: 4) ? "not what you asked" : nil,
            contentType: once(in: 8) ? "text/plain" : nil, retryAfter: once(in: 2) ? below(5) : nil,
            isProcessed: once(in: 3))
    }

    private mutating func nanoseconds() -> Int64 { Int64(below(3_000)) * 1_000_000 }
}
