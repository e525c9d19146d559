import FitIQAPI
import HTTPTypes
import JSON
import Traffic

/// A journal entry, parsed once for all judges.
struct Fact: Sendable {
    /// The journal entry as evidence; long bodies are truncated, because judges keep thousands of entries.
    let entry: JournalEntry
    let kind: Kind

    /// The fact's kind; its associated values are references, because all judges read them.
    enum Kind: Sendable {
        /// A request that was answered or abandoned, including a refused handshake.
        case request(RequestFact)
        /// An accepted WebSocket handshake.
        case opened(RequestFact)
        case frame(FrameFact)
        indirect case closed(RecordedClosing)
        /// A lasting fault started on a WebSocket.
        indirect case fault(RecordedFault)
        /// An event that no client caused.
        case other
    }

    init(_ entry: JournalEntry) {
        self.entry = entry.excerpt(bodies: Self.evidenceBytes)
        kind =
            switch entry.event {
            case .exchange(let exchange): .request(RequestFact(exchange, self.entry))
            case .opened(let opening): .opened(RequestFact(opening, self.entry, isOpening: true))
            case .frame(let frame): .frame(FrameFact(frame))
            case .closed(let closing): .closed(closing)
            case .fault(let fault): .fault(fault)
            case .clock, .note, .held, .released: .other
            }
    }

    /// The number of bytes of each body that are kept as evidence: 4 KiB.
    static let evidenceBytes = 4096

    /// When the fact happened: when the server sent the frame or the response.
    var time: Timestamp { entry.time }
    var connection: UInt64 { entry.connection }
}

final class RequestFact: Sendable {
    let exchange: RecordedExchange
    /// The entry with truncated bodies, as evidence.
    let entry: JournalEntry
    let credentials: PresentedCredentials
    /// The client that sent the request: the request's user or, for an endpoint without credentials, the token's user.
    ///
    /// The client is nil if there is no token. This property is stored because most judges need it.
    let client: ExactString?
    /// The percent-decoded path segments within the world.
    let segments: [String]
    /// The segment that was sent in place of `{id}` or `{goalId}`, or nil if the endpoint has neither.
    let sentID: ExactString?
    /// The ID in the backend's spelling, if the backend found the resource.
    let pathID: ExactString?
    /// The consultation that an accepted handshake opens, in the backend's spelling.
    ///
    /// For the socket for a user's meals, this is a placeholder (``meals(of:)``); for other requests, it is empty.
    let consultation: ExactString
    /// Whether the request opens the socket for a user's meals.
    let isOfMeals: Bool
    let body: JSONValue?
    /// The response as JSON, or nil if it is not JSON or is truncated.
    ///
    /// The JSON is also nil for histories and quick actions, which are long and irrelevant to the judges.
    let answer: JSONValue?

    init(_ exchange: RecordedExchange, _ entry: JournalEntry, isOpening: Bool = false) {
        (self.exchange, self.entry) = (exchange, entry)
        let credentials = PresentedCredentials(exchange.head)
        self.credentials = credentials
        client = exchange.user ?? credentials.token.map { AccessToken.claimedSubject(of: $0.text) ?? $0 }
        segments = exchange.head.target.segmentsInWorld
        isOfMeals = exchange.endpoint == .mealSocket
        let place = isOpening && !isOfMeals ? 3 : exchange.endpoint.flatMap { Self.placesOfIDs[$0] }
        sentID = place.flatMap { [segments] in $0 < segments.count ? ExactString(segments[$0]) : nil }
        pathID = (200..<300).contains(exchange.status ?? 0) ? sentID?.asIssued : sentID
        consultation = !isOpening ? "" : isOfMeals ? Self.meals(of: exchange.user) : sentID?.asIssued ?? ""
        body = exchange.body.bytes.isEmpty ? nil : try? JSON.parse(exchange.body.bytes)
        let isRead = exchange.endpoint != .listMessages && exchange.endpoint != .listQuickActions
        answer = !isRead || exchange.responseBody.bytes.isEmpty ? nil : try? JSON.parse(exchange.responseBody.bytes)
    }

    /// The index of the segment in braces in each endpoint's path.
    private static let placesOfIDs: [Endpoint: Int] = Dictionary(
        uniqueKeysWithValues: Endpoint.allCases.compactMap { endpoint in
            endpoint.template.split(separator: "/").firstIndex { $0.hasPrefix("{") }.map { (endpoint, $0) }
        })

