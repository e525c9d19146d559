import FitIQAPI
import Sockets

/// A client of the API: consultations with their chat, goals and meals, over connections of its own.
///
/// It keeps its promises to the backend by itself: it repeats what failed, opens the chat again, pings, polls, as the guides
/// say. ``perform(_:)`` begins something; what comes of it shows in ``state``. The calls that wait are made of that.
///
///     let client = try FitIQClient(url: "http://127.0.0.1:8080", credentials: credentials)
///     _ = try await client.startConsultation(persona: .nutritionist)
///     print(try await client.send("What should I eat for breakfast?"))
///     await client.close()
///
/// It runs on a thread of its own until ``close()``, or until nobody refers to it; all calls are safe from any thread.
public final class FitIQClient: Sendable {
    /// Brings a fresh token after one was refused; nil where there is none.
    public typealias TokenRefresh = @Sendable () async -> String?

    /// What it was made with.
    public let configuration: ClientConfiguration
    let news = ClientNews()
    private let inbox = ClientInbox()
    private let mailbox: Mailbox

    /// Makes a client and starts its thread; nothing is sent before it is asked for something.
    ///
    /// - Parameters:
    ///   - url: where the backend is, `http://host:port`, perhaps with a path.
    ///   - configure: changes the usual configuration.
    ///   - refreshToken: asked when the backend refuses the token, once until it has answered.
    /// - Throws: `badURL`, or `transport` where the system has no room for another loop.
    public convenience init(
        url: String, credentials: Credentials, configuration configure: (inout ClientConfiguration) -> Void = { _ in },
        refreshToken: TokenRefresh? = nil
    ) throws(ClientError) {
        try self.init(
            url: url, credentials: credentials, configuration: configure, refreshToken: refreshToken,
            resolve: SocketAddress.resolve)
    }

    /// - Parameter resolve: looks names up, on a thread of its own.
    init(
        url: String, credentials: Credentials, configuration configure: (inout ClientConfiguration) -> Void = { _ in },
        refreshToken: TokenRefresh? = nil, resolve: @escaping NameLookup.Resolve
    ) throws(ClientError) {
        let base = try BaseURL(url)
        var configuration = ClientConfiguration(credentials: credentials)
        configure(&configuration)
        // Nobody would bring the token that is waited for.
        if refreshToken == nil, configuration.freshToken == nil { configuration.patience.token = .zero }
        self.configuration = configuration
        do throws(SocketError) {
            let loop = try EventLoop()
            mailbox = loop.mailbox
            let thread = ClientLoop(
                loop, configuration, base, inbox: inbox, news: news, refreshToken: refreshToken,
                resolve: resolve)
            try SystemThread.start { thread.run() }
        } catch {
            throw .transport(error)
        }
    }

    deinit {
        inbox.close()
        mailbox.requestStop()
    }

    /// Begins something; what comes of it shows in ``state``.
    ///
    /// - Returns: false where the client is closed or 1024 commands wait already; then nothing comes of it.
    @discardableResult
    public func perform(_ command: ClientCommand) -> Bool { ask(command) != nil }

    /// What its user sees now; busy from the moment that something is begun.
    public var state: ClientState {
        // Asked first: what is asked between the two would otherwise be taken for begun.
        let asked = inbox.lastTicket
        let snapshot = news.snapshot
        var state = snapshot.state
        if snapshot.begun < asked, !snapshot.isClosed { state.isBusy = true }
        return state
    }

    /// What its user sees, each time that it has changed; ends when the client closes.
    public var states: ClientChanges<ClientState> { ClientChanges(news: news) { $0 } }

    /// The messages of the chat, each time that they have changed; ends when the client closes.
    public var transcript: ClientChanges<[ClientState.Line]> { ClientChanges(news: news) { $0.transcript } }

    /// What went wrong last between client and backend, to look for the cause of a problem; nil while nothing did.
    public var lastFailure: ClientError? { news.snapshot.failure }

    /// Leaves the chat in good order, ends all connections and the thread; takes at most a second.
    ///
    /// Nothing can be begun any more.
    public func close() async {
        inbox.close()
        mailbox.post {}
        for await _ in news.snapshots() {}
    }

