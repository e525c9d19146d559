import Deflate
import JSON
import TLS
import Testing
import Text

@testable import ContractSuite
@testable import Faults
@testable import FitIQAPI
@testable import FitIQBackend
@testable import FitIQClient
@testable import HTTP1
@testable import Judging
@testable import MCP
@testable import MockServer
@testable import Nutrition
@testable import Proxy
@testable import Replay
@testable import Scenarios
@testable import Traffic
@testable import WebSocket
@testable import fitiq_mock

/// The limits in the rows of `docs/limits.md`.
enum LimitsPage {
    static let http = LimitStruct(HTTP1.Limits())
    static let webSocket = LimitStruct(WebSocket.Limits())
    static let server = LimitStruct(ServerLimits())
    static let world = LimitStruct(FitIQBackend.Limits())
    static let journal = LimitStruct(Journal.Limits())
    static let adapter = LimitStruct(AdapterLimits())
    static let client = LimitStruct(ClientLimits())
    static let wire = LimitStruct(WireLimits())
    static let har = LimitStruct(HARLimits())
    static let observer = LimitStruct(ConnectionObserver.Limits())
    static let relay = LimitStruct(RelayLimits())

    /// The structs whose properties must all have a row or an exception.
    static let structs = [http, webSocket, server, world, journal, adapter, client, wire, har, observer, relay]
    /// The enums whose constants must all have a row or an exception, each with its file below `Sources`.
    static let namespaces = [
        "FaultLimits": "Server/Faults/FaultRule", "ScenarioLimits": "Server/Scenarios/Scenario",
        "ReplayLimits": "Traffic/Replay/ReplaySettings", "TLSLimits": "Platform/TLS/TLSContext",
        "MCPLimits": "Server/MCP/MCPServer", "ExploreLimits": "Clients/ContractSuite/Exploring/ExploreLimits",
    ]

    /// Limits that no input reaches or that another row covers, each with the reason.
    static let withoutRow = [
        "HTTP1.Limits.raisedBody": "it is the body of PUT /__admin/state",
        "WebSocket.Limits.message": "a server has ServerLimits.webSocketMessage",
        "MockServer.ServerLimits.verifiedTokens": "a cache: beyond it nothing is refused",
        "ScenarioLimits.builtInAnswerBytes": "what a built-in answer counts for",
        "ScenarioLimits.replaySpeed": "a range, in docs/options.md",
        "TLSLimits.names": "the certificates that serve makes have three names",
        "MCPLimits.json": "its depth and its bytes have a row",
        "TLSLimits.excerpt": "the length of an excerpt in a message",
    ]

    /// Rows whose third cell also contains limits.
    static let saysMoreBeyond: Set = ["connections"]
    static let statuses: Set<Quantity> = [.count(503)]

    static func rows() throws -> [String: [Limit]] {
        try connections.merging(data()) { $1 }.merging(scenarios) { $1 }.merging(judging()) { $1 }
            .merging(clients) { $1 }.merging(sessions) { $1 }.merging(exploring) { $1 }.merging(networks) { $1 }
    }

