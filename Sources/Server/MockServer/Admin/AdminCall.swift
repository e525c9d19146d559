import Digests
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON

/// A request to the admin API that has passed the access and world checks.
///
/// The files beside this one extend the type with handlers for the requests in ``AdminResource/all``, one file for each
/// subject. Each handler answers a bad body or query with 400, and an unknown name in the path with 404. A body that is
/// written in slices must not retain the call, because the call retains the connection.
struct AdminCall {
    unowned let engine: Engine
    /// The world that the request concerns; the default world for requests to the server.
    let world: World
    let route: AdminRoute
    let exchange: Exchange
    /// Collects deprecated words for the member `deprecated` of the answer.
    let oldWords = OldWords()

    /// Sentences about deprecated words in a request, each with the current word.
    final class OldWords {
        fileprivate(set) var sentences: [String] = []
        func note(_ sentence: String) { sentences.append(sentence) }
    }

    /// The resource's path below `/__admin`, with the names in braces.
    var template: String { route.resource.template }
    var parameter: ExactString { route.parameter }

    var head: RequestHead { exchange.head }
    var bytes: [UInt8] { exchange.body }
    var connection: Connection { exchange.connection }
    /// The system's time.
    var now: Timestamp { exchange.now }

    /// The body; throws 400 unless it is a JSON object with only these keys.
    func body(keys: [String]?, limits: JSON.Limits = AdminBody.limits) throws(APIError) -> AdminBody {
        try AdminBody(bytes, keys: keys, limits: limits)
    }

    /// The query; throws 400 if it has other keys.
    func query(keys: [String]) throws(APIError) -> QueryReader {
        let items = head.target.queryItems()
        for item in items where !keys.contains(item.name) { throw .unknownAdminKey(item.name, allowed: keys) }
        return QueryReader(items)
    }

    /// Runs the world's steps that are due, because the loop may be late, and sets the world's time.
    func enterDue() {
        runDue()
        engine.enter(world, at: now)
    }

    /// Runs the world's steps that are due, because the loop may be late.
    func runDue() { engine.advance(world, to: world.clock.now(now), at: now) }

