import FitIQAPI
import Sockets

/// An API client for consultations with chat, goals and meals.
///
/// The client retries, reopens the chat, pings and polls as the guides require. ``perform(_:)`` starts a command, and
/// ``state`` shows the result. The waiting calls are built on ``perform(_:)`` and ``state``.
///
///     let client = try FitIQClient(url: "http://127.0.0.1:8080", credentials: credentials)
///     _ = try await client.startConsultation(persona: .nutritionist)
///     print(try await client.send("What should I eat for breakfast?"))
///     await client.close()
///
/// The client runs on its own thread until ``close()`` is called or the client is released. All calls are thread-safe.
public final class FitIQClient: Sendable {
    /// Provides a fresh token after the backend has refused a token, or nil if there is none.
    public typealias TokenRefresh = @Sendable () async -> String?
    public let configuration: ClientConfiguration
    let news = ClientNews()
    private let inbox = ClientInbox()
    private let mailbox: Mailbox

    /// Creates a client and starts its thread.
    ///
    /// The client sends no bytes before the first command.
    ///
    /// - Parameters:
    ///   - url: The backend's address, `http://host:port`, optionally with a path.
    ///   - configure: Changes the default configuration.
    ///   - refreshToken: Called when the backend refuses the token and there is no valid refresh token. Calls do not
    ///     overlap.
    /// - Throws: `badURL`, or `transport` if the system cannot create another event loop.
    public convenience init(
        url: String, credentials: Credentials, configuration configure: (inout ClientConfiguration) -> Void = { _ in },
        refreshToken: TokenRefresh? = nil
    ) throws(ClientError) {
        try self.init(
            url: url, credentials: credentials, configuration: configure, refreshToken: refreshToken,
            resolve: SocketAddress.resolve)
    }

    /// - Parameter resolve: Resolves names on a separate thread.
    init(
        url: String, credentials: Credentials, configuration configure: (inout ClientConfiguration) -> Void = { _ in },
        refreshToken: TokenRefresh? = nil, resolve: @escaping NameLookup.Resolve
    ) throws(ClientError) {
        let base = try BaseURL(url)
        var configuration = ClientConfiguration(credentials: credentials)
        configure(&configuration)
        // Do not wait for a new token, because nothing can provide one.
        if refreshToken == nil, configuration.freshToken == nil { configuration.patience.token = .zero }
        self.configuration = configuration
        do throws(SocketError) {
            let loop = try EventLoop()
            mailbox = loop.mailbox
            let thread = ClientLoop(
                loop, configuration, base, inbox: inbox, news: news, refreshToken: refreshToken, resolve: resolve)
            try SystemThread.start { thread.run() }
        } catch {
            throw .transport(error)
        }
    }

    deinit {
        inbox.close()
        mailbox.requestStop()
    }

    /// Starts a command.
    ///
    /// ``state`` shows the result.
    ///
    /// - Returns: False if the client is closed or 1024 commands are waiting; the command is then dropped
    @discardableResult
    public func perform(_ command: ClientCommand) -> Bool { ask(command) != nil }

    /// The user's current view.
    ///
    /// The client is busy as soon as a command is accepted.
    public var state: ClientState {
        // Read the ticket first, because otherwise a command added between the two reads would count as started.
        let asked = inbox.lastTicket
        let snapshot = news.snapshot
        var state = snapshot.state
        if snapshot.begun < asked, !snapshot.isClosed { state.isBusy = true }
        return state
    }

    /// The user's view, now and after each change.
    ///
    /// The sequence ends when the client closes.
    public var states: ClientChanges<ClientState> { ClientChanges(news: news) { $0 } }
    /// The messages of the chat, now and after each change.
    ///
    /// The sequence ends when the client closes.
    public var transcript: ClientChanges<[ClientState.Line]> { ClientChanges(news: news) { $0.transcript } }
    /// The last network failure, if any, which helps to find the cause of a problem.
    public var lastFailure: ClientError? { news.snapshot.failure }

    /// Leaves the chat, and ends all connections and the thread.
    ///
    /// Closing takes at most a second.
    ///
    /// A closed client accepts no commands.
    public func close() async {
        inbox.close()
        mailbox.post {}
        for await _ in news.snapshots() {}
    }

    /// Adds a command; returns its ticket, which a caller compares with a snapshot to see whether the command has
    /// started.
    func ask(_ command: ClientCommand) -> Int? {
        defer { mailbox.post {} }
        return inbox.add(command)
    }
}

/// Calls that wait until their command is done.
///
/// Each call throws `problem` if any problem is reported in the meantime, `abandoned` if the command will never have a
/// result, `cancelled` if the waiting task is cancelled, and `unavailable` if the client closes.
extension FitIQClient {
    /// Signs in to an account and waits for its tokens.
    public func signIn(email: String, password: String) async throws(ClientError) {
        try await perform(.signIn(email: email, password: password)) { $0.isBusy ? nil : () }
    }