    private static let connections: [String: [Limit]] = [
        "request line": [http.bytes("requestLine")],
        "method name": [http.bytes("methodName")],
        "header block": [http.bytes("headerBlock"), http.count("fieldCount")],
        "request body": [http.bytes("body")],
        "chunk-size line, and empty lines before a request": [
            http.bytes("chunkLine"), http.count("leadingEmptyLines"),
        ],
        "pipelined requests waiting on a connection": [http.bytes("pipelined")],
        "time for a TLS handshake": [server.time("handshakeTime")],
        "time to receive a request's head; time to receive its body": [server.time("readTime")],
        "idle time of a keep-alive connection or a stalled reader": [server.time("idleTime")],
        "connections": [
            server.count("connections"),
            .count("descriptors beside connections", ServerLimits().descriptors - ServerLimits().connections),
            server.count("refusedConnections"),
        ],
        "WebSocket message": [server.bytes("webSocketMessage"), server.bytes("echoMessage")],
        "body of an upstream answer": [server.bytes("upstreamBody")],
        "exceptions per upstream in a scenario": [.count("ScenarioLimits.upstreamRules", ScenarioLimits.upstreamRules)],
        "stubs per scenario": [.count("ScenarioLimits.stubs", ScenarioLimits.stubs)],
        "changes per overlay; total size of their values as JSON": [
            .count("ScenarioLimits.changes", ScenarioLimits.changes),
            .bytes("ScenarioLimits.changeBytes", ScenarioLimits.changeBytes),
        ],
        "fixed tokens per scenario": [.count("ScenarioLimits.tokens", ScenarioLimits.tokens)],
        "free-form id in a scenario": [.count("ResourceID.longestFreeText", ResourceID.longestFreeText)],
        "fields in a scenario's answer": [.count("ScenarioLimits.fields", ScenarioLimits.fields)],
        "JSON body compressed with gzip": [.bytes("ContentCoding.longestBody", ContentCoding.longestBody)],
        "the server's compression window; the client's, if the client lets the server choose": [
            .bytes("MessageDeflater.keptBytes", MessageDeflater.keptBytes),
            .bytes("CompressionTerms.preferredClientBits", 1 << CompressionTerms.preferredClientBits),
        ],
        "final blocks in a compressed message": [
            .count("MessageInflater.mostFinalBlocks", MessageInflater.mostFinalBlocks)
        ],
        "unsent bytes before pongs are delayed": [webSocket.bytes("unsentBeforePongsWait")],
        "unsent bytes on a slow reader's socket": [server.bytes("unsentBytes")],
        "time for the client to answer the server's close frame": [server.time("closingTime")],
        "TLS bytes per connection: waiting to be sent; in protocol answers; not yet decrypted": [
            .bytes("TLSLimits.unsentCiphertext", TLSLimits.unsentCiphertext),
            .bytes("TLSLimits.answers", TLSLimits.answers),
            .bytes("TLSLimits.unreadCiphertext", TLSLimits.unreadCiphertext),
        ],
        "certificate, key or CA file": [.bytes("TLSLimits.pemFile", TLSLimits.pemFile)],
        "bytes buffered for all connections: unsent, arriving, or kept for long answers":
            [server.bytes("heldBytes")],
        "bytes in bodies that the server is converting to worlds and states; a single body is exempt": [
            .bytes("ServerLimits.jobBytes", ServerLimits().jobBytes)
        ],
        "bytes buffered for all echo sockets": [server.bytes("echoBytes")],
        "unsent bytes before the server stops reading from a connection": [
            server.bytes("unsentBytesBeforeReadingPauses")
        ],
        "time to stop after SIGTERM, SIGINT or SIGHUP": [server.time("shutdownTime")],
    ]

