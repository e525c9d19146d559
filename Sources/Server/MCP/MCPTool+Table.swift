import JSON
import Scenarios
import Text

extension MCPTool {
    static let all = [
        worlds, scenarios, faults, clock, traffic, explain, verdicts, verify, explore, sockets, wait, state,
    ]

    private static let world = MCPField.text("world", "id of a world; the default one if absent")
    private static let conditions: [MCPField] = [
        .text("method"), .text("path", "a path; * for any segment"), .text("status", "404, 4xx"), .text("endpoint"),
        .text("user"), .integer("connection"),
        .words("kind", "exchange", "opened", "frame", "closed", "fault", "clock", "note", "held", "released"),
        .words("direction", "client_to_server", "server_to_client"), .text("type", "a frame's type"),
        .text("text", "contained in a body or frame"), .flag("unmatched"),
    ]

    private static let worlds = MCPTool(
        name: "world",
        summary: "Worlds are isolated backends with data, clock, faults and journal. make answers url and token for a "
            + "client. mark and rewind go back in time; fork copies; reset starts over.",
        input: [
            .words("action", "list", "show", "make", "reset", "fork", "mark", "marks", "rewind", "delete").needed,
            world,
            .any("scenario", ["string", "object"], "a built-in name, or a scenario as JSON"), .integer("seed"),
            .text("guide"), .words("clock", "real", "manual"), .text("label", "shown with the world"),
            .text("name", "of the mark to set"),
            .text("to", "the mark to rewind to"),
        ],
        output: [.list("worlds"), .text("id"), .text("url"), .text("token"), .list("marks")], isDestructive: true,
        list: "worlds"
    ) { arguments in
        let settings = ["scenario", "seed", "guide", "clock", "label"]
        switch arguments.action {
        case "list": return .admin("GET", "worlds")
        case "make": return .admin("POST", "worlds", arguments.picking(settings))
        case "show": return .admin("GET", "worlds/" + arguments.worldID)
        case "delete": return .admin("DELETE", "worlds/" + arguments.worldID)
        case "marks": return .admin("GET", arguments.inWorld("marks"))
        case "mark": return .admin("POST", arguments.inWorld("marks"), arguments.picking(["name"]))
        case "rewind": return .admin("POST", arguments.inWorld("rewind"), arguments.picking(["to"]))
        case let action: return .admin("POST", arguments.inWorld(action), arguments.picking(settings))
        }
    }

    private static let scenarios = MCPTool(
        name: "scenario",
        summary:
            "Scenarios: data and faults of a world. list and show the built-in ones, check the text of your own (YAML "
            + "or JSON), load one into a world, which starts over.",
        input: [
            .words("action", "list", "show", "check", "load").needed, .text("name", "of a built-in one"),
            .text("text", "a scenario file; its schema is fitiq-mock://scenario-schema"), world,
        ],
        output: [.list("scenarios"), .text("yaml"), .flag("ok"), .list("mistakes"), .text("id")], isDestructive: true,
        list: "scenarios"
    ) { arguments throws(MCPRefusal) in
        switch arguments.action {
        case "list": return .admin("GET", "scenarios")
        case "check": return .admin("POST", "check", ["text": .string(try arguments.text("text"))])
        case "show":
            let name = try arguments.text("name")
            guard let text = Scenario.builtInText(named: name) else { throw MCPRefusal(Scenario.unknownBuiltIn(name)) }
            return .known(["name": .string(name), "yaml": .string(text)])
        default:
            guard arguments["name"] == nil else {
                return .admin("POST", arguments.inWorld("reset"), ["scenario": .string(try arguments.text("name"))])
            }
            let text = try arguments.text("text")
            guard text.utf8.count <= MCPLimits.scenario else {
                throw MCPRefusal(MCPMessages.longScenario(text.utf8.count))
            }
            do throws(ScenarioErrors) {
                let scenario = try JSONValue(yaml: Array(text.utf8))
                return .admin("POST", arguments.inWorld("reset"), ["scenario": scenario])
            } catch {
                throw MCPRefusal(error.description)
            }
        }
    }

