import Faults
import FitIQAPI
import HTTP1
import JSON
import Recording

/// A request while it is served, with what is found out on the way: for the journal, and for the faults that act on it.
struct Exchange {
    let head: RequestHead
    let body: [UInt8]
    let destination: Destination
    /// The operation that is asked for, whether or not the mode serves it.
    let endpoint: Endpoint?
    /// The user, once the credentials were accepted.
    var user: ExactString?
    /// Why no operation is asked for.
    var unmatched: RecordedExchange.Unmatched?
    /// What goes wrong with the response.
    var responseFaults: ResponseFaults?
    /// What goes wrong with the handshake, and with the socket that it opens.
    var handshakeFaults: HandshakeFaults?

    /// When and how a recorded answer goes; nil for every other one.
    var playback: Playback?

    /// What faults and the recording made of the response; nil where they changed nothing.
    var shaped: ShapedResponse?

    init(_ head: RequestHead, body: [UInt8], in engine: Engine) {
        self.head = head
        self.body = body
        destination = Destination(of: head.target, in: engine)
        if case .api(let route)? = destination.route {
            endpoint = route.endpoint(for: head.method)
        } else {
            endpoint = nil
        }
    }

    /// Whether it is about the server, and not about what a world holds.
    var isOfServer: Bool {
        switch destination.route {
        case .api, nil: destination.isAdmin
        case .health, .ready, .description, .deviations, .root, .admin: true
        }
    }

    /// What went on the wire in place of a response.
    struct ShapedResponse {
        let body: [UInt8]
        var delivery: Delivery

        init(_ transmission: Transmission, of response: EncodedResponse) {
            // The head may have changed its length, and lost its end.
            let bytes = transmission.bytes
            var end = bytes.count
            for index in bytes.indices.dropFirst(3)
            where bytes[index] == 0x0A && bytes[index - 2] == 0x0A {
                end = index + 1
                break
            }
            body = Array(bytes[end...])
            let isWhole = !transmission.endsConnection || bytes.count >= response.head.count + response.body.count
            delivery = bytes.isEmpty ? .none : isWhole ? .complete : .partial
        }
    }

    /// Whether the journal has it: what belongs to the server and not to its API would only fill it.
    var isJournaled: Bool { !isOfServer }

    /// The names of the faults that acted.
    var faultNames: [String] { (responseFaults?.ruleNames ?? []) + (handshakeFaults?.ruleNames ?? []) }
}