    private static func data() throws -> [String: [Limit]] {
        [
            "chat message": [
                .count("ClientFrame.maximumContentLength", ClientFrame.maximumContentLength),
                .bytes("ClientFrame.maximumContentByteCount", ClientFrame.maximumContentByteCount),
            ],
            "chat message over REST, initial message": [
                .count("SendMessageRequest.lengths", SendMessageRequest.lengths.upperBound),
                .bytes("ClientFrame.maximumContentByteCount", ClientFrame.maximumContentByteCount),
            ],
            "quick action in a new consultation": [
                .count("quickAction", 500), .bytes("BodyReader.maximumTextByteCount", 16 * 1024),
            ],
            "goal suggestions per request": [.count("SuggestGoalsRequest.limit", 10)],
            "unanswered messages per consultation": [world.count("waitingMessages")],
            "messages per consultation": [world.count("messages")],
            "active consultations per user": [world.count("activeConsultations")],
            "users": [world.count("users")],
            "goals per user": [world.count("goals")],
            "meal logs per user": [world.count("mealLogs")],
            "concurrent connections per user to `/ws/meal-logs`": [.count("MealSocket.open", 1)],
            "connections per user per minute to `/ws/meal-logs`": [world.count("mealSocketsPerMinute")],
            "time without a frame from the client on `/ws/meal-logs`": [
                .time("FitIQBackend.Limits.mealSocketIdle", FitIQBackend.Limits().mealSocketIdle)
            ],
            "meals per batch": [.count("CreateMealLogsRequest.maximumCount", CreateMealLogsRequest.maximumCount)],
            "notes on a meal log": try text(in: ["notes": "change"]),
            "notes on a meal photo, and in its confirmation": [
                .count("MealPhotoRequest.noteLengths", MealPhotoRequest.noteLengths.upperBound)
            ],
            "form or JSON body with a meal photo": [server.bytes("photoBody")],
            "parts in a form with a meal photo; head of a part": [
                .count("FormPart.mostParts", FormPart.mostParts), .bytes("FormPart.longestHead", FormPart.longestHead),
            ],
            "meal photos per user": [world.count("photos")],
            "name of a confirmed food; its unit": [
                .count("name", MealItem.nameLengths.upperBound),
                .count("unit", MealItem.unitLengths.upperBound),
                .bytes("BodyReader", 16 * 1024),
            ],
            "valid refresh tokens per account": [world.count("refreshTokens")],
            "account email": [.bytes("EmailAddress.bytes", EmailAddress.bytes)],
            "new password": [
                .count("RegisterRequest.passwordLengths", RegisterRequest.passwordLengths.upperBound),
                .bytes("BodyReader", 16 * 1024),
            ],
            "name in a profile; bio": [
                .count("name", ProfileDetails.nameLengths.upperBound),
                .count("bio", ProfileDetails.bioLengths.upperBound),
            ],
            "strings of up to 100 characters in a preference list": [
                .count("PreferenceLists.characters", PreferenceLists.characters.upperBound),
                .count("PreferenceLists.limit", PreferenceLists.limit),
            ],
            "documents per user and collection": [world.count("documents")],
            "document that an app sends": [
                .bytes("DocumentRequest.maximumBytes", DocumentRequest.maximumBytes),
                .count("DocumentRequest.limits.depth", DocumentRequest.limits.depth),
            ],
            "users with whom a workout template is shared": [world.count("shares")],
            "words and phrases in a journal search": [
                .count("DocumentListQuery.mostWords", DocumentListQuery.mostWords)
            ],
            "labels, and associations, in mood analytics": [.count("MoodAnalyticsQuery", largest(namesOfAnalytics))],
            "how far a mood entry's time may be ahead of the world's clock": [
                .time("DocumentRequest.graceOfMoods", .seconds(DocumentRequest.graceOfMoods))
            ],
            "stored users, consultations, messages, goals, meal logs, photos and documents":
                [world.bytes("storedBytes")],
            "stored data across all worlds, including the scenarios and faults sent to them": [
                server.bytes("storedBytes")
            ],
            "body of `PUT /__admin/state`": [server.bytes("stateBody")],
            "world state that `GET /__admin/state` returns": [server.bytes("stateBody")],
            "worlds, including the default world": [server.count("worlds"), server.time("worldIdleTime")],
            "world label": [.bytes("ServerLimits.labelBytes", ServerLimits.labelBytes)],
            "scenarios in a run's worlds, counted per guide": [
                .count("WorldRun.mostScenarios", WorldRun.mostScenarios)
            ],
            "idle time of a world created by `.fakeBackend()`, `verify`, `explore`, `scenario from` or `test-client`": [
                .time("ServerLimits.testedWorldIdleTime", ServerLimits.testedWorldIdleTime)
            ],
            "title, goal id, context id": try text(in: ["title": "goal", "goal_id": "id", "context_id": "id"]),
            "a goal's description": try text(in: ["description": "goal"]),
            "a goal's category; its type": try text(in: ["category": "goal", "goal_type": "app goal"]),
            "a goal's target unit": try text(in: ["target_unit": "app goal"]),
            "a goal's target value; its current value": [
                .count("GoalMeasure.targets", Int(GoalMeasure.targets.upperBound)),
                .count("GoalMeasure.values", Int(GoalMeasure.values.upperBound)),
            ],
            "a meal log's `raw_input`": try text(in: ["raw_input": "meal"]),
            "foods per meal log": [.count("MealParser.maximumItems", MealParser.maximumItems)],
            "`context` alongside `coach_type`": try text(in: ["context": "coach"]),
            "token": [
                .bytes(
                    "AccessToken",
                    largest { length in
                        do throws(Refusal) {
                            _ = try AccessToken.verify(String(repeating: "a", count: length), secret: [])
                            return true
                        } catch {
                            return !"\(error)".contains("more than 4,096 bytes")
                        }
                    }),
                .count("AccessToken.isUser", largest { AccessToken.isUser(String(repeating: "a", count: $0)) }),
                .bytes("AccessToken.userBytes", AccessToken.userBytes),
            ],
            "JSON": [.count("JSON.Limits.depth", BodyReader.limits.depth), .count("values", BodyReader.limits.values)],
        ]
    }