    private static let faults = MCPTool(
        name: "fault",
        summary: """
            Make things go wrong, now, for connected clients. set adds a rule such as {"on": "GET /api/v1/goals", \
            "status": 503, "requests": "1..2"} or {"on": "socket", "at": {"chunk": 2}, "drop": "reset"}; network takes a \
            profile. Words: fitiq-mock://scenario-schema.
            """,
        input: [
            .words("action", "list", "set", "enable", "disable", "clear", "network").needed, .object("fault"),
            .text("name", "of a rule; clear needs none to clear all"),
            .any(
                "network", ["string", "object", "null"], "offline, 3g, edge, lte, train, …; an object; null for none"),
            world,
        ],
        output: [.list("faults"), .text("name"), .any("network")], isDestructive: true, list: "faults"
    ) { arguments throws(MCPRefusal) in
        switch arguments.action {
        case "list": return .admin("GET", arguments.inWorld("faults"))
        case "set": return .admin("POST", arguments.inWorld("faults"), try arguments.required("fault"))
        case "network":
            guard let network = arguments["network"] else { return .admin("GET", arguments.inWorld("network")) }
            return .admin("PUT", arguments.inWorld("network"), ["network": network])
        case let action:
            if action == "clear", arguments["name"] == nil { return .admin("DELETE", arguments.inWorld("faults")) }
            let path = arguments.inWorld("faults/" + PercentCoding.encoded(try arguments.text("name")))
            guard action != "clear" else { return .admin("DELETE", path) }
            return .admin("PATCH", path, ["enabled": .bool(action == "enable")])
        }
    }

    private static let clock = MCPTool(
        name: "clock",
        summary: "Without arguments, shows a world's time and what is due. Otherwise moves a manual clock; due events "
            + "happen at their times.",
        input: [
            .text("advance", "a duration: 90s"), .text("advance_to", "a time"),
            .object("advance_until", "conditions as in wait"), .text("within"), world,
        ],
        output: [.text("mode"), .text("now"), .list("due"), .object("entry")], list: "due"
    ) { arguments in
        let body = arguments.picking(["advance", "advance_to", "advance_until", "within"])
        guard body != .object([:]) else { return .admin("GET", arguments.inWorld("clock")) }
        return .admin("POST", arguments.inWorld("clock"), body)
    }

    private static let traffic = MCPTool(
        name: "traffic",
        summary: "Lists what clients sent and got, newest first, in short. With number, shows one whole entry with "
            + "its bodies.",
        input: [.integer("number"), .integer("since"), .integer("limit"), world] + conditions,
        output: [.list("entries"), .integer("last_number"), .object("entry")], isReadOnly: true, list: "entries",
        pagesByNumber: true
    ) { arguments in
        if let number = arguments["number"]?.int { return .admin("GET", arguments.inWorld("entries/\(number)")) }
        var query = arguments.picking(conditions.map(\.name) + ["since", "limit"]).object ?? [:]
        query["before"] = arguments["cursor"]
        query["limit"] = query["limit"] ?? JSONValue(integerLiteral: entriesAtOnce)
        let path = query.reduce(into: arguments.inWorld("entries")) { path, item in
            path += path.contains("?") ? "&" : "?"
            path += "\(item.key)=\(PercentCoding.encoded(item.value.string ?? item.value.description))"
        }
        return .admin("GET", path)
    }

    private static let explain = MCPTool(
        name: "explain",
        summary: "Explains an entry: the refusal, the fault rules that acted, the nearest endpoints, and the "
            + "obligations that it breaks.",
        input: [.integer("number").needed, world],
        output: [.list("because"), .object("entry"), .list("faults"), .list("broken")], isReadOnly: true
    ) { arguments throws(MCPRefusal) in
        .admin("GET", arguments.inWorld("entries/\(try arguments.required("number"))"))
    }

    private static let verdicts = MCPTool(
        name: "verdicts",
        summary: "Lists the obligations that a world's client has broken so far, each with the first evidence, "
            + "entries for traffic and explain, and how to fix it.",
        input: [world],
        output: [.text("summary"), .object("counts"), .list("broken"), .flag("has_connected")], isReadOnly: true,
        list: "broken"
    ) { arguments in .admin("GET", arguments.inWorld("verdicts?summary=true")) }

