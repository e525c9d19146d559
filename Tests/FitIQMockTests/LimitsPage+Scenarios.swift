import Deflate
import JSON
import Patterns
import TLS
import Testing

@testable import ContractSuite
@testable import Faults
@testable import FitIQAPI
@testable import FitIQBackend
@testable import FitIQClient
@testable import HTTP1
@testable import Judging
@testable import MockServer
@testable import Nutrition
@testable import Proxy
@testable import Replay
@testable import Scenarios
@testable import Traffic
@testable import WebSocket
@testable import fitiq_mock

extension LimitsPage {
    static let scenarios: [String: [Limit]] = [
        "scenario file": [
            .bytes("ScenarioLimits.fileBytes", ScenarioLimits.fileBytes),
            .count("ScenarioLimits.nodes", ScenarioLimits.nodes), .count("ScenarioLimits.depth", ScenarioLimits.depth),
        ],
        "text repeated by aliases in a scenario file": [
            .bytes("ScenarioLimits.repeatedBytes", ScenarioLimits.repeatedBytes)
        ],
        "`%TAG` directives per scenario file": [.count("ScenarioLimits.directives", ScenarioLimits.directives)],
        "scenario file in JSON, such as an export": [
            .count("ScenarioLimits.valuesOfJSON", ScenarioLimits.valuesOfJSON)
        ],
        "state file for `--import`": [
            .bytes("Scenario.largestState", Scenario.largestState),
            .count("Scenario.largestStateValues", Scenario.largestStateValues),
        ],
        "state file for `--state`": [.bytes("StateFile.largest", StateFile.largest)],
        "reported mistakes per scenario": [.count("ScenarioLimits.mistakes", ScenarioLimits.mistakes)],
        "users per scenario; goals, consultations and meal logs per user": [
            .count("ScenarioLimits.users", ScenarioLimits.users), .count("ScenarioLimits.goals", ScenarioLimits.goals),
            .count("ScenarioLimits.consultations", ScenarioLimits.consultations),
            .count("ScenarioLimits.mealLogs", ScenarioLimits.mealLogs),
        ],
        "meal photos per user in a scenario; suggestions per failed meal": [
            .count("ScenarioLimits.photos", ScenarioLimits.photos),
            .count("MealLogFailure.mostSuggestions", MealLogFailure.mostSuggestions),
        ],
        "documents per user and collection in a scenario; users with whom a document is shared": [
            .count("ScenarioLimits.documents", ScenarioLimits.documents),
            .count("ScenarioLimits.shares", ScenarioLimits.shares),
        ],
        "active consultations per user in a scenario; messages per consultation; foods per meal": [
            .count("ScenarioLimits.activeConsultations", ScenarioLimits.activeConsultations),
            .count("ScenarioLimits.messages", ScenarioLimits.messages),
            .count("ScenarioLimits.items", ScenarioLimits.items),
        ],
        "all passwords in a scenario": [.count("ScenarioLimits.passwordWork", ScenarioLimits.passwordWork)],
        "iterations per password": [.count("PasswordHash.costs", PasswordHash.costs.upperBound)],
        "answer rules, and meal rules": [.count("ScenarioLimits.rules", ScenarioLimits.rules)],
        "matching steps per character, in all answer rules or all meal rules; characters that rules read": [
            .count("ScenarioLimits.matchingSteps", ScenarioLimits.matchingSteps),
            .count("SearchedText.maximumLength", SearchedText.maximumLength),
        ],
        "named pauses": [.count("ScenarioLimits.pauses", ScenarioLimits.pauses)],
        "steps per answer": [
            .count("ScenarioLimits.steps", ScenarioLimits.steps),
            .bytes("ScenarioLimits.answerBytes", ScenarioLimits.answerBytes),
        ],
        "assistant or system text; other texts": [
            .bytes("ScenarioLimits.messageBytes", ScenarioLimits.messageBytes),
            .bytes("ScenarioLimits.textBytes", ScenarioLimits.textBytes),
        ],
        "session path": [.bytes("ScenarioLimits.sessionPath", ScenarioLimits.sessionPath)],
        "duration in a scenario": [.time("ScenarioLimits.longestDuration", ScenarioLimits.longestDuration)],
        "faults": [.count("FaultLimits.rules", FaultLimits.rules)],
        "fault name": [.bytes("FaultLimits.ruleName", FaultLimits.ruleName)],
        "wait in a fault": [.time("FaultLimits.longestWait", FaultLimits.longestWait)],
        "status in a fault's answer": [
            .count("FaultLimits.statuses", FaultLimits.statuses.lowerBound),
            .count("FaultLimits.statuses", FaultLimits.statuses.upperBound),
        ],
        "`Retry-After` in a fault": [.time("FaultLimits.retryAfter", .seconds(FaultLimits.retryAfter))],
        "error in a `Content-Length`, in either direction": [
            .bytes("FaultLimits.contentLengthError", FaultLimits.contentLengthError)
        ],
        "fragments per message; messages per frame": [
            .count("FaultLimits.fragments", FaultLimits.fragments),
            .count("FaultLimits.coalesced", FaultLimits.coalesced),
        ],
        "text waiting to be sent in a single frame": [.bytes("FaultLimits.waitingBytes", FaultLimits.waitingBytes)],
        "pieces per dribbled response": [.count("FaultLimits.pieces", FaultLimits.pieces)],
        "close reason": [.bytes("FaultLimits.closeReason", FaultLimits.closeReason)],
        "held requests, responses and frames per world": [.count("FaultLimits.held", FaultLimits.held)],
        "bytes of messages waiting behind a held message": [server.bytes("heldFrameBytes")],
        "how long a request, response or frame is held": [
            .time("FaultLimits.holdTime", FaultLimits.holdTime),
            .time("FaultLimits.shortestHold", FaultLimits.shortestHold),
            .time("FaultLimits.longestWait", FaultLimits.longestWait),
        ],
        "text that a breakpoint searches for": [.bytes("FaultLimits.holdText", FaultLimits.holdText)],
        "controller name": [.bytes("FaultLimits.controllerName", FaultLimits.controllerName)],
        "how long faults may hold back a connection's output": [.time("Engine.longestHold", Engine.longestHold)],
        "how long a fault may hang or stay silent": [.time("FaultLimits.hang", FaultLimits.hang)],
        "requests per quota": [
            .count("FaultLimits.quotaRequests", FaultLimits.quotaRequests),
            .time("FaultLimits.longestWindow", FaultLimits.longestWindow),
        ],
        "replacement body or frame in a fault": [.bytes("FaultLimits.replacementBody", FaultLimits.replacementBody)],
    ]
}