    private static func judging() throws -> [String: [Limit]] {
        [
            "all worlds' journals, including 256 bytes for each entry": [
                .bytes("Journal.entryWeight", Journal.entryWeight), server.bytes("journalBytes"),
            ],
            "ping that an operator sends": [.bytes("AdminLimits.pingBytes", AdminLimits.pingBytes)],
            "frame that an operator sends; body or frame that an operator changes": [server.bytes("webSocketMessage")],
            "admin API request that sends or changes a frame or body": [server.bytes("frameBody")],
            "close reason that an operator sends": [.bytes("AdminLimits.reasonBytes", AdminLimits.reasonBytes)],
            "how long an operator may silence a socket, on the world's clock": [
                .time("Engine.longestSilence", Engine.longestSilence)
            ],
            "Model Context Protocol message, and line on standard input": [
                .bytes("MCPLimits.message", MCPLimits.message), .count("MCPLimits.json.depth", MCPLimits.json.depth),
            ],
            "JSON in a tool's answer by default; with `max_bytes`": [
                .bytes("MCPLimits.answer", MCPLimits.answer),
                .count("MCPLimits.answers", MCPLimits.answers.upperBound),
            ],
            "scenario text that a tool loads": [.bytes("MCPLimits.scenario", MCPLimits.scenario)],
            "part of a resource": [.bytes("MCPLimits.resource", MCPLimits.resource)],
            "admin API answer that a tool reads": [.bytes("MCPCall.answerLimit", MCPCall.answerLimit)],
            "concurrent requests from a client on standard input": [.count("MCPLimits.requests", MCPLimits.requests)],
            "waiting requests per world": [.count("AdminLimits.waits", AdminLimits.waits)],
            "how long a request may wait": [.time("AdminLimits.longestWait", AdminLimits.longestWait)],
            "near misses listed for a failed wait; excerpt of each body": [
                .count("JournalLookout.mostMisses", JournalLookout.mostMisses),
                .bytes("JournalLookout.bodyLimit", JournalLookout.bodyLimit),
            ],
            "span over which `advance_until` moves a clock": [
                .time("ScenarioLimits.longestDuration", ScenarioLimits.longestDuration)
            ],
            "events listed as due": [.count("AdminLimits.due", AdminLimits.due)],
            "scheduled steps that the server sorts to list due events": [
                .count("Backend.mostSortedSteps", Backend.mostSortedSteps)
            ],
            "marks per world": [.count("Mark.most", Mark.most)],
            "mark name": [.bytes("Mark.nameBytes", Mark.nameBytes)],
            "one world's journal": [journal.count("entries"), journal.bytes("bytes")],
            "body or frame in the journal": [journal.bytes("body")],
            "line in a saved journal for `judge`": [
                .bytes("JournalReader.lineLimit", JournalReader.lineLimit),
                .count("JournalReader.depthLimit", JournalReader.depthLimit),
            ],
            "worlds in a saved journal for `judge`": [.count("JudgedFile.worldLimit", JudgedFile.worldLimit)],
            "entries from all runs in `--html`": [
                .count("ReportJournal.entryLimit", ReportJournal.entryLimit),
                .bytes("ReportJournal.byteLimit", ReportJournal.byteLimit),
            ],
            "list of known breaches": [.bytes("ReportOptions.knownBrokenLimit", ReportOptions.knownBrokenLimit)],
            "reported breaches per obligation": [.count("Findings.keptCount", Findings.keptCount)],
            "entry numbers kept for the other breaches": [.count("Findings.numberCount", Findings.numberCount)],
            "lines that `watch` keeps while it is paused": [.count("WatchScreen.heldLines", WatchScreen.heldLines)],
            "entries that `watch` remembers as matching its filter": [
                .count("WatchScreen.passedEntries", WatchScreen.passedEntries)
            ],
            "event that `watch` reads": [.bytes("EventStreamReader.eventLimit", EventStreamReader.eventLimit)],
            "line in the log or from `--watch-traffic`": [.bytes("LineOutput.limit", LineOutput.limit)],
            "GitHub annotations per level": [.count("GitHubAnnotations.limit", GitHubAnnotations.limit)],
            "users, sockets and ids that a judge remembers": [
                .count("RecentLimits.usual", Recent<Int, Int>().capacity),
                .count("RecentLimits.fewest", RecentLimits.fewest),
            ],
        ]
    }

