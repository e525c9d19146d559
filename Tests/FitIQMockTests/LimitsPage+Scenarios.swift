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
        "text that aliases repeat in a scenario file": [
            .bytes("ScenarioLimits.repeatedBytes", ScenarioLimits.repeatedBytes)
        ],
        "`%TAG` in a scenario file": [.count("ScenarioLimits.directives", ScenarioLimits.directives)],
        "scenario file that is JSON, as exports are": [
            .count("ScenarioLimits.valuesOfJSON", ScenarioLimits.valuesOfJSON)
        ],
        "state file of `--import`": [
            .bytes("Scenario.largestState", Scenario.largestState),
            .count("Scenario.largestStateValues", Scenario.largestStateValues),
        ],
        "state file of `--state`": [.bytes("StateFile.largest", StateFile.largest)],
        "reported mistakes of a scenario": [.count("ScenarioLimits.mistakes", ScenarioLimits.mistakes)],
        "users in a scenario; goals, consultations and meal logs of a user": [
            .count("ScenarioLimits.users", ScenarioLimits.users), .count("ScenarioLimits.goals", ScenarioLimits.goals),
            .count("ScenarioLimits.consultations", ScenarioLimits.consultations),
            .count("ScenarioLimits.mealLogs", ScenarioLimits.mealLogs),
        ],
        "meal photos of a user in a scenario; suggestions of a failed meal": [
            .count("ScenarioLimits.photos", ScenarioLimits.photos),
            .count("MealLogFailure.mostSuggestions", MealLogFailure.mostSuggestions),
        ],
        "documents of a user in a collection in a scenario; users who share one": [
            .count("ScenarioLimits.documents", ScenarioLimits.documents),
            .count("ScenarioLimits.shares", ScenarioLimits.shares),
        ],
        "active consultations of a user in a scenario, messages of a consultation, foods of a meal": [
            .count("ScenarioLimits.activeConsultations", ScenarioLimits.activeConsultations),
            .count("ScenarioLimits.messages", ScenarioLimits.messages),
            .count("ScenarioLimits.items", ScenarioLimits.items),
        ],
        "all passwords of a scenario": [.count("ScenarioLimits.passwordWork", ScenarioLimits.passwordWork)],
        "iterations for a password": [.count("PasswordHash.costs", PasswordHash.costs.upperBound)],
        "rules for answers, and for meals": [.count("ScenarioLimits.rules", ScenarioLimits.rules)],
        "matching steps for a character, in all rules for answers or meals; characters that rules read": [
            .count("ScenarioLimits.matchingSteps", ScenarioLimits.matchingSteps),
            .count("SearchedText.maximumLength", SearchedText.maximumLength),
        ],
        "names for pauses": [.count("ScenarioLimits.pauses", ScenarioLimits.pauses)],
        "steps of an answer": [
            .count("ScenarioLimits.steps", ScenarioLimits.steps),
            .bytes("ScenarioLimits.answerBytes", ScenarioLimits.answerBytes),
        ],
        "assistant or system text; other texts": [
            .bytes("ScenarioLimits.messageBytes", ScenarioLimits.messageBytes),
            .bytes("ScenarioLimits.textBytes", ScenarioLimits.textBytes),
        ],
        "path of a session": [.bytes("ScenarioLimits.sessionPath", ScenarioLimits.sessionPath)],
        "duration in a scenario": [.time("ScenarioLimits.longestDuration", ScenarioLimits.longestDuration)],
        "faults": [.count("FaultLimits.rules", FaultLimits.rules)],
        "name of a fault": [.bytes("FaultLimits.ruleName", FaultLimits.ruleName)],
        "wait of a fault": [.time("FaultLimits.longestWait", FaultLimits.longestWait)],
        "status in a fault's answer": [
            .count("FaultLimits.statuses", FaultLimits.statuses.lowerBound),
            .count("FaultLimits.statuses", FaultLimits.statuses.upperBound),
        ],
        "`Retry-After` of a fault": [.time("FaultLimits.retryAfter", .seconds(FaultLimits.retryAfter))],
        "error of a `Content-Length`, either way": [
            .bytes("FaultLimits.contentLengthError", FaultLimits.contentLengthError)
        ],
        "fragments of a message; messages in one frame": [
            .count("FaultLimits.fragments", FaultLimits.fragments),
            .count("FaultLimits.coalesced", FaultLimits.coalesced),
        ],
        "text that waits to be sent in one frame": [.bytes("FaultLimits.waitingBytes", FaultLimits.waitingBytes)],
        "pieces of a dribbled response": [.count("FaultLimits.pieces", FaultLimits.pieces)],
        "reason of a close frame": [.bytes("FaultLimits.closeReason", FaultLimits.closeReason)],
        "held requests, responses and frames in a world": [.count("FaultLimits.held", FaultLimits.held)],
        "bytes of the messages behind a held message": [server.bytes("heldFrameBytes")],
        "time until a held request, response or frame continues": [
            .time("FaultLimits.holdTime", FaultLimits.holdTime),
            .time("FaultLimits.shortestHold", FaultLimits.shortestHold),
            .time("FaultLimits.longestWait", FaultLimits.longestWait),
        ],
        "text that a breakpoint looks for": [.bytes("FaultLimits.holdText", FaultLimits.holdText)],
        "name of a controller": [.bytes("FaultLimits.controllerName", FaultLimits.controllerName)],
        "time for which faults hold back a connection's output": [.time("Engine.longestHold", Engine.longestHold)],
        "time for which a fault hangs or stays silent": [.time("FaultLimits.hang", FaultLimits.hang)],
        "requests of a quota": [
            .count("FaultLimits.quotaRequests", FaultLimits.quotaRequests),
            .time("FaultLimits.longestWindow", FaultLimits.longestWindow),
        ],
        "replacement body or frame of a fault": [
            .bytes("FaultLimits.replacementBody", FaultLimits.replacementBody)
        ],
    ]
}
