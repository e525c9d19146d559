import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON
import Judging
import MockServer
import Scenarios
import Text
import Traffic

/// Compares a real server's answers with the fake's answers: status, media type, messages, members, kinds of values and
/// vocabulary.
///
/// The fake's possible answers are collected by playing the contract suite in memory, without faults. A server's answer
/// conforms if the fake could have sent an answer that clients treat in the same way. Free text, numbers and times are
/// ignored.
public struct Conformance: Sendable {
    public let mode: GuideMode
    /// The results by endpoint, in the order of the API.
    public private(set) var endpoints: [EndpointResult] = []
    /// The number of answers that were not compared because the fake has no such answers.
    public private(set) var unknownCount = 0
    var known: [Endpoint: [Kind: Known]] = [:]
    /// The fake's answers, without additions from the API description or an overlay.
    var said: [Endpoint: [Kind: Known]] = [:]
    /// Additional answers that the fake may send.
    public let overlay: Overlay
    /// The number of unanswered requests; counted only in our own recordings, because they show who gave up.
    public private(set) var unansweredCount = 0

    /// The result for an endpoint's answers: responses, handshakes, and the server's messages on sockets.
    public struct EndpointResult: Sendable {
        public let endpoint: Endpoint
        /// The number of compared answers, and the number of answers that the fake could have sent.
        public fileprivate(set) var answers = 0
        public fileprivate(set) var alike = 0
        /// The deviations in order of first occurrence.
        ///
        /// The deviations in one answer are ordered by path.
        public fileprivate(set) var deviations: [Deviation] = []
        fileprivate var places: [ValueShape.Deviation: Int] = [:]
        var title: String { "\(endpoint.method.rawValue) \(endpoint.template)" }
    }

    /// A way in which the server differs from the fake.
    public struct Deviation: Sendable {
        /// The status or message type, and the member, such as `201, data.created_at`.
        public let place: String
        public let fake: String
        public let upstream: String
        /// The case and the number of the recording's entry in which it first occurred.
        public let firstSeen: String
        /// The number of answers that have the deviation.
        public fileprivate(set) var count = 1
        let source: ValueShape.Deviation
        /// The kind of the answers, or nil if overlays do not support it.
        let kind: Overlay.Kind?
    }

    /// The key that selects the answers to compare: a response's status, or a message's type.
    struct Kind: Hashable {
        let text: String
        var isMessage = false

        init(text: String, isMessage: Bool = false) { (self.text, self.isMessage) = (text, isMessage) }

        init(_ kind: Overlay.Kind) {
            switch kind {
            case .status(let status): self.init(text: String(status))
            case .type(let type): self.init(text: ConformMessages.quoted(type), isMessage: true)
            }
        }
    }

    /// The fake's possible answers of a kind; answers that are not JSON have no shape.
    struct Known {
        var shape: ValueShape?
        /// The media types, or nil if there are no answers.
        var mediaTypes: Set<ExactString> = []

        init() {}

        init(_ shape: ValueShape?, _ mediaType: String?) {
            self.shape = shape
            mediaTypes = Set(mediaType.map { [ExactString($0)] } ?? [])
        }
    }

    /// The percentage of conforming answers, rounded down, or nil if there are no answers.
    public var fidelity: Int? {
        let answers = endpoints.map(\.answers).reduce(0, +)
        return answers == 0 ? nil : endpoints.map(\.alike).reduce(0, +) * 100 / answers
    }

    // MARK: Learning the fake's answers

    /// Collects the fake's answers.
    ///
    /// Harness errors are thrown.
    ///
    /// - Parameter overlay: Additional possible answers.
    public init(mode: GuideMode, overlay: Overlay = Overlay()) async throws {
        (self.mode, self.overlay) = (mode, overlay)
        for contractCase in ContractCase.all where contractCase.guide == nil {
            let scenario = try contractCase.setting.scenario()
            // Faults produce answers that the fake itself would not send, and long histories add nothing new.
            guard scenario.faults.isEmpty, contractCase.setting != .builtIn("long-history") else { continue }
            for style in ClientConfiguration.ChatStyle.allCases {
                let entries = try await Self.entries(of: contractCase, in: scenario, mode, style)
                Self.learn(Session(entries, origin: "http://fake"), in: mode, into: &said)
            }
        }
        known = said
        describe()
        for change in overlay.changes { permit(change) }
    }

