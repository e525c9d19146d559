import FitIQAPI
import JSON
import Text

/// The commands to an adapter, one per line (`Fixtures/adapters/README.md`).
enum AdapterCommand: Sendable, Hashable {
    case begin(Surroundings, address: String)
    case perform(ClientInstruction)
    case report
    case settle(Timestamp)
    case end
    static let version = 1

    var name: String {
        switch self {
        case .begin: "begin"
        case .perform(let instruction): instruction.name
        case .report: "report"
        case .settle: "settle"
        case .end: "end"
        }
    }

    var line: [UInt8] {
        var writer = JSONWriter(reserving: 128)
        writer.beginObject()
        writer.member("command", name)
        switch self {
        case .begin(let surroundings, let address):
            writer.member("protocol", Self.version)
            writer.member("case", address)
            writer.member("url", surroundings.url)
            writer.member("ws_url", surroundings.webSocketURL)
            writer.member("token", surroundings.token)
            writer.member("fresh_token", surroundings.freshToken)
            if let token = surroundings.refreshToken { writer.member("refresh_token", token) }
            writer.member("api_key", surroundings.apiKey)
            writer.member("guide", surroundings.guide.rawValue)
            writer.member("now", surroundings.now.nanosecondText)
        case .perform(let instruction): instruction.writeAdapterMembers(&writer)
        case .settle(let time): writer.member("now", time.nanosecondText)
        case .report, .end: break
        }
        writer.endObject()
        return writer.takeBytes() + [UInt8(ascii: "\n")]
    }

    var expectation: String {
        switch self {
        case .begin: #"{"ok":true,"clock":"suite"} or {"ok":true,"clock":"system"}"#
        case .perform: #"{"ok":true}, {"ok":false,"error":"…"} or {"unsupported":true}"#
        case .report: #"{"ok":true,"report":{…}}"#
        case .settle: #"{"ok":true,"next":"2025-01-29T10:30:01.500000000Z"} or {"ok":true,"next":null}"#
        case .end: #"{"ok":true}"#
        }
    }
}

extension ClientInstruction {
    fileprivate func writeAdapterMembers(_ writer: inout JSONWriter) {
        switch self {
        case .signIn(let email, let password):
            writer.member("email", email)
            writer.member("password", password)
        case .startConsultation(let persona): writer.member("persona", persona.rawValue)
        case .openConsultation(let id), .chatAboutGoal(let id): writer.member("id", id)
        case .send(let text): writer.member("text", text)
        case .createGoal(let title, let description):
            writer.member("title", title)
            writer.member("description", description)
        case .logMeal(let text, let type):
            writer.member("text", text)
            writer.member("type", type.rawValue)
        case .archive, .disconnect, .loadGoals, .loadQuickActions, .listenToMeals: break
        }
    }
}

/// Parses an adapter's answer lines; errors describe what is wrong.
enum AdapterAnswer {
    /// The maximum depth and size of an answer.
    static let limits = JSON.Limits(depth: 16, bytes: AdapterLimits.lineBytes, values: 100_000)
    /// The format of times: RFC 3339 with nanoseconds.
    static let time = "a time such as 2025-01-29T10:30:01.500000000Z"

    /// The adapter's information about its client, from the answer to `begin`.
    struct Beginning: Sendable {
        let clock: ClientClock
        /// The client's language, if stated.
        let language: String?
        let usesSockets: Bool
    }

    static func beginning(_ line: [UInt8]) throws(AnswerError) -> Beginning {
        let answer = try members(line, allowed: ["clock", "language", "sockets"])
        return Beginning(
            clock: try answer.choice("clock", ClientClock.self), language: try answer.optionalText("language"),
            usesSockets: try answer.optionalFlag("sockets") ?? true)
    }

    static func done(_ line: [UInt8]) throws(AnswerError) { _ = try members(line, allowed: []) }

    static func report(_ line: [UInt8]) throws(AnswerError) -> ClientReport {
        try ClientReport(members(line, allowed: ["report"]).object("report", allowed: ClientReport.adapterMembers))
    }

    /// When the client's next timer is due; nil if no timer is running.
    static func next(_ line: [UInt8]) throws(AnswerError) -> Timestamp? {
        let answer = try members(line, allowed: ["next"])
        guard let text = try answer.optionalText("next") else { return nil }
        guard let next = Timestamp(text) else { throw answer.wrong("next", expected: time) }
        return next
    }

    /// The members of an answer with `"ok":true`.
    private static func members(_ line: [UInt8], allowed: [String]) throws(AnswerError) -> AnswerMembers {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(line, limits: limits)
        } catch {
            throw .notJSON(error.message, column: error.column)
        }
        guard case .object(let object) = value else { throw .notAnObject(value.typeName) }
        let answer = AnswerMembers(object: object, path: "")
        if object["unsupported"] == .bool(true) { throw .unsupported }
        switch object["ok"] {
        case .bool(true): break
        case .bool(false): throw .refused(object["error"]?.string ?? "")
        default: throw answer.wrong("ok", expected: "true or false")
        }
        return try answer.allowing(["ok", "unsupported", "error"] + allowed)
    }
}

/// Why an answer is unusable: the feature is not supported, the client refused, or the answer is invalid.
typealias AnswerError = AdapterError.Reason

