import APIDescriptions
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes

/// The HTTP side of a connection: requests in, responses out, one after another.
extension Engine {
    /// Serves the requests that have arrived, until one is incomplete, the connection becomes a WebSocket, or the peer takes
    /// too little of the answers.
    func serveRequests(of connection: Connection, at now: Timestamp) {
        touch(connection)
        while connection.ending == .none, !isReadingPaused(connection), connection.speaks == .http {
            let event: HTTP1.Event
            do throws(RemoteError) {
                event = try connection.http.nextEvent()
            } catch {
                respond(.violation(error), on: connection, at: now)
                return
            }
            switch event {
            case .request(let head):
                connection.request = head
                if head.expectsContinue { connection.http.sendContinue(into: &connection.output.bytes) }
            case .body(let bytes):
                connection.body += bytes
            case .end:
                serveRequest(of: connection, at: now)
            case .connectionClosed:
                end(connection, .close)
            case .needsData, .paused:
                awaitMore(on: connection, at: now)
                return
            case .response, .informational:
                preconditionFailure("A server's connection reads requests.")
            }
        }
    }

    /// Sets the deadline that fits what is arriving.
    private func awaitMore(on connection: Connection, at now: Timestamp) {
        if connection.http.isReadingBody {
            if connection.deadline?.purpose != .readBody { arm(connection, .readBody, after: patience.read, at: now) }
        } else if connection.http.isReadingHead {
            if connection.deadline?.purpose != .readHead { arm(connection, .readHead, after: patience.read, at: now) }
        } else if isShuttingDown {
            end(connection, .close)
        } else {
            arm(connection, .idle, after: patience.idle, at: now)
        }
    }

    private func serveRequest(of connection: Connection, at now: Timestamp) {
        guard let head = connection.request else { preconditionFailure("A request ended that never began.") }
        let body = connection.body
        connection.request = nil
        connection.body = []
        // What follows has its own time to arrive.
        arm(connection, .idle, after: patience.idle, at: now)

        let destination = Destination(of: head.target, in: self)
        let world = destination.world ?? defaultWorld
        connection.world = world
        world.lastUsed = now
        world.setTime(now)
        let answer: Answer
        do throws(APIError) {
            guard let made = try self.answer(head, body: body, at: destination, on: connection, at: now) else { return }
            answer = made
        } catch {
            answer = Answer(error, in: errorForm(for: head, at: destination))
        }
        if heldBytes + answer.body.count > limits.heldBytes {
            respond(.tooMuchHeld(limit: limits.heldBytes), on: connection, at: now)
            return
        }
        respond(answer, to: head, in: world, on: connection, at: now)
    }

    func respond(
        _ answer: Answer, to head: RequestHead, in world: World, on connection: Connection, at now: Timestamp
    ) {
        if answer.fields == nil, answer.contentType == nil, answer.status != .noContent {
            connection.http.respond(
                status: answer.status, encodedFields: world.responseFields.json, body: answer.body,
                close: isShuttingDown, into: &connection.output.bytes)
        } else {
            var fields = answer.fields ?? HTTPFields()
            if answer.status != .noContent { fields[.contentType] = answer.contentType ?? Answer.json }
            fields[.date] = world.turn.now.httpDateText
            connection.http.respond(
                status: answer.status, fields: fields, body: answer.body, close: isShuttingDown,
                into: &connection.output.bytes)
        }
        if observesRequests, let observe {
            observe(.answered(method: head.method.rawValue, target: head.target.description, status: answer.status))
        }
        if connection.http.shouldClose { linger(connection, at: now) }
    }

    /// Gives up on a request that has not begun or is not complete, answers why, and ends the connection.
    func refuse(_ connection: Connection, _ refusal: TransportRefusal, at now: Timestamp) {
        connection.http.abandonRequest(
            RemoteError(status: refusal.status, message: refusal.message, source: "RFC 9112 §9.5"))
        respond(refusal, on: connection, at: now)
    }

    private func respond(_ refusal: TransportRefusal, on connection: Connection, at now: Timestamp) {
        let world = connection.world ?? defaultWorld
        world.setTime(now)
        connection.request = nil
        connection.body = []
        connection.http.respond(
            status: refusal.status, encodedFields: world.responseFields.json, body: refusal.body(in: world.mode),
            close: true, into: &connection.output.bytes)
        observe?(.refused(status: refusal.status, message: refusal.message))
        linger(connection, at: now)
    }

