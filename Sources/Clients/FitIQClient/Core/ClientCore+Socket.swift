import FitIQAPI
import HTTPTypes

extension ClientCore {
    /// The chat's socket, or the socket for all meals.
    enum Link: CaseIterable { case chat, meals }

    /// Accesses a link by its case, because key paths take ten times as long.
    subscript(link: Link) -> ChatLink {
        _read {
            switch link {
            case .chat: yield self.link
            case .meals: yield mealLink
            }
        }
        _modify {
            switch link {
            case .chat: yield &self.link
            case .meals: yield &mealLink
            }
        }
    }

    /// Whether a socket may open; it must wait for an archive request, because the server closes archived chats.
    var mayOpenSocket: Bool { requests.tokens.isUsable && (archiving == nil || archiving != link.wanted) }

    mutating func stepLinks(at now: Timestamp) {
        step(.chat, mayOpen: mayOpenSocket, at: now)
        step(.meals, mayOpen: requests.tokens.isUsable, at: now)
    }

    private mutating func step(_ link: Link, mayOpen: Bool, at now: Timestamp) {
        if self[link].wanted != nil, self[link].isReady, self[link].socket == nil { askForToken(at: now) }
        switch self[link].step(at: now, mayOpen: mayOpen) {
        case .nothing: return
        case .close(let number, let code): actions.append(.closeSocket(socket: number, code))
        case .open(let place):
            lastNumber += 1
            let credentials = Credentials(token: requests.tokens.token, apiKey: configuration.credentials.apiKey)
            self[link].opening(lastNumber, place, token: credentials.token, at: now)
            let path = link == .chat ? "/api/v1/consultations/\(place)/ws" : place
            let isQuery = configuration.guide.webSocketCredentials == .queryToken
            let (inQuery, inFields) = configuration.sendsTokenTwice ? (true, true) : (isQuery, !isQuery)
            actions.append(
                .openSocket(
                    ClientSocketRequest(
                        number: lastNumber, target: inQuery ? "\(path)?token=\(credentials.queryToken)" : path,
                        fields: inFields ? credentials.fields : [:],
                        offersCompression: configuration.offersCompression)))
        }
    }

    mutating func receiveFromSocket(_ input: ClientInput, at now: Timestamp) {
        for link in Link.allCases {
            guard let socket = self[link].socket, input.socketNumber == socket.number else { continue }
            return receive(input, from: socket, of: link, at: now)
        }
    }

    private mutating func receive(
        _ input: ClientInput, from socket: ChatLink.Socket, of link: Link, at now: Timestamp
    ) {
        switch input {
        case .socketOpened where socket.phase == .opening: self[link].opened(at: now)
        case .socketRefused(let response): refused(socket, of: link, Answer(response), at: now)
        case .socketFailed: lost(socket, of: link, isOwn: false, at: now)
        case .text(_, let text) where socket.phase != .opening:
            self[link].signOfLife()
            for frame in ChatFrame.frames(in: text) {
                if link == .chat { receive(frame, at: now) } else { receiveOfMeals(frame, at: now) }
            }
        case .binary:
            self[link].signOfLife()
            if link == .chat { conversation?.isTroubled = true }
        case .pong: self[link].signOfLife()
        case .socketClosed(let end):
            // Another of the user's devices now has the meal socket, and reconnecting would close it.
            if link == .meals, end.code == .policyViolation, !end.isOwn { mealLink.want(nil) }
            lost(socket, of: link, isOwn: end.isOwn, at: now)
        default: return
        }
    }

    mutating func expireSockets(at now: Timestamp) {
        for link in Link.allCases {
            if let socket = expire(link, at: now) { lost(socket, of: link, isOwn: socket.phase == .closing, at: now) }
        }
    }

    /// Performs the work that is due on a socket; returns the socket if it now counts as lost.
    private mutating func expire(_ link: Link, at now: Timestamp) -> ChatLink.Socket? {
        guard let socket = self[link].socket else { return nil }
        if let deadline = socket.deadline, deadline <= now {
            switch socket.phase {
            case .greeting:
                if case .close(let number, let code) = self[link].close(.goingAway, at: now) {
                    actions.append(.closeSocket(socket: number, code))
                    self[link].socket?.isReplaced = true
                }
            case .opening, .closing:
                actions.append(.dropSocket(socket: socket.number))
                return socket
            case .open: break
            }
        } else if let pongDue = socket.pongDue, pongDue <= now {
            // A server that does not answer pings will not answer a close frame either.
            actions.append(.dropSocket(socket: socket.number))
            return socket
        } else if let number = self[link].takePing(at: now) {
            actions.append(.ping(socket: number))
        }
        return nil
    }

    private mutating func refused(_ socket: ChatLink.Socket, of link: Link, _ answer: Answer, at now: Timestamp) {
        self[link].ended(isOwn: false, at: now)
        guard socket.consultation == self[link].wanted else { return }
        switch answer.status {
        case 401:
            let deadline = now.advanced(by: configuration.patience.token)
            if requests.tokens.refuse(socket.token, until: deadline) { tell(.credentialsRefused) }
            // The first attempt with a new token may follow immediately; later attempts wait as usual.
            if self[link].tryCount > 0 || requests.tokens.isFromRefresh { retry(link, at: now) }
        case 400..<500 where answer.status != 408 && answer.status != 429:
            if link == .chat { areGoalsStale = true }
            if answer.status == 404, link == .chat { lose(socket.consultation) }
            tellRefusal(answer)
            giveUp(link)
        default: retry(link, asked: answer.retryAfter, at: now)
        }
    }