    var requestedAt: Timestamp { exchange.requestedAt }
    /// When the response was sent or the client gave up.
    var answeredAt: Timestamp { entry.time }
    var endpoint: Endpoint? { exchange.endpoint }
    var method: HTTPRequest.Method { exchange.head.method }
    /// The user whose credentials were accepted.
    var user: ExactString? { exchange.user }
    /// The placeholder for a consultation's id; no real id looks like this.
    static func meals(of client: ExactString?) -> ExactString { ExactString("meals of " + (client?.text ?? "")) }
    /// The endpoint, if the mode has it and the request is not a WebSocket handshake.
    var restEndpoint: Endpoint? { exchange.unmatched == nil && !isHandshake ? endpoint : nil }
    /// Whether the client received a complete response with a 2xx status.
    var isSuccess: Bool { isAnswered && (200..<300).contains(exchange.status ?? 0) }
    /// Whether a fault affected the request, in which case the response may differ from the backend's.
    var isFaulted: Bool { !exchange.faults.isEmpty }
    var status: Int? { exchange.status }
    /// Whether the client received the whole response.
    var isAnswered: Bool { exchange.status != nil && exchange.delivery == .complete }
    /// Whether the request is a refused WebSocket handshake.
    var isHandshake: Bool { exchange.endpoint?.isSocket ?? false }
}

extension ExactString {
    /// The ID in the backend's spelling; with `ids: any-case`, a world also finds upper-case IDs.
    var asIssued: Self { ResourceID.read(text) == .wrongCase ? asciiLowercased() : self }
}

/// A message or control frame on a WebSocket.
final class FrameFact: Sendable {
    let frame: RecordedFrame
    /// The text as JSON, or nil if it is not JSON.
    ///
    /// The JSON is also nil for reply chunks, whose text is irrelevant to the judges.
    let json: JSONValue?
    /// The `type` of a text frame, if the frame is a JSON object with a `type`.
    let type: String?

    init(_ frame: RecordedFrame) {
        self.frame = frame
        // Most journal entries are chunks; parsing them as JSON would take most of the judging time.
        let isIntact =
            frame.sender == .server && frame.opcode == .text && frame.faults.isEmpty && frame.delivery == .complete
        if isIntact, let known = Self.plainTypes.first(where: { frame.payload.bytes.starts(with: $0.leader) }) {
            json = nil
            type = known.type
        } else {
            json = frame.opcode == .text ? try? JSON.parse(frame.payload.bytes) : nil
            type = json?["type"]?.string
        }
    }

    /// The frame types whose contents the judges do not need.
    private static let plainTypes = ["stream_chunk", "assistant_message_chunk", "pong", "connected"].map {
        (type: $0, leader: Array(#"{"type":"\#($0)""#.utf8))
    }

    var isFromClient: Bool { frame.sender == .client }
    var isDelivered: Bool { frame.delivery == .complete }
    /// Whether the frame is the server's `connected` and the client received it.
    var isConnected: Bool { isHeard && type == "connected" }
    /// Whether the server sent the frame and the client received it.
    var isHeard: Bool { !isFromClient && isDelivered }
    /// Whether the frame is a question to the coach, in either protocol.
    var isChatMessage: Bool { isFromClient && (type == "message" || type == "user_message") }
    var isPing: Bool { isFromClient && (frame.opcode == .ping || type == "ping") }
}

struct ShownGoal: Equatable, Sendable {
    let id: ExactString
    let conversation: ExactString?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString else { return nil }
        self.id = id
        conversation = value["conversationId"]?.exactString ?? value["conversation_id"]?.exactString
    }
}

struct ShownConsultation: Equatable, Sendable {
    let id: ExactString
    let goal: ExactString?
    /// The status, or nil if a response of this form has none.
    let status: String?

    init?(_ value: JSONValue) {
        guard let id = value["id"]?.exactString ?? value["consultation_id"]?.exactString else { return nil }
        self.id = id
        goal = value["goal_id"]?.exactString ?? value["goalId"]?.exactString
        status = value["status"]?.string
    }
}

struct ShownMealLog: Equatable, Sendable {
    let id: ExactString
    let status: String?
    let updatedAt: DateTime?

