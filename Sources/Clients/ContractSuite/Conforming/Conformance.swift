import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON
import Judging
import MockServer
import Scenarios
import Text
import Traffic

/// How a real server's answers compare with the fake's: by status, media type, messages, members, kinds of values and
/// vocabulary.
///
/// What the fake can say is learnt from the contract suite without faults, played in memory. An answer of the server is
/// alike if the fake could have given it, as far as a client reads it: free texts, numbers and times do not count.
public struct Conformance: Sendable {
    public let mode: GuideMode
    /// By endpoint, in the order of the API.
    public private(set) var endpoints: [EndpointResult] = []
    /// Answers that are not compared, because the fake is not asked for anything of the kind.
    public private(set) var unknownCount = 0
    private var known: [Endpoint: [Kind: Known]] = [:]

    /// The answers of an endpoint: responses, handshakes, and the server's messages on sockets.
    public struct EndpointResult: Sendable {
        public let endpoint: Endpoint
        /// How many answers were compared, and how many of them the fake could have given.
        public fileprivate(set) var answers = 0
        public fileprivate(set) var alike = 0
        /// In the order in which they were first seen; those of one answer by place.
        public fileprivate(set) var deviations: [Deviation] = []
        fileprivate var places: [ValueShape.Deviation: Int] = [:]
        var title: String { "\(endpoint.method.rawValue) \(endpoint.template)" }
    }

    /// A way in which the server differs from the fake.
    public struct Deviation: Sendable {
        /// The status or the message's type, and the member: `201, data.created_at`.
        public let place: String
        public let fake: String
        public let upstream: String
        /// The case in which it was first seen, and the number of the entry in the recording.
        public let firstSeen: String
        /// In how many answers it shows.
        public fileprivate(set) var count = 1
    }

    /// What answers are compared by: the status of a response, or the type of a message.
    private struct Kind: Hashable {
        let text: String
        var isMessage = false
    }

    /// What the fake says in answers of a kind; there is no shape without JSON.
    private struct Known {
        var shape: ValueShape?
        var mediaTypes: Set<ExactString> = []
    }

    /// Alike answers in a hundred, rounded down; nil if there were none.
    public var fidelity: Int? {
        let answers = endpoints.map(\.answers).reduce(0, +)
        return answers == 0 ? nil : endpoints.map(\.alike).reduce(0, +) * 100 / answers
    }

    // MARK: What the fake says

    /// Learns what the fake says; throws errors of the harness.
    public init(mode: GuideMode) async throws {
        self.mode = mode
        for contractCase in ContractCase.all where contractCase.guide == nil {
            let scenario = try contractCase.setting.scenario()
            // Faults are not what the fake says, and thousands of messages are no other answer than a few.
            guard scenario.faults.isEmpty, contractCase.setting != .builtIn("long-history") else { continue }
            for style in ClientConfiguration.ChatStyle.allCases {
                let entries = try await Self.entries(of: contractCase, in: scenario, mode, style)
                learn(Session(entries, origin: "http://fake"))
            }
        }
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

    private mutating func learn(_ session: Session) {
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

    // MARK: What the server says

    /// - Parameter cases: those to which the entries belong.
    public mutating func compare(_ session: Session, playedIn cases: [ConformPlay.Outcome]) {
        var results: [Endpoint: EndpointResult] = [:]
        for (index, entry) in session.entries.enumerated() {
            let place = "\(cases.last { $0.firstEntry <= index }?.address ?? ""), entry \(index + 1)"
            for answer in Self.answers(of: entry, in: mode) {
                guard let endpoint = answer.endpoint, let known = known[endpoint] else {
                    unknownCount += 1
                    continue
                }
                results[endpoint, default: EndpointResult(endpoint: endpoint)]
                    .add(Self.deviations(of: answer, from: known), at: place)
            }
        }
        endpoints = Endpoint.allCases.compactMap { results[$0] }
    }

    /// How an answer differs; the path begins with the status or the type.
    private static func deviations(of answer: Answer, from known: [Kind: Known]) -> [ValueShape.Deviation] {
        let kind = answer.kind
        guard let answers = known[kind] else {
            let kinds = known.keys.filter { $0.isMessage == kind.isMessage }.map(\.text).sorted()
            return [
                ValueShape.Deviation(
                    path: kind.isMessage ? ConformMessages.frame : ConformMessages.status,
                    known: kinds.isEmpty ? ConformMessages.noAnswer : Words.list(kinds, last: "or"), found: kind.text)
            ]
        }
        var found: [ValueShape.Deviation] = []
        func note(_ what: String, _ known: String, _ other: String) {
            found.append(ValueShape.Deviation(path: what, known: known, found: other))
        }
        let type = answer.mediaType.map { ExactString($0) }
        if answers.mediaTypes.isEmpty ? type != nil : type.map(answers.mediaTypes.contains) != true {
            let types = answers.mediaTypes.sorted().map(\.text)
            note(
                ConformMessages.mediaType, types.isEmpty ? ConformMessages.noMediaType : Words.list(types, last: "or"),
                type.map { ConformMessages.quoted($0.text) } ?? ConformMessages.noMediaType)
        }
        switch (answers.shape, answer.value) {
        case (nil, nil): break
        case (nil, .some): note(ConformMessages.body, ConformMessages.noBody, ConformMessages.json)
        case (.some, nil): note(ConformMessages.body, ConformMessages.json, ConformMessages.notJSON)
        case (let shape?, let value?): found += shape.deviations(of: value)
        }
        return found.map { deviation in
            var deviation = deviation
            deviation.path = deviation.path.isEmpty ? kind.text : "\(kind.text), \(deviation.path)"
            return deviation
        }
    }

    // MARK: Answers

    private struct Answer {
        /// Nil if the mode does not have it.
        var endpoint: Endpoint?
        var kind: Kind
        var mediaType: String?
        /// The body, if it is JSON.
        var value: JSONValue?
    }

    /// The answers of an entry; those of which the recording lacks a part say nothing.
    private static func answers(of entry: SessionExchange, in mode: GuideMode) -> [Answer] {
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
        let field = response.fields.first { $0.name.lowercased() == "content-type" }
        return field.map { String($0.value.prefix { $0 != ";" }.filter { $0 != " " }).lowercased() }
    }
}

extension Conformance.EndpointResult {
    fileprivate mutating func add(_ differences: [ValueShape.Deviation], at place: String) {
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
                    place: difference.path, fake: difference.known, upstream: difference.found, firstSeen: place))
        }
    }
}

// MARK: The report

extension Conformance {
    /// The most deviations of an endpoint that a report names.
    private static let namedCount = 100

    /// The addresses of the checks of any report.
    public static var addresses: [String] { Endpoint.allCases.map(address) }
    private static func address(_ endpoint: Endpoint) -> String { "conform/\(endpoint.name)" }

    /// A report with a check for each endpoint.
    public func report(title: String, cases: [ConformPlay.Outcome]) -> Report {
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
            [ConformMessages.sum(self, cases: cases.count)]
            + cases.compactMap { played in played.trouble.map { "\(played.address): \($0)" } }
            + (unknownCount > 0 ? [ConformMessages.notCompared(unknownCount)] : [])
        return report
    }

    /// The deviations as rows of a Markdown table, as in the list of deviations.
    ///
    /// What a server named is code, so that it forms no markup.
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
