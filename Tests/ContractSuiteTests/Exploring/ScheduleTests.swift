import Faults
import FitIQAPI
import JSON
import Judging
import Scenarios
import Testing

@testable import ContractSuite

@Suite("Schedules")
struct ScheduleTests {
    /// One place of each kind, and for each kind of socket.
    static let places: [FaultPoint.Place] = [
        .request(.createGoal, 1), .request(.listMessages, 12), .handshake(.webSocket, 2), .handshake(.mealSocket, 1),
        .frame(.webSocket, connection: 1, type: "connected", 1),
        .frame(.mealSocket, connection: 2, type: "meal_log.completed", 3),
        .chunk(.webSocket, connection: 1, answer: 2, 3), .after(.webSocket, connection: 1, type: "stream_complete", 1),
        .after(.mealSocket, connection: 1, type: "connected", 1), .question(turn: 2),
        .question(turn: 1, asking: "How \"much\"? 2 l"), .meal(text: "2 eggs, \"fried\" & é"), .moment(seconds: 65),
        .request(.createConsultation, 1), .request(.listGoals, 1), .request(.createMealLog, 1),
    ]

    static let base = """
        name: base
        token_lifetime: 1h
        accounts: {access_token: 2h}
        answers: [{chunks: [Hello.]}]
        meals: [{fail: Nothing.}]
        overlay: [{on: GET /api/v1/goals, status: 200, member: data.region, value: eu-1}]
        faults:
          - {on: any, delay: 1s}
          - {name: reset-1, on: socket, lose: true}
        """

