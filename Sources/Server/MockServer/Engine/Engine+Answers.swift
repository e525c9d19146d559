import Faults
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes
import Traffic

extension Engine {
    /// The answer to a request; nil if the request opened a WebSocket or waits.
    ///
    /// Checks follow the order in openapi/DEVIATIONS.md: unknown endpoint (404, 405), credentials (401), id (404),
    /// media type (415), body (400), then the rest.
    func answer(_ exchange: Exchange) throws(APIError) -> Answer? {
        let world = exchange.world
        if exchange.head.target.form == .asterisk {
            let served = Set(Endpoint.allCases.filter(world.mode.serves).map(\.method))
            let others = [.put, .delete].filter(served.contains).map(\.rawValue)
            return options(["GET", "HEAD", "POST", "PATCH"] + others + ["OPTIONS"])
        }
        // Faults and sessions do not apply to preflights, because browsers send preflights automatically.
        if let answer = origins.preflightAnswer(exchange.head, exchange.destination, in: world.mode) { return answer }
        guard exchange.destination.world != nil else {
            exchange.unmatched = .unknownPath
            throw exchange.destination.worldID.map { refusal(ofWorld: $0.text) } ?? .noDefaultWorld
        }
        if !exchange.destination.isAdmin { try origins.check(exchange.head, on: exchange.connection) }
        if let answer = portalAnswer(exchange) { return answer }
        coding.inflateBody(of: exchange)
        if world.replay?.answers(exchange) ?? false { return try replayAnswer(exchange) }
        if let answer = stubAnswer(exchange) { return answer }
        if let upstream = world.settings.scenario.upstream, chooseAnswerer(exchange, upstream) == .real {
            return try upstreamAnswer(exchange, from: upstream)
        }
        guard let endpoint = exchange.endpoint, world.mode.serves(endpoint), !endpoint.isSocket else {
            return try answerElsewhere(exchange)
        }
        guard exchange.isReleased || !world.faults.isEmpty || asksForFault(exchange.head) else {
            return try restAnswer(exchange)
        }
        return try faultyAnswer(exchange)
    }

