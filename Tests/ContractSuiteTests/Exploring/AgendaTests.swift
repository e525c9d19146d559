import FitIQAPI
import Judging
import Testing

@testable import ContractSuite

@Suite("Agendas")
struct AgendaTests {
    /// The stories of the reference client without faults.
    private static func stories(_ indices: [Int] = [0, 2]) async throws -> [Points] {
        var stories: [Points] = []
        for index in indices {
            let (outcome, _) = try await play(Schedule(story: index))
            stories.append(Points(outcome, TrialReading(outcome)))
        }
        return stories
    }

    /// All that an agenda deals, if every fault acts and brings forth these points.
    private func all(
        _ agenda: inout Agenda, most: Int = 5000, batch: Int = 64, bringing points: [FaultPoint] = []
    ) -> [Schedule] {
        var all: [Schedule] = []
        while all.count < most {
            let dealt = agenda.deal(min(batch, most - all.count))
            guard !dealt.isEmpty else { break }
            for schedule in dealt {
                agenda.learn(points, acted: Set(schedule.faults.indices), of: schedule)
            }
            all += dealt
        }
        return all
    }

    private static let brought = [
        FaultPoint(.request(.listMessages, 90), in: Situation()),
        FaultPoint(.handshake(.webSocket, 90), in: Situation()),
        FaultPoint(.frame(.webSocket, connection: 90, type: "connected", 1), in: Situation()),
    ]

    @Test("Every kind is tried once in a story at points that are alike, and never twice")
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

    @Test("The seed decides the order, and nothing else; ranks come first, and the stories take turns")
    func order() async throws {
        let stories = try await Self.stories()
        let dealt = ([1, 1, 2] as [UInt64]).map { seed -> [Schedule] in
            var agenda = Agenda(stories: stories, seed: seed)
            return all(&agenda)
        }
        #expect(dealt[0] == dealt[1])
        #expect(dealt[0] != dealt[2] && Set(dealt[0]) == Set(dealt[2]))
        // A kind that is new at a route may be two ranks worse.
        var layers: [UInt64: Int] = [:]
        let turns = dealt[0].map { schedule in
            let kind = schedule.faults[0].kind
            let route = kind.id.utf8.fnv1a.mixed(with: schedule.faults[0].place.route)
            layers[route, default: 0] += 1
            return kind.rank + 2 * (layers[route, default: 0] - 1)
        }
        #expect(turns == turns.sorted() && turns.contains(5))
        #expect(Set(dealt[0].prefix(2).map(\.story)) == [0, 1])
        var small = Agenda(stories: stories, seed: 1)
        #expect(all(&small, batch: 1) == dealt[0])
        // On a real clock, long waits come last.
        var patient = Agenda(stories: stories, seed: 1, isPrompt: false)
        let faults = all(&patient).map { $0.faults[0] }
        let short = try #require(faults.lastIndex { $0.wait == .zero && ![.late, .silence].contains($0.kind.family) })
        for isLong in [
            { $0.wait == Schedule.lateness }, { $0.wait == .seconds(20) }, { $0.kind.id == "hang" },
            { $0.kind.id == "shake-hang" }, { $0.kind.family == .silence && $0.kind.wait == .none },
        ] as [(Schedule.Fault) -> Bool] {
            #expect(faults.firstIndex(where: isLong) ?? 0 > short)
        }
    }

    @Test("Pairs have a second fault at what the first one brought forth, once for all that are alike; then triples")
    func pairs() async throws {
        let stories = try await Self.stories([0])
        var agenda = Agenda(stories: stories, seed: 7)
        let equal = agenda.counts.equal
        let dealt = all(&agenda, most: 30_000, bringing: Self.brought)
        let sizes = dealt.map(\.faults.count)
        #expect(sizes == sizes.sorted() && Set(sizes) == [1, 2, 3])
        #expect(Set(dealt).count == dealt.count)
        let pairs = dealt.filter { $0.faults.count == 2 }
        #expect(agenda.counts.pairs == pairs.count && agenda.counts.triples == sizes.count { $0 == 3 })
        #expect(pairs.allSatisfy { pair in Self.brought.contains { $0.place == pair.faults[1].place } })
        let keys = pairs.map { pair in
            [
                pair.faults[0].kind.id, "\(pair.faults[0].place.route)", pair.faults[1].kind.id,
                "\(pair.faults[1].place)",
            ]
        }
        #expect(Set(keys).count == keys.count)
        #expect(agenda.counts.newPoints == Self.brought.count)
        #expect(agenda.counts.points == Set(stories[0].all.map(\.place)).count + Self.brought.count)
        // Each second fault was tried or is like another.
        let fitting = Self.brought.map { point in FaultKind.all.count { $0.fits(point.place) } }.reduce(0, +)
        #expect(pairs.count + agenda.counts.equal - equal == fitting * sizes.count { $0 == 1 })
        // A second one with the same seed deals the same, in batches of another size as well.
        var again = Agenda(stories: stories, seed: 7)
        #expect(all(&again, most: 30_000, bringing: Self.brought) == dealt)
    }