/// The members of an object in an answer, with its path for errors.
struct AnswerMembers {
    let object: JSONObject
    /// The path, such as `report.meals[0]`, or empty for the answer.
    let path: String

    func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func wrong(_ name: String, expected: String) -> AnswerError {
        .wrong(path: path(to: name), found: object[name]?.excerpt() ?? "missing", expected: expected)
    }

    /// Rejects members with unknown names, because a misspelt name would otherwise be silently ignored.
    func allowing(_ names: [String]) throws(AnswerError) -> AnswerMembers {
        for (key, _) in object where !names.contains(key) {
            throw .unknown(path: path(to: key), nearest: NearestWord.find(key, among: names))
        }
        return self
    }

    func text(_ name: String) throws(AnswerError) -> String { try member(name, "a string", \.string) }
    func bool(_ name: String) throws(AnswerError) -> Bool { try member(name, "true or false", \.bool) }

    /// A string, or nil if it is missing or null.
    func optionalText(_ name: String) throws(AnswerError) -> String? {
        try isPresent(name) ? member(name, "a string or null", \.string) : nil
    }

    func optionalFlag(_ name: String) throws(AnswerError) -> Bool? {
        try isPresent(name) ? member(name, "true or false", \.bool) : nil
    }

    func optionalNumber(_ name: String) throws(AnswerError) -> Double? {
        try isPresent(name) ? member(name, "a number or null", \.double) : nil
    }

    func optionalInteger(_ name: String) throws(AnswerError) -> Int? {
        try isPresent(name) ? member(name, "a whole number or null", \.int) : nil
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Value.Type
    ) throws(AnswerError) -> Value {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }
        let expected = words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
        return try member(name, expected) { $0.string.flatMap(Value.init) }
    }

    func object(_ name: String, allowed: [String]) throws(AnswerError) -> AnswerMembers {
        let object = try member(name, "an object", \.object)
        return try AnswerMembers(object: object, path: path(to: name)).allowing(allowed)
    }

    private func isPresent(_ name: String) -> Bool { object[name].map { $0 != .null } ?? false }

    private func member<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(AnswerError) -> Value {
        guard let value = object[name].flatMap(read) else { throw wrong(name, expected: expected) }
        return value
    }

    /// The strings of an array, nil if the member is missing, or empty if it is null.
    func optionalTexts(_ name: String) throws(AnswerError) -> [String]? {
        guard let value = object[name] else { return nil }
        guard value != .null else { return [] }
        guard let texts = value.array?.map(\.string), !texts.contains(nil) else {
            throw wrong(name, expected: "an array of strings or null")
        }
        return texts.compactMap { $0 }
    }

    /// The objects of an array, or empty if the member is missing.
    func objects(_ name: String, allowed: [String]) throws(AnswerError) -> [AnswerMembers] {
        guard let value = object[name] else { return [] }
        guard let elements = value.array else { throw wrong(name, expected: "an array") }
        var result: [AnswerMembers] = []
        for (index, element) in elements.enumerated() {
            let path = "\(path(to: name))[\(index)]"
            guard let object = element.object else {
                throw .wrong(path: path, found: element.excerpt(), expected: "an object")
            }
            result.append(try AnswerMembers(object: object, path: path).allowing(allowed))
        }
        return result
    }
}

extension ClientReport {
    static let adapterMembers = [
        "consultation", "connection", "transcript", "problems", "goals", "meals", "templates", "quick_actions",
        "is_busy",
    ]

    /// Parses an adapter's report.
    ///
    /// `consultation` may be null or missing, and empty lists may be missing.
    init(_ members: AnswerMembers) throws(AnswerError) {
        self.init()
        consultation = try members.optionalText("consultation")
        connection = try members.choice("connection", Connection.self)
        isBusy = try members.bool("is_busy")
        for line in try members.objects("transcript", allowed: ["role", "text", "is_complete"]) {
            transcript.append(
                Line(
                    role: try line.choice("role", MessageRole.self), text: try line.text("text"),
                    isComplete: try line.bool("is_complete")))
        }
        for problem in try members.objects("problems", allowed: ["kind", "message"]) {
            problems.append(
                Problem(kind: try problem.choice("kind", Problem.Kind.self), message: try problem.text("message")))
        }
        for goal in try members.objects("goals", allowed: ["id", "title", "conversation"]) {
            goals.append(
                Goal(
                    id: try goal.text("id"), title: try goal.text("title"),
                    conversation: try goal.optionalText("conversation")))
        }
        quickActions = try members.optionalTexts("quick_actions")
        if members.object["templates"] != nil {
            templates = []
            for template in try members.objects("templates", allowed: ["type", "name"]) {
                templates?.append(Template(type: try template.text("type"), name: try template.text("name")))
            }
        }
        let details = ["id", "text", "status", "calories", "protein", "items", "error"]
        for meal in try members.objects("meals", allowed: details) {
            meals.append(
                Meal(
                    id: try meal.optionalText("id"), text: try meal.text("text"),
                    status: try meal.choice("status", MealLogStatus.self),
                    calories: try meal.optionalInteger("calories"), protein: try meal.optionalNumber("protein"),
                    items: try meal.optionalTexts("items"), error: try meal.optionalText("error")))
        }
    }
}