    private static let verify = MCPTool(
        name: "verify",
        summary:
            "Runs the operator's command once in each scenario, in worlds of its own, and judges it. Takes as long as "
            + "the command does.",
        input: [
            .list("scenarios", "built-in names or files; default"), .flag("all"), .integer("seed"), .text("guide"),
            .text("time_limit", "of one run: 60s"), .integer("jobs"),
        ],
        output: [
            .text("summary"), .integer("exit_code"), .object("counts"), .list("broken"), .list("failed_checks"),
        ],
        runsCommand: true, list: "broken"
    ) { arguments in
        let names = arguments["scenarios"]?.array?.compactMap(\.string) ?? []
        let all = arguments["all"] == true ? [MCPArguments.option("all")] : []
        let options = arguments.options(["seed", "guide", "time_limit", "jobs"])
        return .run(["verify"] + names.map { MCPArguments.option("scenario", $0) } + all + options)
    }

    private static let explore = MCPTool(
        name: "explore",
        summary:
            "Looks for the smallest faults that break the operator's command, by running it again and again. Each one "
            + "found is a scenario file that verify plays. Takes minutes: give a budget.",
        input: [
            .text("scenario"), .text("budget", "60s, 5m"), .integer("runs"), .integer("seed"),
            .text("only", "a family of faults"), .text("guide"), .text("time_limit"), .integer("jobs"),
        ],
        output: [
            .text("summary"), .integer("exit_code"), .list("found"), .list("broken"), .object("exploration"),
        ],
        runsCommand: true, list: "found"
    ) { arguments in
        let names = ["scenario", "budget", "runs", "seed", "only", "guide", "time_limit", "jobs"]
        return .run(["explore"] + arguments.options(names))
    }

    private static let sockets = MCPTool(
        name: "socket",
        summary: "Open WebSockets by connection: send a message to the client, close, cut, silence, hold frames until "
            + "released. body, as the admin API takes it: send {text | json | template, members}; close {code, reason}; hold "
            + "{hold: client_to_server|server_to_client|both, at: {type}}; release, all or one held, {action: continue|step|change|drop|answer, …}.",
        input: [
            .words(
                "action", "list", "show", "send", "close", "finish", "reset", "silence", "resume", "hold", "held",
                "release"
            ).needed, .integer("connection"), .integer("held"), .object("body"),
            world,
        ],
        output: [.list("sockets"), .integer("connection"), .text("state"), .any("held")], isDestructive: true,
        list: "sockets"
    ) { arguments throws(MCPRefusal) in
        let body = arguments["body"] ?? [:]
        switch arguments.action {
        case "list": return .admin("GET", arguments.inWorld("sockets"))
        case "held": return .admin("GET", arguments.inWorld("held"))
        case "release":
            let one = arguments["held"]?.int.map { "/\($0)" } ?? ""
            return .admin("POST", arguments.inWorld("held" + one), body)
        case "hold":
            var rule: JSONObject = ["on": "socket", "hold": "both"]
            for (key, value) in body.object ?? [:] { rule[key] = value }
            rule["connection"] = arguments["connection"]
            return .admin("POST", arguments.inWorld("breakpoints"), .object(rule))
        case let action:
            let path = arguments.inWorld("sockets/\(try arguments.required("connection"))")
            return action == "show" ? .admin("GET", path) : .admin("POST", path + "/" + action, body)
        }
    }

    private static let wait = MCPTool(
        name: "wait",
        summary:
            "Waits for the first entry that matches; since includes past ones. Fails with the nearest misses, unless "
            + "it is optional. Waits 5s, or within: at most 10m.",
        input: [
            .object("for", "", conditions + [.object("json", "members by path: {\"data.status\": \"completed\"}")])
                .needed,
            .text("within"), .any("since", ["integer", "string"], "last_number of an earlier answer, or now"),
            .flag("optional"), world,
        ],
        output: [.any("entry", ["object", "null"]), .integer("last_number")], isReadOnly: true
    ) { arguments in
        .admin("POST", arguments.inWorld("wait"), arguments.picking(["for", "within", "since", "optional"]))
    }

    private static let state = MCPTool(
        name: "state", summary: "All data of a world as a scenario: export it, or import one in its place.",
        input: [.words("action", "export", "import").needed, .object("state"), world],
        output: [.text("name"), .list("users"), .text("id")], isDestructive: true
    ) { arguments throws(MCPRefusal) in
        guard arguments.action == "import" else { return .admin("GET", arguments.inWorld("state")) }
        return .admin("PUT", arguments.inWorld("state"), try arguments.required("state"))
    }
}