    private static let clients: [String: [Limit]] = {
        let runner = LimitStruct(CaseRunner(on: EmptyStage()))
        return [
            "line to or from an adapter": [.bytes("AdapterLimits.lineBytes", AdapterLimits.lineBytes)],
            "time for an adapter to answer": [adapter.time("answerTime")],
            "time for an adapter to exit, and again after SIGTERM": [adapter.time("endTime")],
            "minimum duration of a case, on the system's clock": [runner.time("patience")],
            "idle time of the client and the world while a case waits, on the system's clock": [
                runner.time("grace"), .time("Idleness.pingTime", Idleness.pingTime),
            ],
            "requests after which `conform` starts no more cases": [
                .count("ConformPlay.requestLimit", ConformPlay.requestLimit)
            ],
            "`conform --pause`": [.time("ConformPlay.pauses", ConformPlay.pauses.upperBound)],
            "checks of a client and its world per case": [runner.count("stepLimit")],
            "time for a judged command to exit after SIGTERM": [.time("CommandChild.grace", CommandChild.grace)],
            "scenarios that `verify` runs at once": [.count("Verify.jobLimit", Verify.jobLimit)],
            "edited line in `chat` or `watch`; lines in the history": [
                .bytes("LineEditor.lineLimit", LineEditor.lineLimit),
                .count("LineEditor.historyLimit", LineEditor.historyLimit),
            ],
            "data that `FitIQClient` keeps": [
                client.count("transcriptLines"), client.count("templates"), client.count("goals"),
                client.count("meals"),
                client.count("problems"),
            ],
            "`FitIQClient` queues": [
                client.count("waitingMessages"), client.count("requests"),
                .count("ClientInbox.capacity", ClientInbox.capacity),
            ],
            "input to `FitIQClient`: body, WebSocket message, streamed answer": [
                wire.bytes("body"), wire.bytes("message"), client.bytes("answerBytes"),
            ],
            "`FitIQClient` connections; bytes queued per connection": [
                wire.count("connections"), wire.bytes("unsentBytes"),
            ],
        ]
    }()