    /// Begins something, and gives the ticket by which the snapshots tell that it has begun.
    func ask(_ command: ClientCommand) -> Int? {
        defer { mailbox.post {} }
        return inbox.add(command)
    }
}

/// Calls that wait until what they began is done.
///
/// Each throws `problem` where the user is told of one meanwhile, whatever it is about, `abandoned` where nothing came of it and
/// nothing more will, `cancelled` where the waiting task was, and `unavailable` where the client closes.
extension FitIQClient {
    /// Begins a consultation, or goes on with the one that exists, and waits until its chat is open.
    ///
    /// - Returns: the consultation's id.
    public func startConsultation(persona: Persona) async throws(ClientError) -> String {
        try await perform(.startConsultation(persona: persona)) { $0.openConsultation }
    }

    /// Opens the chat of a consultation that is known, and waits until it is open.
    ///
    /// - Returns: the consultation's id.
    public func openConsultation(id: String) async throws(ClientError) -> String {
        try await perform(.openConsultation(id: id)) { $0.openConsultation }
    }

    /// Opens the chat about a goal, and waits until it is open.
    ///
    /// - Returns: the consultation's id.
    public func chatAboutGoal(id: String) async throws(ClientError) -> String {
        try await perform(.chatAboutGoal(id: id)) { $0.openConsultation }
    }

    /// Sends a message and waits for the whole answer.
    ///
    /// Where the configuration compares answers with what is stored, the answer is the stored one.
    /// One question at a time: calls that overlap all wait for the last one's answer, and give that.
    public func send(_ text: String) async throws(ClientError) -> String {
        let isChecked = configuration.checksAnswers
        return try await perform(.send(text: text)) { isChecked && $0.isBusy ? nil : $0.lastAnswer }
    }

    /// Archives the open consultation, and waits until that is done.
    public func archive() async throws(ClientError) {
        try await perform(.archive) { $0.isBusy ? nil : () }
    }

    /// Logs a meal and waits for what it comes to; seconds, mostly.
    ///
    /// - Returns: the meal, completed.
    public func logMeal(_ text: String, type: MealType) async throws(ClientError) -> ClientState.Meal {
        try await perform(.logMeal(text: text, type: type)) { state in
            state.meals.last { $0.text == text && $0.type == type && $0.status == .completed }
                .flatMap { state.isBusy ? nil : $0 }
        }
    }

    /// Creates a goal, linked to the open chat where the coach suggested one there.
    ///
    /// - Returns: the goal as the backend has it.
    public func createGoal(
        title: String, description: String, targetDate: Timestamp
    ) async throws(ClientError) -> ClientState.Goal {
        try await perform(.createGoal(title: title, description: description, targetDate: targetDate)) { state in
            state.isBusy ? nil : state.goals.last { $0.title == title }
        }
    }

    /// Looks at the goals anew.
    public func loadGoals() async throws(ClientError) -> [ClientState.Goal] {
        try await perform(.loadGoals) { $0.isBusy ? nil : $0.goals }
    }

    /// Begins something and waits until the state has what comes of it.
    private func perform<Result: Sendable>(
        _ command: ClientCommand, until outcome: (ClientState) -> Result?
    ) async throws(ClientError) -> Result {
        let snapshots = news.snapshots()
        let problems = news.snapshot.problemCount
        guard let ticket = ask(command) else { throw .unavailable }
        for await snapshot in snapshots where snapshot.begun >= ticket {
            if let problem = snapshot.problem, snapshot.problemCount > problems { throw .problem(problem) }
            if let result = outcome(snapshot.state) { return result }
            // Whatever is begun keeps the client busy until it is done.
            guard snapshot.isClosed || snapshot.state.isBusy else { throw .abandoned }
        }
        throw Task.isCancelled ? .cancelled : .unavailable
    }
}

extension ClientState {
    /// The consultation whose chat is open, where nothing is on its way to another.
    fileprivate var openConsultation: String? { connection == .connected && !isBusy ? consultation : nil }

    /// The whole answer to the user's last message.
    fileprivate var lastAnswer: String? {
        guard let line = transcript.last, line.role == .assistant, line.isComplete else { return nil }
        return line.text
    }
}