    var isFinal: Bool { ["completed", "failed", "manual"].contains(status) }

    init?(_ value: JSONValue, status: String? = nil) {
        guard let id = value["id"]?.exactString ?? value["meal_log_id"]?.exactString else { return nil }
        self.id = id
        self.status = status ?? value["status"]?.string
        updatedAt = value["updated_at"]?.string.flatMap { DateTime($0) }
    }
}

extension RequestFact {
    /// The object in the response: the envelope's `data`, or the whole response.
    private var answeredObject: JSONValue? { answer?["data"]?.object == nil ? answer : answer?["data"] }

    var shownGoals: [ShownGoal] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createGoal, .showGoal, .updateGoal, .replaceGoal:
            return answeredObject.flatMap(ShownGoal.init).map { [$0] } ?? []
        case .listGoals:
            let list = answer["goals"]?.array ?? answer["data"]?["goals"]?.array ?? []
            return list.compactMap { ShownGoal($0) }
        default: return []
        }
    }

    var shownConsultations: [ShownConsultation] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createConsultation, .showConsultation, .archiveConsultation, .updateConsultation, .completeConsultation:
            let object = answer["data"]?["consultation"] ?? answeredObject
            return object.flatMap(ShownConsultation.init).map { [$0] } ?? []
        case .listConsultations:
            return (answer["data"]?["consultations"]?.array ?? []).compactMap { ShownConsultation($0) }
        default: return []
        }
    }

    /// The conversation and its goal in the response to a chat-about-goal request.
    var shownLink: (conversation: ExactString, goal: ExactString)? {
        guard isSuccess, endpoint == .chatAboutGoal, let answer,
            let conversation = answer["conversationId"]?.exactString ?? answer["data"]?["conversation_id"]?.exactString,
            let goal = answer["goalId"]?.exactString ?? answer["data"]?["goal_id"]?.exactString
        else { return nil }
        return (conversation, goal)
    }

    var shownMealLogs: [ShownMealLog] {
        guard isSuccess, let answer else { return [] }
        switch endpoint {
        case .createMealLog, .showMealLog, .updateMealLog, .confirmMealPhoto:
            return answeredObject.flatMap { ShownMealLog($0) }.map { [$0] } ?? []
        case .listMealLogs, .createMealLogs:
            // A meal with user-entered foods is returned by itself, not in a list.
            let logs = answer["data"]?["meal_logs"]?.array ?? answeredObject.map { [$0] } ?? []
            return logs.compactMap { ShownMealLog($0) }
        default: return []
        }
    }

    /// The meal logs that this request makes the server process.
    var acceptedMealLogs: [ShownMealLog] {
        switch restEndpoint {
        case .createMealLog, .createMealLogs, .updateMealLog: shownMealLogs.filter { !$0.isFinal }
        default: []
        }
    }
}

extension Endpoint {
    var namesConsultation: Bool { Self.ofConsultations.contains(self) }
    private static let ofConsultations = Set(
        allCases.filter { $0.template.hasPrefix(Endpoint.showConsultation.template) })
}

extension FrameFact {
    /// The meal log that the server finished processing, according to the frame.
    var settledMealLog: ShownMealLog? {
        guard isHeard, let data = json?["data"] else { return nil }
        switch type {
        case "meal_log.completed": return ShownMealLog(data, status: "completed")
        case "meal_log.failed": return ShownMealLog(data, status: "failed")
        default: return nil
        }
    }

    /// The entity that the coach created during its reply.
    ///
    /// `type` is the backend's term.
    var createdTemplate: JSONValue? {
        guard isHeard else { return nil }
        switch type {
        case "template_created", "assistant_message_end", "stream_complete":
            return json?["metadata"]?["template_created"]
        default: return nil
        }
    }
}

struct Owned: Hashable, Sendable {
    let client: ExactString
    let id: ExactString
}

/// The sender, method and target, which are the same for repeated requests from one client or token.
struct Target: Hashable, Sendable {
    private let sender: ExactString
    private let method: HTTPRequest.Method
    private let target: ExactString

    init(_ request: RequestFact, of sender: ExactString) {
        self.sender = sender
        method = request.method
        target = ExactString(request.exchange.head.target.description)
    }
}