    private static let sessions: [String: [Limit]] = [
        "a session file": [har.bytes("bytes"), har.count("entries"), har.count("values")],
        "body in a recording": [observer.bytes("body")],
        "WebSocket message in a recording": [observer.bytes("message")],
        "head of a recorded message": [observer.bytes("headerBlock"), observer.count("fieldCount")],
        "first line of a recorded message; pipelined requests": [
            observer.bytes("startLine"), observer.bytes("pipelined"),
        ],
        "bytes that a recorder holds for unfinished messages": [
            .bytes("SessionRecorder.Settings.heldBytes", SessionRecorder.Settings(creatorVersion: "").heldBytes)
        ],
        "entries listed in a note about a session": [.count("HARLosses.mostNamed", HARLosses.mostNamed)],
        "distinct secrets": [.count("SecretTable.mostSecrets", SecretTable.mostSecrets)],
        "a replayed session": [
            .count("ReplayLimits.entries", ReplayLimits.entries), .count("ReplayLimits.frames", ReplayLimits.frames),
            .bytes("ReplayLimits.bytes", ReplayLimits.bytes),
        ],
        "ids and tokens that a replay maps": [.count("ReplayLimits.bindings", ReplayLimits.bindings)],
        "id or e-mail address; token that a replay maps": [
            .bytes("ReplayLimits.valueLength", ReplayLimits.valueLength),
            .bytes("ReplayLimits.tokenLength", ReplayLimits.tokenLength),
        ],
        "ids, dates and tokens known from a recording": [
            .count("ReplayLimits.recordedValues", ReplayLimits.recordedValues)
        ],
        "unexpected requests, and unexpected frames, in a report": [.count("ReplayLimits.misses", ReplayLimits.misses)],
        "named differences": [.count("ReplayLimits.differences", ReplayLimits.differences)],
        "JSON text compared member by member": [.bytes("ReplayLimits.comparedBody", ReplayLimits.comparedBody)],
        "identical recorded requests tried for new ids; concurrent requests with `strict`": [
            .count("ReplayLimits.candidates", ReplayLimits.candidates),
            .count("ReplayLimits.concurrentRequests", ReplayLimits.concurrentRequests),
        ],
        "how many messages early a frame may arrive in lock-step; runs of frames on a triggered socket": [
            .count("ReplayLimits.framesAhead", ReplayLimits.framesAhead),
            .count("ReplayLimits.runs", ReplayLimits.runs),
        ],
        "wait between two events": [.time("ReplayLimits.longestWait", ReplayLimits.longestWait)],
        "connections through `record`": [.count("RecordCommand.connections", RecordCommand.connections)],
        "bytes queued for one side of `record`": [relay.bytes("unsentBytes")],
        "head of a request or an answer through `record`": [relay.bytes("headBytes"), relay.count("fieldCount")],
        "interim answers (1xx) to one request through `record`": [relay.count("interimAnswers")],
        "time to connect to the upstream, and for its TLS handshake; time to resolve its name at startup": [
            relay.time("connectTime")
        ],
        "time to wait for an answer's next byte": [relay.time("answerTime")],
        "time without a byte on a connection through `record`": [relay.time("idleTime")],
    ]

    /// The maximum numbers of characters and bytes in request texts, found by trial.
    private static func text(in fields: [String: String]) throws -> [Limit] {
        let found = fields.sorted { $0.key < $1.key }.map { field, kind in
            func accepts(_ text: String) -> Bool {
                var members =
                    switch kind {
                    case "goal": ["title": "a", "description": "", "targetDate": "2030-01-01T00:00:00Z"]
                    case "app goal": [:]
                    case "meal": ["meal_type": "lunch"]
                    case "coach": ["coach_type": "nutritionist"]
                    default: ["persona": "nutritionist", "context_type": field == "goal_id" ? "goal" : "mood"]
                    }
                members[field] = text
                let body = Array(
                    ("{" + members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}").utf8)
                return switch kind {
                case "goal": (try? CreateGoalRequest(body: body)) != nil
                case "app goal": (try? AppGoalRequest(body: body)) != nil
                case "meal": (try? CreateMealLogRequest(body: body)) != nil
                case "change": (try? UpdateMealLogRequest(body: body)) != nil
                default: (try? CreateConsultationRequest(body: body, in: .union)) != nil
                }
            }
            return [
                Limit.count(field, largest { accepts(String(repeating: "a", count: $0)) }),
                // Use few characters with many bytes: accents of two bytes each.
                Limit.bytes(
                    field,
                    2 * largest { $0 == 0 || accepts("aa" + String(repeating: "\u{301}", count: $0 - 1)) }),
            ]
        }
        let first = try #require(found.first)
        for other in found { #expect(other.map(\.quantity) == first.map(\.quantity), "\(fields)") }
        return first
    }

    private static func namesOfAnalytics(_ count: Int) -> Bool {
        let days = [("from", "2025-01-01"), ("to", "2025-01-31")]
        return ["top_labels_limit", "top_associations_limit"].allSatisfy {
            (try? MoodAnalyticsQuery(query: days + [($0, "\(count)")])) != nil
        }
    }

    /// The largest accepted number, if all smaller numbers except 0 are accepted.
    private static func largest(_ accepts: (Int) -> Bool) -> Int {
        var (accepted, refused) = (0, 1 << 20)
        while accepted + 1 < refused {
            let middle = (accepted + refused) / 2
            if accepts(middle) { accepted = middle } else { refused = middle }
        }
        return accepted
    }
}

/// A stage for a suite that has no cases.
private struct EmptyStage: Stage {
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Engine, Timestamp) throws -> Result
    ) async throws -> Result { throw CancellationError() }
}
