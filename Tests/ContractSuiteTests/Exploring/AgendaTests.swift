import FitIQAPI
import Judging
import Testing

@testable import ContractSuite

@Suite("Agendas")
struct AgendaTests {
    /// The reference client's stories without faults.
    private static func stories(_ indices: [Int] = [0, 2]) async throws -> [Points] {
        var stories: [Points] = []
        for index in indices { stories.append(try await Schedule(story: index).play().points) }
        return stories
    }

    /// All schedules that an agenda proposes if every fault takes effect and leads to these points.
    private func all(_ agenda: inout Agenda, most: Int = 5000, bringing points: [FaultPoint] = []) -> [Schedule] {
        var all: [Schedule] = []
        while all.count < most, let schedule = agenda.deal() {
            agenda.learn(points, acted: Set(schedule.faults.indices), of: schedule)
            all.append(schedule)
        }
        return all
    }

    private static let brought = [
        FaultPoint(.request(.listMessages, 90), in: Situation()),
        FaultPoint(.handshake(.webSocket, 90), in: Situation()),
        FaultPoint(.frame(.webSocket, connection: 90, type: "connected", 1), in: Situation()),
    ]

    @Test("The agenda tries each fault kind once per story at each group of equal points")
    func singles() async throws {
        let stories = try await Self.stories()
        var agenda = Agenda(stories: stories, seed: 1)
        let dealt = all(&agenda)
        var expected: Set<[UInt64]> = []
        for (story, points) in stories.enumerated() {
            for point in points.all {
                for kind in FaultKind.all where kind.fits(point.place) {
                    expected.insert([UInt64(story), point.likeness(for: kind), kind.id.utf8.fnv1a])
                }
            }
        }
        #expect(dealt.count == expected.count && agenda.counts.singles == dealt.count)
        #expect(Set(dealt).count == dealt.count)
        #expect(dealt.allSatisfy { $0.faults.count == 1 })
        var thorough = Agenda(stories: stories, seed: 1, isThorough: true)
        let more = all(&thorough)
        #expect(more.count == dealt.count + agenda.counts.equal && agenda.counts.equal > 0)
        #expect(Set(more).count == more.count && thorough.counts.equal == 0)
    }

    @Test("The seed determines the order of schedules within a rank")
    func order() async throws {
        let stories = try await Self.stories()
        let dealt = ([1, 1, 2] as [UInt64]).map { seed -> [Schedule] in
            var agenda = Agenda(stories: stories, seed: seed)
            return all(&agenda)
        }
        #expect(dealt[0] == dealt[1])
        #expect(dealt[0] != dealt[2] && Set(dealt[0]) == Set(dealt[2]))
        // Each time that a fault kind is repeated on a route, it moves back by two ranks.
        var layers: [UInt64: Int] = [:]
        let turns = dealt[0].map { schedule in
            let kind = schedule.faults[0].kind
            let route = kind.id.utf8.fnv1a.mixed(with: schedule.faults[0].place.route)
            layers[route, default: 0] += 1
            return kind.rank + 2 * (layers[route, default: 0] - 1)
        }
        #expect(turns == turns.sorted() && turns.contains(5))
        #expect(Set(dealt[0].prefix(2).map(\.story)) == [0, 1])
    }