    @Test("A place parses only from its exact description", arguments: places)
    func descriptions(_ place: FaultPoint.Place) {
        let text = "\(place)"
        #expect(FaultPoint.Place(text) == place, "\(text)")
        for count in 0..<text.count { #expect(FaultPoint.Place(String(text.prefix(count))) != place) }
        for broken in [
            text + " ", " " + text, text + " 1", text.replacing(" ", with: "  "), text.replacing("1", with: "0"),
            text.replacing("1", with: "1000001"), text.replacing("1", with: "01"), text.replacing("/api", with: "/apo"),
            "x" + text, text.uppercased(),
        ] where broken != text { #expect(FaultPoint.Place(broken) == nil, "\(broken)") }
    }

    @Test("Every fault kind has a unique id and fits at least one place")
    func catalogue() {
        #expect(Set(FaultKind.all.map(\.id)).count == FaultKind.all.count)
        for kind in FaultKind.all {
            #expect(Self.places.contains(where: kind.fits), "\(kind.id)")
            for milder in kind.milder.map(FaultKind.named) {
                #expect((milder?.weight ?? .max) <= kind.weight, "\(kind.id)")
                #expect(Self.places.contains { kind.fits($0) && milder?.fits($0) ?? false }, "\(kind.id)")
            }
        }
        #expect(Set(FaultKind.all.map(\.family)) == Set(FaultKind.Family.allCases))
    }

    @Test("A restart fails only the next handshake, but an outage fails all later handshakes")
    func outages() throws {
        for (id, connections) in [("restart", 3), ("outage", "3..")] as [(String, JSONValue)] {
            let place = FaultPoint.Place.frame(.webSocket, connection: 2, type: "connected", 1)
            let rules = try Schedule.Fault(id, at: place).rules(named: "x")
            #expect(rules.count == 2 && rules.last?["on"] == "handshake /api/v1/consultations/{id}/ws")
            #expect(rules.last?["connections"] == connections && rules.last?["name"] == "x.2")
            #expect(rules.last?["status"] == 503 && rules.last?["retry_after"] == 1)
        }
    }

    @Test("A place's earlier places are the first, the middle and the previous place of the same kind")
    func earlierPlaces() {
        for (number, earlier) in [(1, []), (2, [1]), (3, [1, 2]), (4, [1, 2, 3]), (9, [1, 4, 8])] as [(Int, [Int])] {
            #expect(FaultPoint.Place.request(.listGoals, number).earlier.map(\.number) == earlier)
            let moments = FaultPoint.Place.moment(seconds: number).earlier.map(\.number)
            #expect(moments == Array(earlier.prefix(2)), "the second before is as good as the same")
        }
    }

    @Test("For every kind of fault at every place, a schedule's file parses to its scenario", arguments: places)
    func documents(_ place: FaultPoint.Place) throws {
        for text in ["name: base", Self.base] {
            let (base, json) = try Scenario.readWithJSON(text)
            let kinds = FaultKind.all.filter { $0.fits(place) }
            #expect(!kinds.isEmpty)
            for kind in kinds {
                for isBrief in [false, true] {
                    var schedule = Schedule(story: 0, faults: [Schedule.Fault(kind, at: place)])
                    schedule.isBrief = isBrief
                    let scenario = schedule.scenario(on: base)
                    #expect(try Scenario.read(json: schedule.document(on: json)) == scenario, "\(schedule)")
                    #expect(scenario != base)
                }
            }
        }
    }

    @Test("A client must ignore only a newer backend's additions, and only in modes whose guides say so")
    func harm() throws {
        func isHarmful(
            _ id: String, at place: FaultPoint.Place, in mode: GuideMode, isBrief: Bool = false
        ) throws -> Bool {
            var schedule = try Schedule(id, at: place)
            schedule.isBrief = isBrief
            return schedule.isHarmful(in: mode)
        }
        #expect(!Schedule(story: 0).isHarmful(in: .union))
        for mode in GuideMode.allCases {
            let frame = FaultPoint.Place.frame(.webSocket, connection: 1, type: "connected", 1)
            #expect(try isHarmful("lost", at: frame, in: mode))
            #expect(
                try isHarmful("unknown-type", at: frame, in: mode) == [.goalLinking, .mealLogWebSocket].contains(mode))
            #expect(try isHarmful("unknown-type", at: frame, in: mode, isBrief: true))
            for (id, endpoint, guide) in [
                ("unknown-persona", .createConsultation, .consultationWebSocket),
                ("unknown-goal-status", .listGoals, .goalLinking),
                ("unknown-meal-status", .createMealLog, .webSocketArchitecture),
            ] as [(String, Endpoint, GuideMode)] {
                #expect(try isHarmful(id, at: .request(endpoint, 1), in: mode) == (mode != guide))
            }
            // No guide says what the apps ignore on their socket.
            let meals = FaultPoint.Place.frame(.mealSocket, connection: 1, type: "connected", 1)
            #expect(try isHarmful("unknown-type", at: meals, in: mode))
        }
    }

    @Test("A kind that changes all responses of an endpoint fits only its first request")
    func endpointWide() throws {
        let kind = try #require(FaultKind.named("unknown-goal-status"))
        #expect(kind.fits(.request(.listGoals, 1)))
        #expect(!kind.fits(.request(.listGoals, 2)) && !kind.fits(.request(.createGoal, 1)))
        #expect(!kind.fits(.handshake(.webSocket, 1)))
    }

    @Test("Several faults in one file have distinct names")
    func together() throws {
        let (base, json) = try Scenario.readWithJSON(Self.base)
        var schedule = Schedule(story: 0)
        for (id, place) in [
            ("reset", Self.places[4]), ("coach-error", .question(turn: 1)), ("expired", .moment(seconds: 65)),
        ] { schedule.faults.append(try Schedule.Fault(id, at: place)) }
        let scenario = schedule.scenario(on: base)
        #expect(scenario.faults.map(\.name) == ["fault-1", "reset-1", "reset-1'"])
        #expect(scenario.script.answers.count == 2 && scenario.script.answers[1] == base.script.answers[0])
        #expect(scenario.tokenLifetime == 65_000_000_000)
        #expect(scenario.rules.accounts?.accessLifetime == 65_000_000_000)
        #expect(try Scenario.read(json: schedule.document(on: json)) == scenario)
        let reset = "reset@frame /api/v1/consultations/{id}/ws 1 connected 1"
        #expect(schedule.description == reset + " + coach-error@question 1 + expired@moment 65s")
    }

    @Test("A schedule has at most two faults, at different places")
    func limits() throws {
        var schedule = Schedule(story: 0)
        for number in 1...ExploreLimits.faults {
            schedule = try #require(schedule.adding(Schedule.Fault("status-503", at: .request(.listGoals, number))))
        }
        #expect(try schedule.adding(Schedule.Fault("status-503", at: .request(.listGoals, 4))) == nil)
        let one = try Schedule("status-503", at: .request(.listGoals, 1))
        #expect(try one.adding(Schedule.Fault("status-401", at: .request(.listGoals, 1))) == nil)
        #expect(try one.adding(Schedule.Fault("status-401", at: .request(.createGoal, 1))) != nil)
        let expiry = try Schedule("expired", at: .moment(seconds: 1))
        #expect(try expiry.adding(Schedule.Fault("expired", at: .moment(seconds: 2))) == nil)
    }

    @Test("A world at its rule limit has room for any schedule")
    func room() throws {
        var base = Scenario()
        base.faults = (1...ExploreLimits.rulesOfScenario).map {
            FaultRule(name: ExactString("r\($0)"), fault: .response(.hang, on: []))
        }
        let faults = try (1...ExploreLimits.faults).map {
            try Schedule.Fault("restart", at: .frame(.webSocket, connection: $0, type: "connected", 1))
        }
        let scenario = Schedule(story: 0, faults: faults).scenario(on: base)
        #expect(scenario.faults.count == FaultLimits.rules)
        // An invalid book would trap.
        _ = FaultBook(rules: scenario.faults)
    }

    @Test("A schedule describes and applies waits that differ from the default")
    func waits() throws {
        var fault = try Schedule.Fault("slow", at: .request(.listGoals, 1))
        #expect(fault.description == "slow@GET /api/v1/goals 1")
        fault.wait = .seconds(1)
        #expect(fault.description == "slow(1s)@GET /api/v1/goals 1")
        var late = try Schedule.Fault("late", at: fault.place)
        #expect(late.wait == Schedule.lateness)
        late.wait = .seconds(45)
        let faults = Schedule(story: 0, faults: [late]).scenario(on: Scenario()).faults.map(\.fault)
        #expect(faults == [.response(.delay(45_000_000_000), on: [.listGoals])])
        #expect(fault.rules(named: "x") == [["name": "x", "on": "GET /api/v1/goals", "requests": 1, "delay": "1s"]])
    }
}
