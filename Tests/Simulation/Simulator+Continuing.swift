import Faults
import FitIQAPI
import JSON
import MockServer

/// How the operator behaves in a run.
public enum Operating: Sendable, Equatable {
    /// Does nothing in runs without faults, and performs random actions in half of the runs with faults.
    case asDrawn
    case never
    /// Releases held items immediately; breakpoints hold everything or nothing.
    ///
    /// Clients receive the same bytes either way.
    case continuing(holdsEverything: Bool)

    var isContinuing: Bool { if case .continuing = self { true } else { false } }
}

extension Simulator {
    /// Runs a seed without breakpoints, and again with breakpoints that hold everything and an operator who immediately
    /// releases it.
    ///
    /// - Returns: The second run's report, or the failure or difference.
    public static func compareContinuing(
        seed: UInt64, sessions: Int = Simulator.usualSessions
    ) -> Result<Report, Failure> {
        let plain = Simulator(seed: seed, sessions: sessions, operating: .continuing(holdsEverything: false))
        let held = Simulator(seed: seed, sessions: sessions, operating: .continuing(holdsEverything: true))
        return plain.run().flatMap { plainReport in
            held.run().flatMap { report in
                for client in Set(plain.heard.keys).union(held.heard.keys).sorted()
                where plain.heard[client] != held.heard[client] {
                    let (due, came) = (plain.heard[client, default: []], held.heard[client, default: []])
                    let same = max(0, zip(due, came).prefix { $0 == $1 }.count - 60)
                    let texts = [came, due].map { String(decoding: $0.dropFirst(same).prefix(200), as: UTF8.self) }
                    held.fail("client \(client) receives \(texts[0]), and \(texts[1]) without breakpoints", in: nil)
                }
                if plainReport.steps != report.steps {
                    held.fail("without breakpoints it has \(plainReport.steps) steps", in: nil)
                }
                return held.failure.map(Result.failure) ?? .success(report)
            }
        }
    }

    /// Breakpoints that hold everything for longer than any single clock move.
    static var holdingEverything: [FaultRule] {
        let hold = Hold(fromClient: true, fromServer: true, time: 86_400_000_000_000)
        let requests = Hold(fromClient: true, time: hold.time)
        let faults: [Fault] = [
            .response(.hold(hold), on: []), .handshake(.hold(requests)), .socket(.hold(hold), at: .frames(.all)),
        ]
        return faults.enumerated().map { FaultRule(name: "hold-\($0 + 1)", fault: $1) }
    }

    /// Moves bytes until nothing moves any more, and releases held items if the operator has no other action.
    func catchUp() {
        network.catchUp()
        guard operating.isContinuing else { return }
        for world in worlds where failure == nil { letAllContinue(in: world) }
    }

    /// Moves the clock; held items continue at the moment they arrive.
    func pass(_ nanoseconds: Int64) {
        let end = network.now.advanced(byNanoseconds: nanoseconds)
        while operating.isContinuing, failure == nil, let due = engine.nextDeadline, due <= end {
            network.advance(by: .nanoseconds(due.nanosecondsSinceEpoch - network.now.nanosecondsSinceEpoch))
            catchUp()
        }
        network.advance(by: .nanoseconds(end.nanosecondsSinceEpoch - network.now.nanosecondsSinceEpoch))
    }

    /// Releases all of a world's held items, and everything behind them.
    func letAllContinue(in world: SimulatedWorld) {
        var turns = 0
        while failure == nil, let count = engine.inspectWorld(world.id)?.heldCount, count > 0 {
            // The server may be unable to accept the operator's connection.
            guard operate(in: world, .post, "held", #"{"action":"continue"}"#) != nil else { return }
            turns += 1
            if turns > 2_000 { return fail("\(count) things are held again and again", in: world) }
        }
    }
}