    @Test("A schedule on the system clock drops one rank each time its duration doubles")
    func patience() async throws {
        let stories = try await Self.stories([0])
        // A run without faults takes two seconds, so silence is cut off after eight seconds.
        let patience = RunPatience([.seconds(3), .milliseconds(1200)], timeLimit: nil)
        func delay(_ id: String, hasLasted: Bool = false) throws -> Int {
            patience.delay(of: try #require(FaultKind.named(id)), hasLasted: hasLasted)
        }
        #expect(patience.own == .seconds(2))
        #expect(try ["status-503", "slow", "frame-slow", "silence", "late"].map { try delay($0) } == [0, 1, 1, 2, 4])
        #expect(try ["status-503", "slow", "silence"].map { try delay($0, hasLasted: true) } == [2, 2, 2])
        var agenda = Agenda(stories: stories, seed: 1, patience: [patience])
        let faults = all(&agenda).map { $0.faults[0] }
        func first(_ id: String) throws -> Int { try #require(faults.firstIndex { $0.kind.id == id }) }
        let refusal = try first("status-503")
        for id in ["hang", "silence", "shake-hang", "late"] { #expect(try first(id) > refusal, "\(id)") }
        #expect(try first("silence") < first("frame-late") && first("reset") < first("silence"))
        // The agenda postpones a fault kind that made a run slow.
        var taught = Agenda(stories: stories, seed: 1, patience: [patience])
        var dealt: [Schedule] = []
        while let schedule = taught.deal() {
            taught.learn([], acted: [0], hasLasted: schedule.faults[0].kind.id == "lost", of: schedule)
            dealt.append(schedule)
        }
        #expect(Set(dealt.map(\.faults[0])) == Set(faults) && dealt.count == faults.count)
        func places(_ faults: [Schedule.Fault]) -> [Int] { faults.indices.filter { faults[$0].kind.id == "lost" } }
        let (before, after) = (places(faults), places(dealt.map { $0.faults[0] }))
        #expect(before[0] == after[0] && zip(before, after).dropFirst().allSatisfy { $0 < $1 })
    }

    @Test("A run's silence limit grows with the client's own time and the faults' waits")
    func limits() throws {
        func limits(_ own: Int, _ timeLimit: Int? = nil, _ faults: Schedule.Fault...) -> [Duration] {
            let patience = RunPatience([.seconds(own)], timeLimit: timeLimit.map { .seconds($0) })
            let schedule = Schedule(story: 0, faults: faults)
            return [false, true].map { patience.limit(of: schedule, isWhole: $0).silence }
        }
        #expect(limits(0) == [.seconds(8), .seconds(40)] && limits(2) == [.seconds(8), .seconds(40)])
        #expect(limits(3) == [.seconds(8), .seconds(40)] && limits(5) == [.seconds(10), .seconds(50)])
        #expect(limits(30) == [.seconds(60), .seconds(60)])
        #expect(limits(1, 2) == [.seconds(2), .seconds(2)] && limits(1, 300) == [.seconds(8), .seconds(300)])
        let slow = try Schedule.Fault("slow", at: .request(.listGoals, 1))
        #expect(limits(1, nil, slow) == [.seconds(10), .seconds(42)])
        // The answer arrives after 90 s, and the client then has as much time as without the fault.
        let late = try Schedule.Fault("late", at: .request(.listGoals, 1))
        #expect(limits(1, nil, late) == [.seconds(98), .seconds(130)])
        #expect(limits(30, nil, late) == [.seconds(150), .seconds(150)])
        var patience = RunPatience([.seconds(1)], timeLimit: nil)
        patience.extend(beyond: .seconds(2))
        #expect(patience.limit(of: Schedule(story: 0), isWhole: false).silence == .seconds(8))
        patience.extend(beyond: .seconds(20))
        #expect(patience.limit(of: Schedule(story: 0), isWhole: false).silence == .seconds(30))
    }

    @Test("A pair adds a second fault at a point that the first fault caused")
    func pairs() async throws {
        let stories = try await Self.stories([0])
        var agenda = Agenda(stories: stories, seed: 7)
        let equal = agenda.counts.equal
        let dealt = all(&agenda, most: 30_000, bringing: Self.brought)
        let sizes = dealt.map(\.faults.count)
        #expect(sizes == sizes.sorted() && Set(sizes) == [1, 2])
        #expect(Set(dealt).count == dealt.count)
        let pairs = dealt.filter { $0.faults.count == 2 }
        #expect(agenda.counts.pairs == pairs.count)
        #expect(pairs.allSatisfy { pair in Self.brought.contains { $0.place == pair.faults[1].place } })
        let keys = pairs.map { pair in
            let (first, second) = (pair.faults[0], pair.faults[1])
            return [first.kind.id, "\(first.place.route)", second.kind.id, "\(second.place)"]
        }
        #expect(Set(keys).count == keys.count)
        #expect(agenda.counts.newPoints == Self.brought.count)
        #expect(agenda.counts.points == Set(stories[0].all.map(\.place)).count + Self.brought.count)
        // Each second fault either was tried or is equivalent to another.
        let fitting = Self.brought.map { point in FaultKind.all.count { $0.fits(point.place) } }.reduce(0, +)
        #expect(pairs.count + agenda.counts.equal - equal == fitting * sizes.count { $0 == 1 })
        // A second agenda with the same seed proposes the same schedules.
        var again = Agenda(stories: stories, seed: 7)
        #expect(all(&again, most: 30_000, bringing: Self.brought) == dealt)
    }

    @Test("The agenda learns nothing from a fault that did not take effect")
    func inert() async throws {
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1)
        while let schedule = agenda.deal() {
            agenda.learn(Self.brought, patience: .seconds(10), acted: [], of: schedule)
        }
        #expect(agenda.counts.pairs == 0 && agenda.counts.newPoints == 0 && agenda.lateness == Schedule.lateness)
    }

    @Test("The agenda tries only faults of the selected families")
    func families() async throws {
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1, families: [.lost, .expiry])
        let dealt = all(&agenda)
        #expect(Set(dealt.map { $0.faults[0].kind.family }) == [.lost, .expiry])
        var none = Agenda(stories: try await Self.stories([0]), seed: 1, families: [])
        let nothing = none.deal()
        #expect(nothing == nil)
    }

    @Test(
        "A late answer takes 1.5 times as long as the client waits, up to ten minutes",
        arguments: [(0, 1), (1, 2), (10, 15), (399, 599), (400, 600), (10_000, 600)])
    func lateness(patience: Int, expected: Int) async throws {
        #expect(Agenda.lateness(beyond: .seconds(patience)) == .seconds(expected))
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1)
        let dealt = agenda.deal()
        let first = try #require(dealt)
        agenda.learn([], patience: .seconds(patience), acted: [0], of: first)
        let late = all(&agenda).first { $0.faults[0].kind.id == "late" }
        #expect(late?.faults[0].wait == .seconds(expected))
    }

    @Test("An agenda over its limit drops the oldest points and counts them")
    func leadLimit() async throws {
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1)
        let dealt = agenda.deal()
        let schedule = try #require(dealt)
        func bring(_ count: Int, from start: Int) {
            let points = (0..<count).map { FaultPoint(.request(.listGoals, start + $0), in: Situation()) }
            agenda.learn(points, acted: [0], of: schedule)
        }
        let runs = ExploreLimits.leads / ExploreLimits.newPoints
        for run in 0..<runs { bring(ExploreLimits.newPoints, from: 100 + run * ExploreLimits.newPoints) }
        #expect(agenda.counts.dropped == 0)
        bring(1, from: 1_000_000)
        #expect(agenda.counts.dropped == 1 + ExploreLimits.leads / 10)
        // Offer more points from one run than the agenda examines.
        let before = agenda.counts.newPoints
        bring(ExploreLimits.newPoints + 1, from: 2_000_000)
        #expect(agenda.counts.newPoints == before + ExploreLimits.newPoints)
    }
}
