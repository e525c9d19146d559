import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON
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
    /// Each in the order in which it was first seen.
    public private(set) var deviations: [Deviation] = []
    /// Answers that are not compared, because the fake is not asked for anything of the kind.
    public private(set) var unknownCount = 0
    private var known: [Place: ValueShape?] = [:]
    private var mediaTypes: [Place: Set<ExactString>] = [:]

    /// The answers of an endpoint: responses, handshakes, and the server's messages on sockets.
    public struct EndpointResult: Sendable, Hashable {
        public let endpoint: Endpoint
        /// How many answers were compared, and how many of them the fake could have given.
        public var answers = 0
        public var alike = 0
    }

    /// A way in which the server differs from the fake.
    public struct Deviation: Sendable, Hashable {
        public let endpoint: Endpoint
        /// The status or the message's type, and the member: `201, data.created_at`.
        public let place: String
        public let fake: String
        public let upstream: String
        /// The case in which it was first seen, and the number of the entry in the recording.
        public let firstSeen: String
        /// In how many answers it shows.
        public var count = 1
    }

    /// What answers are compared by: the status of a response, or the type of a message.
    private struct Place: Hashable {
        let endpoint: Endpoint
        let kind: String
        let isMessage: Bool
    }

    /// Alike answers in a hundred, rounded down; nil if there were none.
    public var fidelity: Int? {
        let answers = endpoints.map(\.answers).reduce(0, +)
        return answers == 0 ? nil : endpoints.map(\.alike).reduce(0, +) * 100 / answers
    }

    // MARK: What the fake says

    /// Learns what the fake says in a mode.
    ///
    /// - Throws: errors of the harness.
    public init(mode: GuideMode) async throws {
        self.mode = mode
        for contractCase in ContractCase.all where contractCase.guide == nil {
            let scenario = try contractCase.setting.scenario()
            // Faults are not what the fake says, and thousands of messages are no other answer than a few.
            guard scenario.faults.isEmpty, contractCase.setting != .builtIn("long-history") else { continue }
            for style in ClientConfiguration.ChatStyle.allCases {
                learn(try await Self.session(of: contractCase, in: scenario, mode, style))
            }
        }
    }

    private static func session(
        of contractCase: ContractCase, in scenario: Scenario, _ mode: GuideMode, _ style: ClientConfiguration.ChatStyle
    ) async throws -> Session {
        let now = Timestamp(secondsSinceEpoch: 1_738_146_600)
        let network = VirtualNetwork(try Engine(Engine.Configuration(), now: now), now: now)
        let world = try await StageWorld(on: network, scenario, guide: mode, clock: .manual, judged: false)
        var play = CasePlay(
            world: world, client: try ReferenceClient(world.surroundings, network: network) { $0.chat = style },
            result: CaseResult(contractCase, mode: mode), stepLimit: MemoryTrial.lookLimit, grace: .seconds(5))
        var outcome = TrialOutcome(mode: mode, startedAt: world.access.now)
        try await play.play(into: &outcome)
        return Session(outcome.entries, origin: "http://fake")
    }

    private mutating func learn(_ session: Session) {
        for entry in session.entries {
            for answer in Self.answers(of: entry, in: mode) {
                guard let endpoint = answer.endpoint else { continue }
                let place = Place(endpoint: endpoint, kind: answer.kind, isMessage: answer.isMessage)
                var shape = known[place] ?? nil
                if let value = answer.value {
                    shape = shape ?? ValueShape()
                    shape?.learn(value)
                }
                known[place] = .some(shape)
                if let type = answer.mediaType { mediaTypes[place, default: []].insert(ExactString(type)) }
            }
        }
    }

    // MARK: What the server says

    /// Compares what a server said with what the fake can say.
    ///
    /// - Parameter place: names the case to which the entry with an index belongs.
    public mutating func compare(_ session: Session, caseOf place: (Int) -> String) {
        var results: [Endpoint: EndpointResult] = [:]
        let asked = Set(known.keys.map(\.endpoint))
        var found: [[String]: Int] = [:]  // Endpoint, place and both sides: compared as texts of this module.
        for (index, entry) in session.entries.enumerated() {
            for answer in Self.answers(of: entry, in: mode) {
                guard let endpoint = answer.endpoint, asked.contains(endpoint) else {
                    unknownCount += 1
                    continue
                }
                let differences = differences(of: answer, of: endpoint)
                results[endpoint, default: EndpointResult(endpoint: endpoint)].answers += 1
                if differences.isEmpty { results[endpoint]?.alike += 1 }
                for difference in Set(differences).sorted(by: { $0.path < $1.path }) {
                    let key = [endpoint.name, difference.path, difference.known, difference.found]
                    if let place = found[key] {
                        deviations[place].count += 1
                        continue
                    }
                    found[key] = deviations.count
                    deviations.append(
                        Deviation(
                            endpoint: endpoint, place: difference.path, fake: difference.known,
                            upstream: difference.found, firstSeen: "\(place(index)), entry \(index + 1)"))
                }
            }
        }
        endpoints = Endpoint.allCases.compactMap { results[$0] }
    }

    /// How an answer differs; the path begins with the status or the type.
    private func differences(of answer: Answer, of endpoint: Endpoint) -> [ValueShape.Deviation] {
        let place = Place(endpoint: endpoint, kind: answer.kind, isMessage: answer.isMessage)
        guard let shape = known[place] else {
            let kinds = known.keys.filter { $0.endpoint == endpoint && $0.isMessage == answer.isMessage }.map(\.kind)
            return [
                ValueShape.Deviation(
                    path: answer.isMessage ? ConformMessages.frame : ConformMessages.status,
                    known: kinds.isEmpty ? ConformMessages.noAnswer : Words.list(kinds.sorted(), last: "or"),
                    found: answer.kind)
            ]
        }
        var found: [ValueShape.Deviation] = []
        func note(_ what: String, _ known: String, _ other: String) {
            found.append(
                ValueShape.Deviation(path: ConformMessages.place(answer.kind, what), known: known, found: other))
        }
        let types = mediaTypes[place] ?? []
        if !answer.isMessage, !types.isEmpty || answer.mediaType != nil,
            !types.contains(ExactString(answer.mediaType ?? ""))
        {
            let known = types.isEmpty ? ConformMessages.noMediaType : types.sorted().map(\.text).joined(separator: ", ")
            note(ConformMessages.mediaType, known, answer.mediaType ?? ConformMessages.noMediaType)
        }
        switch (shape, answer.value) {
        case (nil, nil): break
        case (nil, .some): note(ConformMessages.body, ConformMessages.noBody, ConformMessages.json)
        case (.some, nil): note(ConformMessages.body, ConformMessages.json, ConformMessages.notJSON)
        case (let shape?, let value?):
            found += shape.deviations(of: value).map { deviation in
                var deviation = deviation
                deviation.path = ConformMessages.place(answer.kind, deviation.path)
                return deviation
            }
        }
        return found
    }

    // MARK: Answers

    private struct Answer {
        /// Nil if the mode does not have it.
        var endpoint: Endpoint?
        /// The status, or the message's type.
        var kind: String
        var isMessage = false
        var mediaType: String?
        /// The body, if it is JSON.
        var value: JSONValue?
    }

    /// The answers of an entry; those of which the recording lacks a part say nothing.
    private static func answers(of entry: SessionEntry, in mode: GuideMode) -> [Answer] {
        let endpoint = endpoint(of: entry.request, in: mode)
        switch entry {
        case .exchange(let exchange):
            guard let response = exchange.response else {
                return [Answer(endpoint: endpoint, kind: ConformMessages.noAnswer)]
            }
            guard response.isComplete, !response.body.isCut, !response.isCoded else { return [] }
            return [
                Answer(
                    endpoint: endpoint, kind: String(response.status), mediaType: mediaType(response),
                    value: JSONValue.container(response.body.bytes))
            ]
        case .socket(let socket):
            return [Answer(endpoint: endpoint, kind: "101")]
                + socket.frames.filter { $0.sender == .server && !$0.opcode.isControl && !$0.payload.isCut }.map {
                    let value = $0.opcode == .text ? JSONValue.container($0.payload.bytes) : nil
                    let kind = value?["type"]?.string.map(ConformMessages.quoted) ?? ConformMessages.notJSON
                    return Answer(endpoint: endpoint, kind: kind, isMessage: true, value: value)
                }
        }
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