    /// Adds answers that the description defines but the cases produce only partly or not at all.
    private mutating func describe() {
        let (api, sockets) = (DescribedAPI(.openAPI, in: mode), DescribedAPI(.asyncAPI, in: mode))
        for endpoint in Endpoint.allCases where mode.serves(endpoint) {
            for answer in api.answers(of: endpoint) {
                let shape = answer.schema.map { ValueShape(schema: $0, in: api) }
                widen(endpoint, Kind(.status(answer.status)), by: Known(shape, answer.mediaType))
            }
            for message in endpoint.isSocket ? sockets.messages(of: endpoint) : [] {
                widen(
                    endpoint, Kind(.type(message.type)), by: Known(ValueShape(schema: message.schema, in: sockets), nil)
                )
            }
        }
    }

    private mutating func widen(_ endpoint: Endpoint, _ kind: Kind, by described: Known) {
        guard var answers = known[endpoint]?[kind] else {
            known[endpoint, default: [:]][kind] = described
            return
        }
        if let shape = described.shape { answers.shape?.widen(by: shape) }
        known[endpoint]?[kind] = answers
    }

    /// Permits the answers that an overlay's change produces, in addition to the unchanged answers.
    mutating func permit(_ change: Overlay.Change) {
        let kind = Kind(change.kind)
        var answers = known[change.endpoint]?[kind] ?? Known(.anything, nil)
        switch change.action {
        case .becomes(let new):
            if case .type(let type) = new {
                answers.shape?.permit(.value(.string(type), insteadOf: nil), at: [.name("type")])
            }
            known[change.endpoint, default: [:]][Kind(new)] = answers
            return
        case .contentType(let type): answers.mediaTypes.insert(ExactString(Self.mediaType(type)))
        case .known: break
        case .value, .rename, .remove: answers.shape?.permit(change.action, at: change.member[...])
        }
        known[change.endpoint, default: [:]][kind] = answers
    }

    private static func entries(
        of contractCase: ContractCase, in scenario: Scenario, _ mode: GuideMode, _ style: ClientConfiguration.ChatStyle
    ) async throws -> [JournalEntry] {
        let now = Timestamp(secondsSinceEpoch: 1_738_146_600)
        let network = VirtualNetwork(try Engine(Engine.Configuration(), now: now), now: now)
        let world = try await StageWorld(on: network, scenario, guide: mode, clock: .manual, judged: false)
        var play = CasePlay(
            world: world, client: try ReferenceClient(world.surroundings, network: network) { $0.chat = style },
            result: CaseResult(contractCase, mode: mode), stepLimit: MemoryTrial.lookLimit, grace: .seconds(5))
        try await play.run()
        return try await world.entries()
    }

    static func learn(_ session: Session, in mode: GuideMode, into known: inout [Endpoint: [Kind: Known]]) {
        for answer in session.entries.flatMap({ Self.answers(of: $0, in: mode) }) {
            guard let endpoint = answer.endpoint else { continue }
            var answers = known[endpoint]?[answer.kind] ?? Known()
            if let value = answer.value {
                answers.shape = answers.shape ?? ValueShape()
                answers.shape?.learn(value)
            }
            if let type = answer.mediaType { answers.mediaTypes.insert(ExactString(type)) }
            known[endpoint, default: [:]][answer.kind] = answers
        }
    }

    // MARK: Comparing the server's answers