    @Test("A fault that did not act teaches nothing, and neither does anything if schedules are drawn")
    func inert() async throws {
        let stories = try await Self.stories([0])
        var agenda = Agenda(stories: stories, seed: 1)
        while true {
            let dealt = agenda.deal(64)
            guard !dealt.isEmpty else { break }
            for schedule in dealt { agenda.learn(Self.brought, patience: .seconds(10), acted: [], of: schedule) }
        }
        #expect(agenda.counts.pairs == 0 && agenda.counts.newPoints == 0 && agenda.lateness == Schedule.lateness)
        var random = Agenda(stories: stories, seed: 1, strategy: .random)
        let drawn = all(&random, most: 2000, bringing: Self.brought)
        #expect(drawn.count == 2000 && Set(drawn.map(\.faults.count)) == [1, 2, 3])
        #expect(random.counts.newPoints == 0 && random.counts.schedules == 2000)
        let known = Set(stories[0].all.map(\.place))
        #expect(drawn.allSatisfy { schedule in schedule.faults.allSatisfy { known.contains($0.place) } })
    }

    @Test("Only the families asked for are tried")
    func families() async throws {
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1, families: [.lost, .expiry])
        let dealt = all(&agenda)
        #expect(Set(dealt.map { $0.faults[0].kind.family }) == [.lost, .expiry])
        var none = Agenda(stories: try await Self.stories([0]), seed: 1, families: [], strategy: .random)
        #expect(none.deal(1).isEmpty)
    }

    @Test(
        "What is late is half as late again as the client waits, from one second to ten minutes",
        arguments: [(0, 1), (1, 2), (10, 15), (399, 599), (400, 600), (10_000, 600)])
    func lateness(patience: Int, expected: Int) async throws {
        #expect(Agenda.lateness(beyond: .seconds(patience)) == .seconds(expected))
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1)
        let first = try #require(agenda.deal(1).first)
        agenda.learn([], patience: .seconds(patience), acted: [0], of: first)
        let late = all(&agenda).first { $0.faults[0].kind.id == "late" }
        #expect(late?.faults[0].wait == .seconds(expected))
    }

    @Test("Points beyond the limit make the oldest ones go, and they are counted")
    func leadLimit() async throws {
        var agenda = Agenda(stories: try await Self.stories([0]), seed: 1)
        let schedule = try #require(agenda.deal(1).first)
        func bring(_ count: Int, from start: Int) {
            let points = (0..<count).map {
                FaultPoint(.request(.listGoals, start + $0), in: Situation())
            }
            agenda.learn(points, acted: [0], of: schedule)
        }
        let runs = ExploreLimits.leads / ExploreLimits.newPoints
        for run in 0..<runs { bring(ExploreLimits.newPoints, from: 100 + run * ExploreLimits.newPoints) }
        #expect(agenda.counts.dropped == 0)
        bring(1, from: 1_000_000)
        #expect(agenda.counts.dropped == 1 + ExploreLimits.leads / 10)
        // More points of one run than are looked at.
        let before = agenda.counts.newPoints
        bring(ExploreLimits.newPoints + 1, from: 2_000_000)
        #expect(agenda.counts.newPoints == before + ExploreLimits.newPoints)
    }

    @Test("Of the pairs that brought forth points 4,096 are remembered, each with 32 points")
    func pairLimits() async throws {
        let kind = try #require(FaultKind.named("lost"))
        func pair(_ number: Int) -> Schedule {
            let places = (0...1).map {
                FaultPoint.Place.frame(.webSocket, connection: number, type: "connected", $0 + 1)
            }
            return Schedule(story: 0, faults: places.map { Schedule.Fault(kind, at: $0) })
        }
        func points(_ count: Int) -> [FaultPoint] {
            (1...count).map {
                FaultPoint(.frame(.mealSocket, connection: 1, type: "connected", $0), in: Situation())
            }
        }
        /// All triples: two kinds are there for each point of each pair.
        func triples(pairs: Int, points count: Int, seed: UInt64 = 1) async throws -> [Schedule] {
            var agenda = Agenda(stories: try await Self.stories([0]), seed: seed, families: [.hostile])
            while !agenda.deal(64).isEmpty {}
            for number in 1...pairs { agenda.learn(points(count), acted: [0, 1], of: pair(number)) }
            var dealt: [Schedule] = []
            while true {
                let batch = agenda.deal(64)
                guard !batch.isEmpty else { return dealt }
                dealt += batch
            }
        }
        for count in [31, 32, 33] {
            let dealt = try await triples(pairs: 1, points: count)
            #expect(Set(dealt.map { $0.faults[2].place }).count == min(count, ExploreLimits.pointsOfPair))
            #expect(Set(dealt).count == dealt.count && dealt.count <= 2 * ExploreLimits.pointsOfPair)
        }
        for seed in [1, 2] as [UInt64] {
            let dealt = try await triples(pairs: 3 * ExploreLimits.pairs, points: 1, seed: seed)
            let bases = Set(dealt.map { $0.faults[0].place })
            #expect(bases.count <= ExploreLimits.pairs && bases.count > ExploreLimits.pairs * 9 / 10)
            // Each pair has the same chance to be remembered: a third of them is of the last third, about 1365.
            let late = bases.count { $0.connection > 2 * ExploreLimits.pairs }
            #expect((1150...1500).contains(late), "\(late)")
        }
    }
}
