import FitIQAPI
import JSON

/// The REST commands for consultations; each returns the body of its success response.
extension Backend {
    /// Creates a consultation (`POST /api/v1/consultations`).
    ///
    /// A consultation about a goal becomes the goal's conversation unless the goal already has one. The answer to a
    /// first question waits until a socket opens, a client reads the history, or another message arrives.
    ///
    /// - Throws: In this order, 404 for an unknown goal, 409 for an active duplicate, 429 at the limit on active
    ///   consultations, and 507 if the world is full.
    public mutating func createConsultation(
        _ request: CreateConsultationRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        var goal: Int?
        if request.context.type == .goal, let id = request.context.id {
            goal = try goalPosition(of: id.text, ownedBy: user, field: request.contextField)
        }
        let context = ConsultationContext(request.context.type, id: request.context.id.map(canonical))
        let topic = Topic(persona: request.persona, context: context)
        try checkDuplicates(of: topic, of: user)
        let position = try addConsultation(
            topic, goal: goal, title: request.title, quickAction: request.quickAction, by: user, &turn)
        let prompt = request.quickAction.flatMap { action in
            QuickAction.matching(contextType: nil, persona: nil).map(\.prompt).first { $0.isExactly(action) }
        }
        if let question = request.question ?? prompt {
            let script = script(for: question, number: 0, in: consultations[position].consultation)
            accept(question, answeredBy: script, in: position, isInitial: true, &turn)
        }
        return body(of: position, answering: .createConsultation)
    }

    /// The user's first active consultation about a topic, ignoring the consultation at `position`.
    func active(about topic: Topic, of user: UserID, except position: Int? = nil) -> Int? {
        users[user].active.first { $0 != position && consultations[$0].topic == topic }
    }

    /// Throws 409 if the topic has an active consultation and the rules allow only one.
    private func checkDuplicates(of topic: Topic, of user: UserID, except position: Int? = nil) throws(APIError) {
        guard configuration.rules.perTopic != .many, let existing = active(about: topic, of: user, except: position)
        else { return }
        throw .consultationExists(consultations[existing].consultation, in: configuration.mode)
    }

    private func checkActiveCount(of user: UserID) throws(APIError) {
        let limit = configuration.limits.activeConsultations
        guard users[user].active.count < limit else {
            throw .tooManyActiveConsultations(limit: limit, in: configuration.mode)
        }
    }

    /// Adds a consultation whose topic is free, and makes it the conversation of its goal if the goal has none.
    ///
    /// - Throws: A 429 at the limit on active consultations, or a 507 if the world is full.
    mutating func addConsultation(
        _ topic: Topic, goal: Int?, title: String?, quickAction: String? = nil, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> Int {
        try checkActiveCount(of: user)
        try checkStorage()

        var consultation = Consultation(
            id: turn.identifiers.next(), userID: users[user].id, persona: topic.persona, context: topic.context,
            goalID: goal.map { goals[$0].goal.id }, title: title, createdAt: turn.date)
        consultation.quickAction = quickAction
        let position = insert(
            ConsultationRecord(consultation, owner: user, mode: configuration.mode, origin: configuration.origin))
        if let goal, conversation(ofGoal: goal) == nil { link(goal: goal, with: position, at: turn.date) }
        return position
    }

    /// Adds a record to the lists of the world and its user, and returns its position.
    @discardableResult
    mutating func insert(_ record: ConsultationRecord) -> Int {
        let position = consultations.append(record)
        list(position)
        if record.consultation.isActive { users[record.owner].active.append(position) }
        storedBytes += record.byteCount
        return position
    }

    /// Adds a consultation to its user's list, or removes it before a change.
    mutating func list(_ position: Int, isListed: Bool = true) {
        let (owner, kind) = (consultations[position].owner, consultations[position].consultation.kind)
        users[owner].consultations.list(position, kind, isListed: isListed, in: consultations.isChangedBefore)
    }

    /// Returns a consultation (`GET /api/v1/consultations/{id}`), or throws 404.
    public func consultation(_ id: String, for user: UserID) throws(APIError) -> [UInt8] {
        consultations[try position(of: id, ownedBy: user)].body
    }

    /// Lists consultations, latest change first (`GET /api/v1/consultations`).
    public func consultations(_ query: ConsultationListQuery, for user: UserID) -> [UInt8] {
        var runs = users[user].consultations.runs(of: query.matches)
        // Only the apps filter by creation time, and the list is in a different order.
        if query.created != CreationSpan() {
            runs = runs.map { $0.filter { query.created.contains(consultations[$0].consultation.createdAt) }[...] }
        }
        let (page, total) = query.page.positions(in: runs, consultations.isChangedBefore)
        return ListAnswers.consultations(
            page.map { consultations[$0].listItem }, page: query.page, total: total,
            isForApps: configuration.mode.servesApps)
    }

    /// Returns the whole history or one page of it, oldest first (`GET /api/v1/consultations/{id}/messages`).
    ///
    /// Reading also starts the answer to a waiting first question.
    ///
    /// - Throws: A 404, then a 400 for an invalid query.
    public mutating func messages(
        _ id: String, query: [(name: String, value: String)], for user: UserID, _ turn: Turn
    ) throws(APIError) -> Deferred<[UInt8]> {
        let position = try position(of: id, ownedBy: user)
        let form = configuration.mode.form(of: .listMessages)
        let isForApps = configuration.mode.servesApps
        let query = try MessageListQuery(query: query, in: form, isForApps: isForApps)
        if consultations[position].awaitsAnswer { answerAtOnce(in: position, turn) }
        let history = consultations[position].history
        let matching = history.range(of: query.created)
        let page = query.page ?? Page(number: 1, size: max(1, matching.count))
        let range = page.range(of: matching.count)
        let start = matching.lowerBound
        let messages = history.encoded(start + range.lowerBound..<start + range.upperBound)
        return Deferred(copying: messages.count) {
            ListAnswers.messages(messages, page: page, total: matching.count, in: form, isForApps: isForApps)
        }
    }

    /// Archives a consultation; idempotent (`POST /api/v1/consultations/{id}/archive`).
    ///
    /// The slot, the topic and the goal become free, the streaming answer is completed without frames, and the sockets
    /// get an `error` frame and close code 1000.
    ///
    /// - Throws: A 404.
    public mutating func archive(_ id: String, by user: UserID, _ turn: inout Turn) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try position(of: id, ownedBy: user)
        if !consultations[position].consultation.isArchived { end(position, as: .archived, &turn) }
        return body(of: position, answering: .archiveConsultation)
    }

