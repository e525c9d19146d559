import FitIQAPI
import HTTP1
import HTTPTypes
import MCP

/// The admin API for agents: the Model Context Protocol over HTTP.
extension AdminCall {
    /// `POST /__admin/mcp`: answers a client's message.
    ///
    /// A tool call becomes a request to the admin API with the same fields, so it passes the same checks. The HTTP
    /// response carries the answer. There are no sessions, so a client that disconnects loses the answer.
    func answerModelContext() throws(APIError) -> Answer? {
        let fields = head.fields
        let step = MCPServer(version: Version.current).receive(bytes) { name in
            HTTPField.Name(name).flatMap { fields[$0] }
        }
        switch step {
        case .nothing, .cancel: return Answer(status: .accepted, body: [])
        case .answer(let answer): return Answer(answer)
        case .call(let request): return try perform(request)
        }
    }

    private func perform(_ request: MCPCall) throws(APIError) -> Answer? {
        guard case .admin(let method, let path, let body) = request.work else {
            preconditionFailure("This server has no command.")
        }
        let ofConnection = ["connection", "content-length", "expect", "transfer-encoding", "upgrade"]
        let lines = head.fields.nameValuePairs.filter { !ofConnection.contains($0.0.lowercased()) }
            .map { "\($0.0): \($0.1)\r\n" }
        let first = "\(method) /__admin/\(path) HTTP/1.1\r\n"
        let inner: RequestHead
        do throws(RemoteError) {
            inner = try RequestHead(recorded: Array((first + lines.joined()).utf8))
        } catch {
            return Answer(request.failure(error.message))
        }
        let exchange = Exchange(inner, body: body ?? [], on: connection, in: engine, at: now)
        guard case .admin(let route)? = exchange.destination.route, route.methods.contains(inner.method) else {
            return Answer(request.failure("The admin API has no \(first)".onOneLine(limit: 400)))
        }
        if engine.passPause(exchange) == .stopped {
            // The engine serves the message again when the world resumes.
            (connection.request, connection.body) = (head, bytes)
            return nil
        }
        let envelope: (Answer) -> Answer = { [unowned engine = engine, id = connection.id] answer in
            guard answer.source == nil, answer.body.count <= Engine.largestWorkOnLoop else {
                let source = answer.source ?? BytesSource([answer.body])
                return Answer(EnvelopeSource(source, status: answer.status.code, request, on: id, of: engine))
            }
            return Answer(request.answer(status: answer.status.code, body: answer.body))
        }
        exchange.envelope = envelope
        do throws(APIError) {
            return try engine.answerAdmin(route, exchange).map(envelope)
        } catch {
            return envelope(Answer(error, in: .union))
        }
    }
}

extension Answer {
    fileprivate init(_ answer: MCPAnswer) {
        self.init(status: HTTPResponse.Status(code: answer.status), body: answer.bytes)
    }
}

/// Collects a body, and converts it to a message for a Model Context Protocol client.
final class EnvelopeSource: BodySource {
    let source: any BodySource
    private let status: Int
    private let request: MCPCall
    private let connection: ConnectionID
    private unowned let engine: Engine
    private var bytes: [UInt8] = []
    private var message: [UInt8]?
    private var isMade = false

    var heldByteCount: Int { source.heldByteCount + bytes.count }
    var keepsJournal: Bool { true }
    var wakesAt: Timestamp? { isMade ? nil : source.wakesAt }

    init(
        _ source: any BodySource, status: Int, _ request: MCPCall, on connection: ConnectionID, of engine: Engine
    ) {
        (self.source, self.status, self.request) = (source, status, request)
        (self.connection, self.engine) = (connection, engine)
    }

    func fill(_ slice: inout BodySlice) -> BodyProgress {
        if !isMade {
            var (status, isWhole) = (status, bytes.count > MCPCall.answerLimit)
            let size = slice.bytesLeft
            var part = BodySlice(size: size, at: slice.now)
            do throws(APIError) {
                let progress = try source.fill(&part)
                bytes += part.bytes
                slice.spend(size - part.bytesLeft)
                isWhole = isWhole || progress == .end
                guard isWhole else { return progress }
            } catch {
                (status, bytes) = (error.status.code, error.body(in: .union))
            }
            make(status: status, at: slice.now)
        }
        guard let message else { return .waiting }
        slice.bytes += message
        return .end
    }

    /// Creates the message; a job creates large messages and then wakes the stream.
    private func make(status: Int, at now: Timestamp) {
        isMade = true
        let (request, body) = (request, bytes.count > MCPCall.answerLimit ? nil : bytes)
        bytes = []
        guard let body, body.count > Engine.largestWorkOnLoop else {
            return message = request.answer(status: status, body: body).bytes
        }
        engine.runJob(at: now) {
            request.answer(status: status, body: body).bytes
        } then: { [self] engine, made, _ in
            message = made.take()
            if let connection = engine[connection] { engine.wakeStream(of: connection) }
        }
    }
}