    /// Compares a server's answers with the fake's answers.
    ///
    /// - Parameter cases: The cases of the entries, or nil for a recording by another program, which does not show who
    ///   abandoned an unanswered request.
    public mutating func compare(_ session: Session, playedIn cases: [ConformPlay.Outcome]?) {
        var results: [Endpoint: EndpointResult] = [:]
        (unknownCount, unansweredCount) = (0, 0)
        for (index, entry) in session.entries.enumerated() {
            let address = cases?.last { $0.firstEntry <= index }?.address
            let place = (address.map { $0 + ", " } ?? "") + "entry \(index + 1)"
            if cases == nil, entry.response.map({ $0.status == 0 }) ?? true {
                if Self.endpoint(of: entry.request, in: mode) != nil { unansweredCount += 1 }
                continue
            }
            for answer in Self.answers(of: entry, in: mode) {
                guard let endpoint = answer.endpoint, let known = known[endpoint] else {
                    unknownCount += 1
                    continue
                }
                results[endpoint, default: EndpointResult(endpoint: endpoint)]
                    .add(Self.deviations(of: answer, from: known), of: answer.overlayKind(of: endpoint), at: place)
            }
        }
        endpoints = Endpoint.allCases.compactMap { results[$0] }
    }

    /// How an answer differs; the path begins with the status or type.
    private static func deviations(of answer: Answer, from known: [Kind: Known]) -> [ValueShape.Deviation] {
        let kind = answer.kind
        guard let answers = known[kind] else {
            let kinds = known.keys.filter { $0.isMessage == kind.isMessage }.map(\.text).sorted()
            return [
                ValueShape.Deviation(
                    path: kind.isMessage ? ConformMessages.frame : ConformMessages.status,
                    known: kinds.isEmpty ? ConformMessages.noAnswer : Words.list(kinds, last: "or"), found: kind.text,
                    value: answer.value, aspect: .kind)
            ]
        }
        if answers.shape?.isAnything == true { return [] }
        var found: [ValueShape.Deviation] = []
        func note(_ what: String, _ known: String, _ other: String, _ aspect: ValueShape.Deviation.Aspect) {
            let type = aspect == .mediaType ? answer.mediaType.map { JSONValue.string($0) } : nil
            found.append(ValueShape.Deviation(path: what, known: known, found: other, value: type, aspect: aspect))
        }
        let type = answer.mediaType.map { ExactString($0) }
        if answers.mediaTypes.isEmpty ? type != nil : type.map(answers.mediaTypes.contains) != true {
            let types = answers.mediaTypes.sorted().map(\.text)
            note(
                ConformMessages.mediaType, types.isEmpty ? ConformMessages.noMediaType : Words.list(types, last: "or"),
                type.map { ConformMessages.quoted($0.text) } ?? ConformMessages.noMediaType, .mediaType)
        }
        switch (answers.shape, answer.value) {
        case (nil, nil): break
        case (nil, .some): note(ConformMessages.body, ConformMessages.noBody, ConformMessages.json, .body)
        case (.some, nil): note(ConformMessages.body, ConformMessages.json, ConformMessages.notJSON, .body)
        case (let shape?, let value?): found += shape.deviations(of: value)
        }
        return found.map { deviation in
            var deviation = deviation
            deviation.path = deviation.path.isEmpty ? kind.text : "\(kind.text), \(deviation.path)"
            return deviation
        }
    }

    // MARK: Answers

    struct Answer {
        /// The endpoint, or nil if the mode does not include it.
        var endpoint: Endpoint?
        var kind: Kind
        var mediaType: String?
        /// The body, or nil if it is not JSON.
        var value: JSONValue?

        /// The overlay's kind for this answer, or nil for a handshake or a message without a type.
        func overlayKind(of endpoint: Endpoint) -> Overlay.Kind? {
            if kind.isMessage { return value?["type"]?.string.map { .type($0) } }
            return endpoint.isSocket ? nil : Int(kind.text).map { .status($0) }
        }
    }