    /// Completes a consultation with the same effects as archiving; idempotent (`POST
    /// /api/v1/consultations/{id}/complete`).
    ///
    /// - Throws: A 404, or a 400 if the consultation is archived.
    public mutating func complete(_ id: String, by user: UserID, _ turn: inout Turn) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try position(of: id, ownedBy: user)
        let consultation = consultations[position].consultation
        guard !consultation.isArchived else { throw .consultationNotActive(consultation.id, status: .archived) }
        if consultation.isActive { end(position, as: .completed, &turn) }
        return consultations[position].body
    }

    private mutating func end(_ position: Int, as status: ConsultationStatus, _ turn: inout Turn) {
        closeSockets(of: position, &turn)
        finishAnswerSilently(position, turn)
        users[consultations[position].owner].active.removeAll { $0 == position }
        let now = turn.date
        update(position, at: now) {
            $0.consultation.status = status
            if status == .completed { $0.consultation.completedAt = now }
        }
        releaseGoal(of: position, at: now)
    }

    /// Changes the title and persona, archives or reopens a consultation (`PUT /api/v1/consultations/{id}`).
    ///
    /// Reopening a consultation that was completed before it was archived makes it completed again. Any other
    /// consultation becomes active, and becomes its goal's conversation unless the goal has a different one.
    ///
    /// - Throws: In this order, 404; if the consultation becomes active, 409 for an active duplicate and 429 at the
    ///   limit on active consultations; 507 if the world is full.
    public mutating func updateConsultation(
        _ id: String, _ request: UpdateConsultationRequest, by user: UserID, _ turn: inout Turn
    ) throws(APIError) -> [UInt8] {
        advance(&turn)
        let position = try position(of: id, ownedBy: user)
        let old = consultations[position].consultation
        var new = old
        new.title = request.title ?? old.title
        new.persona = request.persona ?? old.persona
        if request.isArchived == false, old.isArchived { new.status = old.completedAt == nil ? .active : .completed }
        let archives = request.isArchived == true && !old.isArchived
        if new.isActive, !archives {
            try checkDuplicates(of: Topic(persona: new.persona, context: new.context), of: user, except: position)
            if !old.isActive { try checkActiveCount(of: user) }
        }
        if new.title?.utf8.count ?? 0 > old.title?.utf8.count ?? 0 { try checkStorage() }

        if new != old { update(position, at: turn.date) { $0.consultation = new } }
        if new.isActive, !old.isActive {
            users[user].active.append(position)
            if let goal = new.goalID.flatMap({ goals.position(of: $0) }), conversation(ofGoal: goal) == nil {
                link(goal: goal, with: position, at: turn.date)
            }
        }
        if archives { end(position, as: .archived, &turn) }
        return consultations[position].body
    }

    /// Suggests goals for a consultation; the suggestions are always the same (`POST
    /// /api/v1/consultations/{id}/suggest-goals`).
    ///
    /// - Throws: A 404.
    public func suggestGoals(in id: String, limit: Int, for user: UserID) throws(APIError) -> [UInt8] {
        let consultation = consultations[try position(of: id, ownedBy: user)].consultation
        return GoalSuggestion.body(
            Coach.suggestions(for: consultation.persona, seed: consultation.id.seed, limit: limit), for: consultation)
    }

    /// Lists prompts that start a conversation (`GET /api/v1/consultations/quick-actions`).
    public func quickActions(_ query: QuickActionQuery) -> [UInt8] {
        ListAnswers.quickActions(QuickAction.matching(contextType: query.contextType, persona: query.persona))
    }

    /// The body of an endpoint that changes a consultation; the bodies for reads are cached.
    private func body(of position: Int, answering endpoint: Endpoint) -> [UInt8] {
        consultations[position].consultation.body(
            answering: endpoint, in: configuration.mode, origin: configuration.origin,
            listItem: consultations[position].listItem)
    }

    func checkStorage() throws(APIError) {
        guard storedBytes < storageRoom.bytes else { throw .storeFull("bytes", limit: storageRoom.limit) }
    }
}