    /// Creates an account and waits until the client is signed in.
    ///
    /// `dateOfBirth` has the format `YYYY-MM-DD`.
    public func register(email: String, password: String, name: String, dateOfBirth: String) async throws(ClientError) {
        try await perform(.register(email: email, password: password, name: name, dateOfBirth: dateOfBirth)) {
            $0.isBusy ? nil : ()
        }
    }

    /// Starts a consultation or continues the existing one, and waits until the consultation's chat is open.
    ///
    /// - Returns: The consultation's ID.
    public func startConsultation(persona: Persona) async throws(ClientError) -> String {
        try await perform(.startConsultation(persona: persona)) { $0.openConsultation }
    }

    /// Opens the chat of a known consultation, and waits until the chat is open.
    ///
    /// Returns the consultation's ID.
    public func openConsultation(id: String) async throws(ClientError) -> String {
        try await perform(.openConsultation(id: id)) { $0.openConsultation }
    }

    /// Opens the chat about a goal, and waits until the chat is open.
    ///
    /// Returns the consultation's ID.
    public func chatAboutGoal(id: String) async throws(ClientError) -> String {
        try await perform(.chatAboutGoal(id: id)) { $0.openConsultation }
    }

    /// Sends a message and waits for the whole answer.
    ///
    /// If the client compares answers with the stored messages, the result is the stored answer. Ask one question at a
    /// time, because overlapping calls all return the last answer.
    public func send(_ text: String) async throws(ClientError) -> String {
        let isChecked = configuration.checksAnswers
        return try await perform(.send(text: text)) { isChecked && $0.isBusy ? nil : $0.lastAnswer }
    }

    /// Archives the open consultation, and waits until the consultation is archived.
    public func archive() async throws(ClientError) { try await perform(.archive) { $0.isBusy ? nil : () } }

    /// Logs a meal and waits for its result, which usually takes seconds.
    ///
    /// Returns the completed meal.
    public func logMeal(_ text: String, type: MealType) async throws(ClientError) -> ClientState.Meal {
        try await perform(.logMeal(text: text, type: type)) { state in
            state.meals.last { $0.text == text && $0.type == type && $0.status == .completed }
                .flatMap { state.isBusy ? nil : $0 }
        }
    }

    /// Creates a goal.
    ///
    /// A goal that was suggested in the open chat is linked to that chat.
    ///
    /// - Returns: The goal as the backend stores it.
    public func createGoal(
        title: String, description: String, targetDate: Timestamp
    ) async throws(ClientError) -> ClientState.Goal {
        try await perform(.createGoal(title: title, description: description, targetDate: targetDate)) { state in
            state.isBusy ? nil : state.goals.last { $0.title == title }
        }
    }

    /// Opens the socket for events about all of the user's meals, and waits until the socket is open.
    public func listenToMeals() async throws(ClientError) { try await perform(.listenToMeals) { $0.isBusy ? nil : () } }

    /// Loads the suggested questions for the coach's screen.
    public func loadQuickActions() async throws(ClientError) -> [String] {
        try await perform(.loadQuickActions) { $0.isBusy ? nil : $0.quickActions }
    }

    public func loadGoals() async throws(ClientError) -> [ClientState.Goal] {
        try await perform(.loadGoals) { $0.isBusy ? nil : $0.goals }
    }

    /// Starts a command and waits until the state shows its result.
    private func perform<Result: Sendable>(
        _ command: ClientCommand, until outcome: (ClientState) -> Result?
    ) async throws(ClientError) -> Result {
        let snapshots = news.snapshots()
        let problems = news.snapshot.problemCount
        guard let ticket = ask(command) else { throw .unavailable }
        for await snapshot in snapshots where snapshot.begun >= ticket {
            if let problem = snapshot.problem, snapshot.problemCount > problems { throw .problem(problem) }
            if let result = outcome(snapshot.state) { return result }
            // A command keeps the client busy until it is done.
            guard snapshot.isClosed || snapshot.state.isBusy else { throw .abandoned }
        }
        throw Task.isCancelled ? .cancelled : .unavailable
    }
}

extension ClientState {
    /// The consultation whose chat is open, or nil while another chat is being opened.
    fileprivate var openConsultation: String? { connection == .connected && !isBusy ? consultation : nil }

    /// The complete answer to the user's last message; nil until it is complete.
    fileprivate var lastAnswer: String? {
        guard let line = transcript.last, line.role == .assistant, line.isComplete else { return nil }
        return line.text
    }
}
