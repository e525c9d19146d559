import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes
import MockServer
import TestSupport
import WebSocket

/// One session: a client that connects, acts, drops its connection, reconnects, and leaves.
///
/// The client reads its input with the client half of our own codecs, which check the grammar, and compares it with its
/// expectations. ``SimulatedClient/act()``, in another file, draws its actions.
final class SimulatedClient: VirtualReader {
    /// The client's number in the run, from 1.
    let number: Int
    unowned let simulator: Simulator
    let user: SimulatedUser
    /// The number of actions before the client leaves.
    var remaining: Int
    var isDone = false
    /// Whether the client has begun to leave, and for how many turns it has waited.
    var isLeaving = false
    var patience = 3

    private(set) var wire: VirtualClient?
    private var http = HTTP1.Connection(role: .client)
    private(set) var socket: SimulatedSocket?
    private(set) var pending: [Expectation] = []
    private var hasBegun = false
    private var status = 0
    private var body: [UInt8] = []
    /// Whether the client has sent invalid input, after which the server may answer and close in any way.
    var isUncertain = false
    /// Whether the client itself stalled the connection, so that answers may be late.
    var hasStalled = false
    /// Whether the server announced that it will close the connection.
    private var isClosing = false
    private var opening = SimulatedSocket.Place.echo

    var world: SimulatedWorld { user.world }
    var checks: Checks { world.checks }

    init(number: Int, user: SimulatedUser, operations: Int, simulator: Simulator) {
        self.number = number
        self.user = user
        self.simulator = simulator
        remaining = operations
    }

    var isConnected: Bool { wire?.ending == .open }
    /// Whether the connection has ended for the client, even if the transport is still open.
    var sawEnd: Bool { wire.map { $0.ending != .open || $0.sawEndOfStream } ?? true }
    /// Whether all of the server's output arrives immediately.
    var readsEverything: Bool { wire?.window == .max }

    func connected(_ wire: VirtualClient) {
        self.wire = wire
        http = HTTP1.Connection(role: .client)
        socket = nil
        pending.removeAll(keepingCapacity: true)
        hasBegun = false
        body.removeAll(keepingCapacity: true)
        isUncertain = false
        hasStalled = false
        isClosing = false
    }

    func disconnected() {
        wire = nil
        socket = nil
        pending.removeAll(keepingCapacity: true)
    }

    func fail(_ message: String) { simulator.fail("client \(number) of \(user.subject): \(message)", in: world) }

    // MARK: Sending

    func send(_ bytes: [UInt8], _ expectation: Expectation) {
        pending.append(expectation)
        send(bytes)
    }

    func send(_ bytes: [UInt8]) { wire?.send(bytes) }

    func open(_ place: SimulatedSocket.Place, _ bytes: [UInt8], _ expectation: Expectation) {
        opening = place
        send(bytes, expectation)
    }

    // MARK: Receiving

    func receive(_ bytes: UnsafeRawBufferPointer) {
        simulator.digest(bytes)
        if simulator.operating.isContinuing, pending.first?.listsWhatIsDue != true {
            simulator.heard[number, default: []] += bytes
        }
        if let socket { return socket.receive(bytes) }
        guard checks.contains(.responses) || !isClosing else { return }
        if isClosing { return fail("\(bytes.count) bytes arrived behind a response that closes the connection") }
        http.receive(bytes)
        readResponses()
    }

    func receiveEndOfStream() {
        if let socket { return socket.receiveEndOfStream() }
        http.receiveEndOfStream()
        readResponses()
        let unanswered = pending.contains { !$0.mayBeMissing }
        guard unanswered, !isUncertain, !hasStalled, !isClosing, checks.contains(.responses), !simulator.isStopping
        else { return }
        fail("the server closed without answering \(pending.count) requests")
    }

    private func readResponses() {
        while let expectation = pending.first, !isClosing {
            if !hasBegun {
                guard http.ourState == .idle else { return }
                begin(expectation)
            }
            let event: HTTP1.Event
            do {
                event = try http.nextEvent()
            } catch {
                isClosing = true
                // Output that a fault holds back is lost when the server stops.
                if simulator.isStopping, !checks.contains(.promptness) { return }
                if checks.contains(.responses) { fail("a response is malformed: \(error)") }
                return
            }
            switch event {
            case .informational: break
            case .response(let head):
                status = head.status.code
                if status == 101 {
                    finish(expectation)
                    return upgraded(head)
                }
                if head.fields.firstValue(of: .connection, is: SimulatedClient.close) == true { closesAfter = true }
            case .body(let bytes): body += bytes
            case .end:
                finish(expectation)
                if closesAfter { isClosing = true }
            case .needsData, .paused, .connectionClosed: return
            case .request: return fail("the server sent a request")
            }
        }
        guard pending.isEmpty, http.bufferedByteCount > 0, checks.contains(.responses), !isClosing else { return }
        fail("\(http.bufferedByteCount) bytes arrived that answer nothing")
    }

    private var closesAfter = false
    private static let close = Array("close".utf8)
    private static let requestFields: HTTPFields = [.hostField: "localhost"]
    private static let upgradeFields: HTTPFields = [
        .hostField: "localhost", .upgrade: "websocket", .connection: "Upgrade",
    ]

    /// Tells our HTTP codec about a request that was sent but whose bytes were written elsewhere.
    private func begin(_ expectation: Expectation) {
        hasBegun = true
        closesAfter = false
        body.removeAll(keepingCapacity: true)
        let fields = expectation.isUpgrade ? SimulatedClient.upgradeFields : SimulatedClient.requestFields
        simulator.scratch.removeAll(keepingCapacity: true)
        http.sendRequest(method: .get, target: "/", fields: fields, body: nil, into: &simulator.scratch)
    }

    private func finish(_ expectation: Expectation) {
        hasBegun = false
        pending.removeFirst()
        simulator.answered(expectation, status: status)
        guard checks.contains(.responses) else { return }
        simulator.judge(expectation, status: status, body: body, for: self)
    }

    private func upgraded(_ head: ResponseHead) {
        if checks.contains(.handshakes),
            head.fields.firstValue(of: .secWebSocketAccept, is: RequestWriter.acceptValue) != true
        {
            fail("a handshake was accepted for another key")
        }
        let rest = http.takeTrailingBytes()
        let socket = SimulatedSocket(of: self, on: opening, wire: wire)
        self.socket = socket
        rest.withUnsafeBytes { socket.receive($0) }
    }
}