    /// Records the end of a socket, and schedules a new socket if one is wanted.
    private mutating func lost(_ socket: ChatLink.Socket, of link: Link, isOwn: Bool, at now: Timestamp) {
        self[link].ended(isOwn: isOwn, at: now)
        guard socket.consultation == self[link].wanted else { return }
        if link == .chat, socket.phase == .open || conversation?.turn != nil { conversation?.cut() }
        // The client closed the socket because it was unwanted, but now wants it again.
        if socket.phase == .closing, !socket.isReplaced { return }
        if link == .chat {
            show(.connecting)
            guard archiving != socket.consultation else { return }
        }
        retry(link, at: now)
    }

    mutating func retry(_ link: Link, asked: Duration? = nil, at now: Timestamp) {
        if self[link].retry(asked: asked, at: now) { return }
        tell(.unavailable, ClientMessages.noConnection)
        giveUp(link)
    }

    private mutating func giveUp(_ link: Link) { if link == .chat { leave(.failed) } else { mealLink.want(nil) } }
}

extension ClientInput {
    /// The number of the socket that the input concerns, if any.
    fileprivate var socketNumber: Int? {
        switch self {
        case .response, .requestFailed: nil
        case .socketOpened(let number), .socketFailed(let number, _), .text(let number, _), .binary(let number),
            .pong(let number):
            number
        case .socketRefused(let response): response.number
        case .socketClosed(let end): end.number
        }
    }
}

/// The meal socket, which is separate from the chat's socket.
///
/// The meal socket opens at the user's request. If the meal socket is lost, the client reopens it with increasing
/// delays.
extension ClientCore {
    /// Whether the client can receive meal events.
    var hasOpenSocket: Bool { link.hasOpenSocket || mealLink.hasOpenSocket }

    mutating func listenToMeals() {
        guard serves(.mealSocket, "socket for meals"), mealLink.wanted == nil else { return }
        mealLink.want(Endpoint.mealSocket.template)
        mealLink.isReady = true
    }

    mutating func receiveOfMeals(_ frame: ChatFrame, at now: Timestamp) {
        switch frame {
        case .connected: if mealLink.connected() != nil { lookAtMealsOnce(at: now) }
        case .meal(let news): take(news)
        case .error(let message, _): tell(.meal, message)
        default: break
        }
    }

    mutating func submit(
        _ errand: Errand, _ method: HTTPRequest.Method, _ target: String, body: [UInt8]? = nil, at time: Timestamp
    ) {
        requests.submit(errand, method, target, body: body, at: time)
        askForToken(at: time)
    }

    /// Requests a new token if the backend refused the current one.
    mutating func askForToken(at now: Timestamp) {
        if requests.tokens.ask(until: now.advanced(by: configuration.patience.token)) { tell(.credentialsRefused) }
    }

    /// Whether the request limit allows another errand; reports a problem if not.
    mutating func hasRoom() -> Bool {
        let limit = configuration.limits.requests
        guard requests.entries.count >= limit else { return true }
        tell(.refused, "\(limit) requests are already under way. Try again in a moment.")
        return false
    }

    /// Whether the backend's guide includes an endpoint; reports a problem if not.
    mutating func serves(_ endpoint: Endpoint, _ what: String) -> Bool {
        guard !configuration.guide.serves(endpoint) else { return true }
        tell(.refused, ClientMessages.notServed(what, guide: configuration.guide.rawValue))
        return false
    }

    mutating func drop(_ errand: Errand) {
        if let number = requests.drop(errand) { actions.append(.cancel(number: number)) }
    }

    mutating func expireRequests(at now: Timestamp) {
        let (cancelled, results) = requests.expire(at: now)
        actions += cancelled.map { .cancel(number: $0) }
        for result in results { finish(result.errand, result.outcome, at: now) }
        if let deadline = requests.tokens.deadline, deadline <= now { giveUpTokens(at: now) }
    }

    mutating func use(token: String, at now: Timestamp) { if !requests.tokens.use(token) { giveUpTokens(at: now) } }

    /// Ends the requests that are waiting for a token, and reports this once.
    mutating func giveUpTokens(at now: Timestamp) {
        let results = requests.giveUpTokens()
        tell(.unauthorized, ClientMessages.unauthorized)
        for result in results { finish(result.errand, result.outcome, at: now) }
        if link.wanted != nil, link.socket == nil { leave(.failed) }
        if mealLink.socket == nil { mealLink.want(nil) }
    }

    mutating func finish(_ errand: Errand, _ outcome: RequestBook.Outcome, at now: Timestamp) {
        switch errand {
        case .createConsultation(let persona): finishCreate(persona, outcome, at: now)
        case .chatAboutGoal(let goal): finishChatAboutGoal(goal, outcome, at: now)
        case .history(let consultation): finishHistory(consultation, outcome, at: now)
        case .archive(let consultation): finishArchive(consultation, outcome, at: now)
        case .createGoal(let draft): finishCreateGoal(draft, outcome, at: now)
        case .findGoal(let draft): finishFindGoal(draft, outcome, at: now)
        case .listGoals: finishListGoals(outcome, at: now)
        case .linkGoal(let goal, let consultation): finishLink(goal, consultation, outcome)
        case .createMeal(let number): finishCreateMeal(number, outcome, at: now)
        case .findMeal(let number): finishFindMeal(number, outcome, at: now)
        case .loadMeal(let number): finishLoadMeal(number, outcome, at: now)
        case .listQuickActions: finishListQuickActions(outcome)
        case .signIn: finishSignIn(outcome)
        case .refreshTokens: finishRefresh(outcome, at: now)
        }
    }
}