    /// The answers in an entry; truncated answers are skipped.
    static func answers(of entry: SessionExchange, in mode: GuideMode) -> [Answer] {
        let endpoint = endpoint(of: entry.request, in: mode)
        guard let response = entry.response else {
            return [Answer(endpoint: endpoint, kind: Kind(text: ConformMessages.noAnswer))]
        }
        guard !entry.isSocket else {
            return [Answer(endpoint: endpoint, kind: Kind(text: "101"))]
                + entry.frames.filter { $0.sender == .server && !$0.opcode.isControl && !$0.payload.isCut }.map {
                    let value = $0.opcode == .text ? JSONValue.container($0.payload.bytes) : nil
                    let kind = value?["type"]?.string.map(ConformMessages.quoted) ?? ConformMessages.notJSON
                    return Answer(endpoint: endpoint, kind: Kind(text: kind, isMessage: true), value: value)
                }
        }
        guard response.isComplete, !response.body.isCut, !response.isCoded else { return [] }
        return [
            Answer(
                endpoint: endpoint, kind: Kind(text: String(response.status)), mediaType: mediaType(response),
                value: JSONValue.container(response.body.bytes))
        ]
    }

    private static func endpoint(of request: SessionRequest, in mode: GuideMode) -> Endpoint? {
        guard let method = HTTPRequest.Method(request.method),
            let endpoint = Route(segments: RequestURL(request.url).segments, in: mode)?.endpoint(for: method, in: mode)
        else { return nil }
        return mode.serves(endpoint) ? endpoint : nil
    }

    private static func mediaType(_ response: SessionResponse) -> String? {
        response.fields.first { $0.name.lowercased() == "content-type" }.map { mediaType($0.value) }
    }

    private static func mediaType(_ value: String) -> String {
        String(value.prefix { $0 != ";" }.filter { $0 != " " }).lowercased()
    }
}

extension Conformance.EndpointResult {
    fileprivate mutating func add(_ differences: [ValueShape.Deviation], of kind: Overlay.Kind?, at place: String) {
        answers += 1
        if differences.isEmpty { alike += 1 }
        for difference in Set(differences).sorted() {
            if let known = places[difference] {
                deviations[known].count += 1
                continue
            }
            places[difference] = deviations.count
            deviations.append(
                Conformance.Deviation(
                    place: difference.path, fake: difference.known, upstream: difference.found, firstSeen: place,
                    source: difference, kind: kind))
        }
    }
}

// MARK: The report

extension Conformance {
    /// The maximum number of deviations per endpoint in a report.
    private static let namedCount = 100

    /// The addresses of all checks in reports.
    public static var addresses: [String] { Endpoint.allCases.map(address) }
    private static func address(_ endpoint: Endpoint) -> String { "conform/\(endpoint.name)" }

    /// A report with a check for each endpoint.
    public func report(title: String, cases: [ConformPlay.Outcome]?) -> Report {
        var report = Report(title: title)
        report.subject = .server
        report.runs = [
            Report.Run(
                scenario: "conform", mode: mode, hasConnected: fidelity != nil, verdicts: [], exposures: [],
                checks: endpoints.map { result in
                    let rest = result.deviations.count - Self.namedCount
                    return Report.Check(
                        address: Self.address(result.endpoint), clause: ConformMessages.alike(result),
                        failures: result.deviations.prefix(Self.namedCount).map(ConformMessages.deviates),
                        notes: rest > 0 ? [ConformMessages.moreDeviations(rest)] : [])
                })
        ]
        report.runs[0].notes =
            [ConformMessages.sum(self, cases: cases?.count)]
            + (cases ?? []).compactMap { played in played.trouble.map { "\(played.address): \($0)" } }
            + (unknownCount > 0 ? [ConformMessages.notCompared(unknownCount)] : [])
            + (unansweredCount > 0 ? [ConformMessages.unanswered(unansweredCount)] : [])
        return report
    }

    /// The deviations as Markdown table rows, as in the list of deviations.
    ///
    /// Names from the server are formatted as code so that they are not interpreted as markup.
    public var rows: String {
        let rows = endpoints.flatMap { result in
            result.deviations.map { deviation in
                let place = deviation.place.onOneLine(limit: 200).replacing("`", with: "'")
                let cells = ["`\(result.title)`: `\(place)`", deviation.fake, deviation.upstream, deviation.firstSeen]
                return "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
            }
        }
        return (ConformMessages.rowsHeading + rows).joined(separator: "\n") + "\n"
    }
}