    /// Answers with the result of some work, which a job does if it takes long.
    ///
    /// - Parameters:
    ///   - isLong: Whether a job does the work, if the engine has jobs.
    ///   - bytes: The bytes of the request that the job holds.
    ///   - paused: The world to pause during the job.
    ///   - then: Creates the answer on the loop, even if the client of a job has left.
    /// - Returns: Nil if the request waits for a job.
    /// - Throws: Any error from `then` unless it follows a job, or a 507 if jobs already hold too much.
    func answer<Value: Sendable>(
        inJob isLong: Bool, holding bytes: Int = 0, pausing paused: World? = nil,
        _ work: @escaping @Sendable () -> Value,
        then: @escaping (Engine, Value, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        guard isLong, engine.startJob != nil else { return try then(engine, work(), now) }
        guard bytes == 0 || engine.hasRoom(forJobOf: bytes) else { throw .tooMuchToRead }
        let awaited = engine.awaitJob(for: exchange, holding: bytes)
        if let paused { engine.pause(paused) }
        engine.runJob(at: now, work) { engine, value, now in
            let answer = Result { () throws(APIError) in try then(engine, value.take(), now) }
            if engine.connection(of: awaited) == nil, let source = try? answer.get().source as? BytesSource {
                engine.discard(source.takeRest())
            }
            engine.conclude(awaited, with: answer, at: now)
            if let paused { engine.resume(paused, at: now) }
        }
        return nil
    }

    // MARK: Access

    /// Refuses clients that do not send the admin token; if the server has no token, refuses clients on other machines.
    ///
    /// If there is no token, this function also refuses requests through a proxy, because the proxy's client can be
    /// anywhere. The same applies to requests from other sites' pages: a browser on this machine sends them, possibly
    /// to a foreign DNS name that points to this machine.
    fileprivate static func checkAccess(
        _ head: RequestHead, on connection: Connection, to engine: Engine
    ) throws(APIError) {
        if let token = engine.configuration.adminToken {
            guard let sent = head.fields.withFirstValue(of: .xAdminToken, { Array($0) }),
                constantTimeEquals(sent, Array(token.utf8))
            else { throw .wrongAdminToken }
            return
        }
        guard connection.isLocal else { throw .adminFromElsewhere }
        if let field = head.fields.httpFields.first(where: \.isOfProxy) {
            throw .adminThroughProxy(field.name.rawName)
        }
        if let origin = head.fields[.origin], WebOrigin(origin)?.isOfThisMachine != true { throw .adminForOtherSite }
        if let authority = head.authority,
            WebOrigin(scheme: "http", authority: authority[...])?.isOfThisMachine != true
        {
            throw .adminForOtherSite
        }
        // Browsers send these fields even when they do not send 'Origin'.
        if let site = head.fields[.secFetchSite], site == "cross-site" || site == "same-site" {
            throw .adminForOtherSite
        }
    }
}

/// What the engine asks of the admin API.
extension Engine {
    /// Answers a request below `/__admin`; nil if the request opened a WebSocket or waits for a job.
    ///
    /// Refusals are checked in this order: 404 and 405 for the endpoint, 401 and 403, 404 for the world, 415, 400.
    func answerAdmin(_ route: AdminRoute, _ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, scope) = (exchange.head, route.resource.scope)
        guard let operation = route.resource.operations.first(where: { $0.method == head.method }) else {
            preconditionFailure("Other methods must have been refused earlier.")
        }
        if scope != .open { try AdminCall.checkAccess(head, on: exchange.connection, to: self) }
        let world = scope == .world ? try adminWorld(route.worldID, at: exchange.now) : defaultWorld
        if head.method != .get, head.method != .head { try checkMediaType(head.fields, exchange.body) }
        let call = AdminCall(engine: self, world: world, route: route, exchange: exchange)
        var answer = try operation.answer(call)()
        let sentences = call.oldWords.sentences
        if !sentences.isEmpty, let body = answer?.body, body.last == UInt8(ascii: "}") {
            let deprecated = JSONWriter.object { $0.strings("deprecated", sentences) }
            answer?.body = body.dropLast() + (body.count > 2 ? [UInt8(ascii: ",")] : []) + deprecated.dropFirst()
        }
        return answer
    }

    private func adminWorld(_ id: ExactString?, at now: Timestamp) throws(APIError) -> World {
        guard let id else {
            guard configuration.hasDefaultWorld else { throw .noDefaultWorld }
            return defaultWorld
        }
        guard let world = worlds[id] else { throw refusal(ofWorld: id.text) }
        world.lastUsed = now
        return world
    }

    /// Raises the body limit for a photo, and for a state or a frame from a client with admin access.
    func admitLargeBody(_ head: RequestHead, on connection: Connection) {
        switch Destination(of: head.target, in: self).route {
        case .api(let route) where route.endpoint(for: head.method) == .recognizeMealPhoto:
            connection.http.raiseBodyLimit(to: limits.photoBody)
        case .admin(let route):
            guard let limit = route.resource.largeBody, [.put, .post].contains(head.method),
                route.methods.contains(head.method),
                (try? AdminCall.checkAccess(head, on: connection, to: self)) != nil
            else { return }
            connection.http.raiseBodyLimit(to: min(limits[keyPath: limit], Connection.largestBody))
            if head.method == .put { connection.takesPieces = true }
        default: break
        }
    }
}

extension HTTPField.Name {
    static let xAdminToken = HTTPField.Name("X-Admin-Token")!  // A constant token.
    /// How the requesting page's site relates to this site (Fetch Metadata Request Headers §2.3).
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!  // A constant token.
}

extension HTTPField {
    /// Whether a proxy adds this field: `Via` (RFC 9110 §7.6.3), `Forwarded` (RFC 7239), and their predecessors.
    fileprivate var isOfProxy: Bool {
        switch name.canonicalName {
        case "via", "forwarded", "x-real-ip": true
        case let other: other.hasPrefix("x-forwarded-")
        }
    }
}