extension Shelf<ConsultationRecord> {
    fileprivate func isChangedBefore(_ left: Int, _ right: Int) -> Bool {
        (self[left].consultation.updatedAt, left) < (self[right].consultation.updatedAt, right)
    }
}

/// A consultation with its messages, sockets and answers.
package struct ConsultationRecord: Identifiable, Sendable {
    package let owner: UserID
    package internal(set) var consultation: Consultation
    package var id: ResourceID { consultation.id }
    package internal(set) var history = History()
    /// The open sockets, in the order in which they were opened.
    package internal(set) var sockets: [SocketID] = []
    package internal(set) var answer: AnswerInProgress?
    /// Questions that are waiting for the streaming answer to end, oldest first, or a first question that is waiting
    /// for a socket.
    package internal(set) var waiting: [Question] = []
    /// Whether the first question is waiting for a socket before it is answered.
    package var awaitsAnswer: Bool { answer == nil && !waiting.isEmpty }
    var askedCount = 0
    /// The number of saved messages; unused while the consultation is new.
    var savedMessages = 0

    /// The list item, re-encoded whenever the consultation changes.
    private(set) var listItem: [UInt8] = []
    /// The response body for reads.
    private(set) var body: [UInt8] = []

    init(
        _ consultation: Consultation, history: History = History(), askedCount: Int = 0, owner: UserID, mode: GuideMode,
        origin: String
    ) {
        (self.consultation, self.history) = (consultation, history)
        (self.askedCount, self.owner) = (askedCount, owner)
        encode(in: mode, origin: origin)
    }

    mutating func encode(in mode: GuideMode, origin: String) {
        listItem = consultation.listItem(in: mode)
        body = consultation.body(answering: .showConsultation, in: mode, origin: origin, listItem: listItem)
    }

    package var byteCount: Int { listItem.count + body.count + history.byteCount }
    package var topic: Topic { Topic(persona: consultation.persona, context: consultation.context) }

    mutating func store(_ message: Message, in mode: GuideMode) {
        history.append(message, in: mode.form(of: .listMessages))
        consultation.messageCount = history.count
        consultation.lastMessageAt = message.createdAt
        if message.role == .assistant { consultation.isAnswered = true }
    }
}

/// The messages of a consultation, oldest first, each encoded once.
package struct History: Sendable {
    package private(set) var messages: [Message] = []
    /// The messages as JSON, separated by commas.
    private var encoded: [UInt8] = []
    /// The end of each message in `encoded`.
    private var ends: [Int] = []
    /// Bytes that exports contain but responses in this form omit.
    private var unencodedByteCount = 0

    package var count: Int { messages.count }
    var byteCount: Int { encoded.count + unencodedByteCount + Self.memoryOfMessage * messages.count }

    /// The memory that a message uses besides its JSON and text, in bytes.
    private static let memoryOfMessage = 384

    mutating func append(_ message: Message, in form: GuideMode) {
        if !messages.isEmpty { encoded.append(UInt8(ascii: ",")) }
        var writer = JSONWriter(reserving: message.content.utf8.count + 256)
        message.write(into: &writer, in: form)
        writer.drain(into: &encoded)
        // Otherwise, a world could store and export any amount of metadata.
        if let metadata = message.metadata, form == .consultationWebSocket {
            var writer = JSONWriter(reserving: 256)
            metadata.write(into: &writer)
            unencodedByteCount += writer.count
        }
        ends.append(encoded.count)
        messages.append(message)
    }

    /// The messages created in a period; messages are stored in order of creation.
    func range(of span: CreationSpan) -> Range<Int> {
        guard span != CreationSpan() else { return messages.indices }
        let first = messages.firstIndex { span.contains($0.createdAt) } ?? messages.endIndex
        return first..<(messages[first...].firstIndex { !span.contains($0.createdAt) } ?? messages.endIndex)
    }

    /// A range of messages as JSON, separated by commas.
    func encoded(_ range: Range<Int>) -> ArraySlice<UInt8> {
        guard !range.isEmpty else { return [] }
        // The start, after the comma that ends the previous message.
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1] + 1
        return encoded[start..<ends[range.upperBound - 1]]
    }
}