    /// The answer to a request that is not an operation in the guide's REST API.
    private func answerElsewhere(_ exchange: Exchange) throws(APIError) -> Answer? {
        let (head, destination, world) = (exchange.head, exchange.destination, exchange.world)
        let mode = world.mode
        guard let route = destination.route else {
            exchange.unmatched = .unknownPath
            throw refusalOfPath(head.target, at: destination, in: world)
        }
        guard exchange.endpoint.map(mode.serves) ?? route.methods(in: mode).contains(head.method) else {
            exchange.unmatched = exchange.endpoint == nil ? .wrongMethod : .notInGuide
            if let refusal = refusalOfAbsence(of: route, head, in: world) { throw refusal }
            let methods = route.methods(in: mode) + [.options]
            if head.method == .options { return options(methods.map(\.rawValue)) }
            throw .methodNotAllowed(head.method, path: head.target.path, allowed: methods)
        }
        switch route {
        case .health: return .ok(Array(#"{"status":"ok"}"#.utf8))
        case .ready:
            let trouble = isShuttingDown ? "shutting down" : drainIdle != nil ? "draining" : nil
            return Answer(
                status: trouble == nil ? .ok : .serviceUnavailable,
                body: Array(#"{"status":"\#(trouble ?? "ready")"}"#.utf8))
        case .description(let description):
            if let overlay = world.settings.scenario.overlay, description != .documentation {
                // Parsing and writing the description would block the loop for too long.
                let changed = Deferred(parsing: .max) { DescribedAPI(description, in: mode).changed(by: overlay) }
                return value(of: changed, for: exchange, at: world.turn.now).map {
                    Answer(body: $0, contentType: description.mediaType)
                }
            }
            return Answer(body: description.bytes(for: mode), contentType: description.mediaType)
        case .page(let path):
            return Answer(
                body: APIDescription.bytes(of: path), contentType: APIDescription.mediaType(ofPage: path))
        case .root:
            let prefix = destination.worldID.map { "/w/\($0.text)" } ?? ""
            return Answer(status: .found, body: [], fields: [.location: prefix + "/docs"])
        case .admin(let route): return try adminAnswer(route, exchange)
        case .api(.avatar(let persona)):
            return Answer(body: Array(persona.avatarImage.utf8), contentType: "image/svg+xml")
        case .api(let route): return try openSocket(of: route, exchange)
        }
    }

    /// The answer from a stub in the scenario, which the journal marks like a fault; nil if no stub matches.
    private func stubAnswer(_ exchange: Exchange) -> Answer? {
        let stubs = exchange.world.settings.scenario.stubs
        guard !stubs.isEmpty, !exchange.isOfServer else { return nil }
        let segments = exchange.head.target.segments.dropFirst(exchange.destination.worldID == nil ? 0 : 2)
        let isKnown = exchange.destination.route != nil
        let stub = stubs.first { ($0.overrides || !isKnown) && $0.answers(exchange.head.method, segments) }
        guard let stub else { return nil }
        exchange.interceptor = "stub \(stub.method) \(stub.path)"
        var fields = stub.fields
        let type = fields[.contentType]
        fields[.contentType] = nil
        return Answer(status: stub.status, body: stub.body, fields: fields, contentType: type)
    }

    /// A REST endpoint's answer with any faults applied; nil if the request is held or waits for a job.
    private func faultyAnswer(_ exchange: Exchange) throws(APIError) -> Answer? {
        if !exchange.isReleased {
            exchange.responseFaults = try responseFaults(of: exchange)
            if passBreakpoints(exchange) == .stopped { return nil }
        }
        guard let faults = exchange.responseFaults, let replacement = faults.replacement else {
            return try restAnswer(exchange)
        }
        // The client loses the answer, but the backend still handles the request.
        if replacement.isProcessed {
            let hidden = try? restAnswer(exchange)
            if exchange.connection.waiting != nil { return nil }
            exchange.created = hidden.flatMap { RecordedExchange.created($0.status.code, $0.body) }
        }
        return faults.answer(in: exchange.errorForm, forApps: exchange.servesApps).map(Answer.init)
    }

    private func asksForFault(_ head: RequestHead) -> Bool {
        !configuration.hasStrictHeaders && (head.fields.contains(.xFakeFault) || head.fields.contains(.prefer))
    }

    /// The fault that a REST request selects, or the faults of matching rules, if any.
    func responseFaults(of exchange: Exchange) throws(APIError) -> ResponseFaults? {
        let world = exchange.world
        do throws(FaultBookError) {
            guard asksForFault(exchange.head),
                let requested = try RequestedFault(
                    name: exchange.head.fields[.xFakeFault], preferences: exchange.head.fields[.prefer])
            else {
                return world.faults.respond(to: exchange.endpoint, at: world.turn.now)
            }
            return try world.faults.respond(with: requested, at: world.turn.now)
        } catch {
            throw .invalid(error.message)
        }
    }

    /// A REST endpoint's answer with the world's overlay applied; nil if the request waits for a job.
    private func restAnswer(_ exchange: Exchange) throws(APIError) -> Answer? {
        guard let overlay = exchange.world.settings.scenario.overlay, let endpoint = exchange.endpoint,
            overlay.concerns(endpoint)
        else { return try ownAnswer(exchange) }
        if let made = exchange.made as? ChangedAnswer { return Answer(made) }
        let answer: Answer
        do throws(APIError) {
            guard let own = try ownAnswer(exchange) else { return nil }
            answer = own
        } catch {
            answer = Answer(exchange.world.advising(error), in: exchange.errorForm, forApps: exchange.servesApps)
        }
        let own = ChangedAnswer(answer)
        // Each change may traverse the whole answer.
        let cost = own.body.count * overlay.count(for: endpoint)
        let changed = Deferred(parsing: cost) { own.changed(by: overlay, of: endpoint) }
        return value(of: changed, for: exchange, at: exchange.world.turn.now).map(Answer.init)
    }

    /// A REST endpoint's answer before any overlay is applied; nil if the request waits for a job.
    private func ownAnswer(_ exchange: Exchange) throws(APIError) -> Answer? {
        if exchange.isReleased, exchange.made is HTTPResponse.Status { return .noContent }
        guard let endpoint = exchange.endpoint else {
            preconditionFailure(
                "A path without an operation must have been refused earlier.")
        }
        if endpoint.credentials == .key { return try keyedAnswer(endpoint, exchange) }
        let world = exchange.world
        defer { applyEffects(of: world, at: exchange.now) }
        // Pass the backend as `inout`, because each method call on `world.backend` would copy it first.
        return try answer(endpoint, on: exchange.id, exchange, &world.backend, &world.turn)
    }

    /// The answer from an endpoint that needs a bearer token; nil if the request waits for a job.
    ///
    /// - Parameter id: The first id in the path; empty if there is none.
    /// - Throws: A 401 for invalid credentials, a 404 for an unknown id, a 415, 413 or 400 for an invalid body, a 400
    ///   for an invalid query, or a 507 if the world is full.
    private func answer(
        _ endpoint: Endpoint, on id: String, _ exchange: Exchange, _ backend: inout Backend, _ turn: inout Turn
    ) throws(APIError) -> Answer? {
        let world = exchange.world
        let user = try world.authenticator.user(
            of: exchange.head.fields, needsKey: endpoint.credentials != .token,
            last: &exchange.connection.lastAuthorization, in: &backend, at: turn.date)
        exchange.user = backend.name(of: user)
        if let hint = world.authenticator.takeHint() {
            recorder.record(.note(hint), on: exchange.connection, in: world)
        }
        // First run the events that are due, even if the request is then refused.
        backend.advance(&turn)
        let isForApps = world.mode.servesApps
        switch endpoint {
        case .showConsultation: return .ok(try backend.consultation(id, for: user))
        case .showGoal: return .ok(try backend.goal(id, for: user))
        case .showMealLog: return .ok(try backend.mealLog(id, for: user))
        case .listConsultations:
            let query = try ConsultationListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return .ok(backend.consultations(query, for: user))
        case .listMessages:
            let messages = try backend.messages(id, query: exchange.head.target.queryItems(), for: user, turn)
            return ok(messages, exchange, at: turn.now)
        case .listQuickActions:
            return .ok(backend.quickActions(try QuickActionQuery(query: exchange.head.target.queryItems())))
        case .listGoals:
            let query = try GoalListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return ok(backend.goals(query, for: user, at: turn.date), exchange, at: turn.now)
        case .listMealLogs:
            let query = try MealLogListQuery(query: exchange.head.target.queryItems(), isForApps: isForApps)
            return ok(backend.mealLogs(query, for: user), exchange, at: turn.now)
        default: return try commandAnswer(endpoint, on: id, by: user, exchange, &backend, &turn)
        }
    }

    /// The refusal for an unknown path.
    private func refusalOfPath(_ target: RequestTarget, at destination: Destination, in world: World) -> APIError {
        let path = world.id.map { String(target.path.dropFirst(3 + $0.utf8.count)) } ?? target.path
        return destination.isAdmin
            ? .unknownAdminPath(path) : Route.refusal(ofUnknownPath: path, in: world.mode)
    }

    /// The refusal for a path or method that exists only in other modes; nil if only the method is wrong.
    private func refusalOfAbsence(of route: ServerRoute, _ head: RequestHead, in world: World) -> APIError? {
        guard case .api(let route) = route else { return nil }
        let mode = world.mode
        let asked = route.endpoint(for: head.method, in: mode)
        guard let absent = asked ?? (route.methods(in: mode).isEmpty ? route.endpoints(in: mode).first : nil) else {
            return nil
        }
        return .notInGuide(absent, method: head.method, path: head.target.path, mode: mode)
    }

    /// Checks that a body is JSON and no longer has a content coding.
    func checkContent(of exchange: Exchange) throws(APIError) {
        try coding.check(exchange)
        try checkMediaType(exchange.head.fields, exchange.body)
    }

    /// Checks that a body is JSON; a request that has no body needs no Content-Type.
    func checkMediaType(_ fields: FieldBlock, _ body: [UInt8]) throws(APIError) {
        guard !body.isEmpty, !fields.onlyValue(of: .contentType, is: Self.jsonMediaType) else { return }
        try APIError.checkMediaType(fields[.contentType])
    }

    /// The value that most clients send, which is compared with the field before the field is parsed.
    private static let jsonMediaType = Array("application/json".utf8)

    private func options(_ methods: [String]) -> Answer {
        Answer(status: .noContent, body: [], fields: [.allow: methods.joined(separator: ", ")])
    }
}