    /// The answer to a request; nil where it opened a WebSocket.
    ///
    /// Refusals come in the contract's order, 401, 404, 400 and the rest, save that an unknown endpoint is told before
    /// credentials are looked at (404, 405), and a media type before what it hides (415).
    private func answer(
        _ head: RequestHead, body: [UInt8], at destination: Destination, on connection: Connection, at now: Timestamp
    ) throws(APIError) -> Answer? {
        if head.target.form == .asterisk { return options(["GET", "HEAD", "POST", "PATCH", "OPTIONS"]) }
        guard let world = destination.world else { throw .unknownWorld(destination.worldID ?? "") }
        let mode = world.mode
        guard let route = destination.route else { throw refusalOfPath(head.target, at: destination, in: world) }
        guard route.answers(head.method, in: mode) else {
            if let refusal = refusalOfAbsence(of: route, head, in: world) { throw refusal }
            let methods = route.methods(in: mode) + [.options]
            if head.method == .options { return options(methods.map(\.rawValue)) }
            throw .methodNotAllowed(head.method, path: head.target.path, allowed: methods)
        }
        switch route {
        case .health: return .ok(Array(#"{"status":"ok"}"#.utf8))
        case .ready: return ready
        case .description(let description):
            return Answer(
                status: .ok, body: description.bytes(for: mode.rawValue), contentType: description.mediaType)
        case .admin(let route):
            return try adminAnswer(route, head, body: body, on: connection, at: now)
        case .api(.avatar(let persona)):
            return Answer(status: .ok, body: Array(persona.avatarImage.utf8), contentType: "image/svg+xml")
        case .api(.webSocket(let id)):
            return try openConsultationSocket(head, id: id, in: world, on: connection, at: now)
        case .api(let route):
            let user = try world.authenticator.user(
                of: head.fields, last: &connection.lastAuthorization, in: &world.backend, at: world.turn.now)
            // What was due happens before the request is looked at, refused or not.
            defer { applyEffects(of: world, at: now) }
            return try restAnswer(route, head, body: body, user: user, in: world)
        }
    }

    /// Why there is nothing at a path, in any mode.
    private func refusalOfPath(_ target: RequestTarget, at destination: Destination, in world: World) -> APIError {
        guard let id = world.id else {
            return target.path.hasPrefix("/__admin")
                ? .unknownAdminPath(target.path) : Route.refusal(ofUnknownPath: target.path, in: world.mode)
        }
        guard !destination.isAdminBelowWorld else { return .adminBelowWorld(id) }
        return Route.refusal(ofUnknownPath: String(target.path.dropFirst(3 + id.utf8.count)), in: world.mode)
    }

    /// Why there is nothing at a path that other modes serve; nil where the mode serves something there, only not this method.
    private func refusalOfAbsence(of route: ServerRoute, _ head: RequestHead, in world: World) -> APIError? {
        guard case .api(let route) = route else { return nil }
        let mode = world.mode
        let asked = route.endpoint(for: head.method)
        guard let absent = asked ?? (route.methods(in: mode).isEmpty ? route.endpoints.first : nil) else { return nil }
        return .notInGuide(absent, method: head.method, path: head.target.path, mode: mode)
    }

    /// Refusals have the form of the endpoint that was asked, and where there is none, the guide's own.
    private func errorForm(for head: RequestHead, at destination: Destination) -> GuideMode {
        let mode = (destination.world ?? defaultWorld).mode
        guard case .api(let route)? = destination.route, let endpoint = route.endpoint(for: head.method) else {
            return mode
        }
        return mode.provision(of: endpoint) == .support ? .union : mode
    }

    private func restAnswer(
        _ route: Route, _ head: RequestHead, body: [UInt8], user: UserID, in world: World
    ) throws(APIError) -> Answer {
        world.backend.advance(&world.turn)
        switch route {
        case .consultation(let id):
            return .ok(try world.backend.consultation(id, for: user))
        case .consultations where head.method == .post:
            try checkMediaType(head.fields, body)
            let request = try CreateConsultationRequest(body: body, in: world.mode.form(of: .createConsultation))
            return .created(try world.backend.createConsultation(request, by: user, &world.turn))
        case .consultations:
            let query = try ConsultationListQuery(query: head.target.queryItems())
            return .ok(world.backend.consultations(query, for: user))
        case .messages(let id):
            return .ok(try world.backend.messages(id, query: head.target.queryItems(), for: user))
        case .archive(let id):
            _ = try world.backend.consultation(id, for: user)
            try checkMediaType(head.fields, body)
            return .ok(try world.backend.archive(id, by: user, &world.turn))
        case .quickActions:
            return .ok(world.backend.quickActions(try QuickActionQuery(query: head.target.queryItems())))
        case .goals, .goal, .chatAboutGoal:
            return try goalAnswer(route, head, body: body, user: user, in: world)
        case .mealLogs, .naturalMealLogs, .mealLog:
            return try mealLogAnswer(route, head, body: body, user: user, in: world)
        case .webSocket, .avatar:
            preconditionFailure("Answered before credentials are looked at.")
        }
    }

    /// A body must be JSON; without a body no Content-Type is asked (CONTRACT: common rules).
    func checkMediaType(_ fields: FieldBlock, _ body: [UInt8]) throws(APIError) {
        guard !body.isEmpty, fields.firstValue(of: .contentType, is: Self.jsonMediaType) != true else { return }
        guard let value = fields[.contentType] else { throw .unsupportedMediaType(nil) }
        let parts = value.lowercased().split(separator: ";").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        let isJSON = parts.first == "application/json" || (parts.first?.hasSuffix("+json") ?? false)
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard isJSON, charset == nil || charset == "charset=utf-8" || charset == "charset=\"utf-8\"" else {
            throw .unsupportedMediaType(value)
        }
    }

    /// What most clients send, and so worth a look before the parts are taken apart.
    private static let jsonMediaType = Array("application/json".utf8)

    private func options(_ methods: [String]) -> Answer {
        Answer(
            status: .noContent, body: [], fields: [.allow: methods.joined(separator: ", ")])
    }

    private var ready: Answer {
        isShuttingDown
            ? Answer(status: .serviceUnavailable, body: Array(#"{"status":"shutting down"}"#.utf8))
            : .ok(Array(#"{"status":"ready"}"#.utf8))
    }
}
